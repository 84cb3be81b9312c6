//go:build real

package etcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/storetest"
	"github.com/weirnet/weir/store"
)

// patience is how long something may take that surely comes.
const patience = 30 * time.Second

// cluster is an etcd of one member in a process of its own.
type cluster struct {
	url string
	cmd *exec.Cmd
}

// external builds etcd at the version that is embedded, and starts it.
func external(t *testing.T) *cluster {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "etcd")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("testdata", "etcd")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	client, peer := address(t), address(t)
	c := &cluster{url: "http://" + client}
	c.cmd = exec.Command(binary, "--data-dir", filepath.Join(dir, "data"), "--log-level", "error",
		"--listen-client-urls", c.url, "--advertise-client-urls", c.url,
		"--listen-peer-urls", "http://"+peer, "--initial-advertise-peer-urls", "http://"+peer, "--initial-cluster",
		"default=http://"+peer)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Stdout, c.cmd.Stderr = log, log
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.kill()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("etcd said:\n%s", text)
		}
	})
	return c
}

func (c *cluster) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// dial waits until it answers.
func (c *cluster) dial(t *testing.T, prefix string) *Store {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		s, err := Dial(context.Background(), Remote{URLs: []string{c.url}, Prefix: prefix})
		if err == nil {
			t.Cleanup(func() { s.Close() })
			return s
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// address is one of loopback that was free just now.
func address(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestExternal holds an etcd elsewhere to the contract, with others in the same cluster.
func TestExternal(t *testing.T) {
	c := external(t)
	n := 0
	storetest.Run(t, func(t *testing.T) store.Store {
		n++
		s := c.dial(t, fmt.Sprintf("test-%d/", n))
		// removed again: it is only to have been there
		if _, err := s.client.KV.Put(context.Background(), "stranger", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := s.client.KV.Delete(context.Background(), "stranger"); err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// TestExternalGone: when the cluster is gone, what changes something has an unknown outcome, what
// reads is not available, and both end in their time.
func TestExternalGone(t *testing.T) {
	c := external(t)
	s := c.dial(t, "")
	if _, err := s.Txn(context.Background(), store.Txn{Then: []store.Op{store.Put([]byte("k"), nil)}}); err != nil {
		t.Fatal(err)
	}
	c.kill()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if _, err := s.Txn(ctx, store.Txn{Then: []store.Op{store.Put([]byte("k"), nil)}}); !errors.Is(err,
		store.ErrUnknown) && !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a transaction: %v", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if _, err := s.Range(ctx, store.Query{Span: store.Key("k")}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a range: %v", err)
	}
	if _, err := Dial(context.Background(), Remote{URLs: []string{"http://" + address(t)}}); !errors.Is(err,
		store.ErrUnavailable) {
		t.Errorf("nobody there: %v", err)
	}
}

// TestExternalVersion: the external etcd of the tests is the one that is embedded.
func TestExternalVersion(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "etcd", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("no build information")
	}
	for _, m := range info.Deps {
		if m.Path == "go.etcd.io/etcd/server/v3" && !strings.Contains(string(text), m.Path+" "+m.Version) {
			t.Errorf("%s %s is embedded, and testdata/etcd/go.mod has another", m.Path, m.Version)
		}
	}
}
