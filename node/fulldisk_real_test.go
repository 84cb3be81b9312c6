//go:build real

package node_test

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/internal/need"
)

// smallDisk mounts a disk of so many MiB on a directory, in a mount namespace that lives as long as
// the test, and returns the command that starts programs in it, and where its files are seen from
// outside.
func smallDisk(t *testing.T, dir string, size int) (within []string, root string) {
	t.Helper()
	need.Root(t)
	holder := exec.Command(need.Program(t, "unshare"), "--mount", "sh", "-c",
		fmt.Sprintf("mount -t tmpfs -o size=%dm small %s && echo mounted && cat", size, dir))
	if _, err := holder.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { holder.Process.Kill(); holder.Wait() })
	if lines := bufio.NewScanner(out); !lines.Scan() || lines.Text() != "mounted" {
		t.Fatalf("no disk is mounted: %q", lines.Text())
	}
	pid := fmt.Sprint(holder.Process.Pid)
	return []string{need.Program(t, "nsenter"), "--target", pid, "--mount"}, filepath.Join("/proc", pid, "root")
}

// TestInstanceOnFullDisk: an instance whose disk is filled refuses what it cannot keep (507), says
// why, and forwards; with room it takes requests again by itself. Killed on a full disk, it has all
// that it acknowledged when there is room again.
func TestInstanceOnFullDisk(t *testing.T) {
	c := &child{dir: t.TempDir(), openflow: freeAddress(t)}
	c.within, c.root = smallDisk(t, c.dir, 420)
	c.start(t)
	o := &owners{t: t, list: []*child{c}, network: network(t, "linear:3", c.openflow)}
	acknowledged := 0
	want := func() error {
		err := o.want(0, fmt.Sprint("wish-", acknowledged), acknowledged)
		if err == nil {
			acknowledged++
		}
		return err
	}
	for range wishes {
		if err := want(); err != nil {
			t.Fatal(err)
		}
	}
	kept := o.ping()
	filler := filepath.Join(c.root, c.dir, "filler")
	for _, last := range []bool{false, true} {
		if err := os.WriteFile(filler, make([]byte, 200<<20), 0o600); err != nil { // less than the store's reserve is left
			t.Fatal(err)
		}
		var p *client.Problem
		await(t, "a request to be refused for the disk", func() bool { return errors.As(want(), &p) },
			func() string { return fmt.Sprint(acknowledged) })
		if p.Status != http.StatusInsufficientStorage {
			t.Errorf("refused with %+v, want 507", p)
		}
		await(t, "the alarm", func() bool {
			page, err := c.api.Alarms(t.Context(), false)
			return err == nil && len(page.Items) > 0 && page.Items[0].Kind == "store"
		}, c.log.String)
		if err := os.WriteFile(filler+"-2", make([]byte, 420<<20), 0o600); err == nil { // to the last byte
			t.Fatal("all fits")
		}
		kept("on a full disk")
		if err := want(); !errors.As(err, &p) || p.Status != http.StatusInsufficientStorage {
			t.Errorf("on a disk without a byte: %v, want 507", err)
		}
		if last {
			break
		}
		if err := errors.Join(os.Remove(filler), os.Remove(filler+"-2")); err != nil {
			t.Fatal(err)
		}
		await(t, "requests to be taken again", func() bool { return want() == nil }, c.log.String)
	}
	c.kill()
	if err := errors.Join(os.Remove(filler), os.Remove(filler+"-2")); err != nil {
		t.Fatal(err)
	}
	c.start(t)
	page, err := c.api.Intents(t.Context())
	if err != nil || len(page.Items) != acknowledged {
		t.Errorf("%d intents after a kill on a full disk, %v; %d were acknowledged", len(page.Items), err, acknowledged)
	}
	kept("after it")
}
