//go:build real

package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cluster/local"
	"github.com/weirnet/weir/internal/faultdisk"
	"github.com/weirnet/weir/internal/need"
)

// wish asks an instance for an intent: something that has to be kept.
func wish(t *testing.T, one *local.Instance, n int) error {
	t.Helper()
	at := func(port uint32) client.IntentEnds {
		return client.PointEnds(client.Point{DPID: "0000000000000001", Port: port})
	}
	_, err := one.Client().CreateIntent(t.Context(), &client.IntentRequest{ID: fmt.Sprint("wish-", n), Kind: client.PointToPoint,
		Src: at(1), Dst: at(2), Selector: client.Selector{"eth_src": fmt.Sprintf("06:00:00:00:%02x:%02x", n>>8, n&255)},
	}, client.CreateOptions{})
	return err
}

// TestDisksOfInstances: the owner of three whose disk fills, or hangs, is replaced by one whose disk is well; what was
// acknowledged is there, and the list of members and the alarms say why. An instance that stands by with such a disk is left in
// peace.
func TestDisksOfInstances(t *testing.T) {
	need.Root(t)
	ctx, dir := t.Context(), t.TempDir()
	small := filepath.Join(dir, "a")
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("small", small, "tmpfs", 0, "size=420m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Unmount(small, syscall.MNT_DETACH) })
	hangs := map[string]*faultdisk.Disk{}
	for _, name := range []string{"b", "c"} {
		hangs[name] = faultdisk.Mount(t, filepath.Join(dir, name))
	}
	c, err := local.Start(ctx, &local.Config{Instances: 3, Dir: dir, Args: []string{"--log-level=warn"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	a := c.Named("a")
	wishes := 0
	// by makes wishes by the owner.
	by := func(owner *local.Instance) {
		t.Helper()
		need.Await(t, "a request to be taken by "+owner.Name, func() bool { return wish(t, owner, wishes) == nil })
		wishes++
		page, err := owner.Client().Intents(ctx)
		if err != nil || len(page.Items) != wishes {
			t.Errorf("%s has %d of %d intents: %v", owner.Name, len(page.Items), wishes, err)
		}
	}
	// replaced waits until another one than some is the owner.
	replaced := func(not ...*local.Instance) (owner *local.Instance) {
		t.Helper()
		need.Await(t, "another owner", func() bool {
			owner = c.Owner(ctx)
			for _, one := range not {
				if one == owner {
					return false
				}
			}
			return owner != nil
		})
		return owner
	}
	alarm := func(one *local.Instance, kind string) {
		t.Helper()
		var page *client.Page[client.Alarm]
		var err error
		defer func() { t.Logf("%+v %v", page, err) }()
		need.Await(t, "the alarm "+kind+" at "+one.Name, func() bool {
			page, err = one.Client().Alarms(ctx, false)
			is := func(a client.Alarm) bool { return a.Kind == kind && a.Object == "" }
			return err == nil && slices.ContainsFunc(page.Items, is)
		})
	}
	state := func(name, want string) {
		t.Helper()
		var list []client.Member
		defer func() { t.Logf("%+v", list) }()
		need.Await(t, name+" to be "+want, func() bool {
			list, _ = c.Members(ctx)
			return slices.ContainsFunc(list, func(m client.Member) bool { return m.Name == name && m.State == want })
		})
	}
	if owner := replaced(); owner != a {
		t.Fatalf("%s is the owner", owner.Name)
	}
	by(a)
	filler := filepath.Join(small, "filler")
	if err := os.WriteFile(filler, make([]byte, 400<<20), 0o600); err == nil {
		t.Fatal("all fits")
	}
	owner := replaced(a)
	by(owner)
	state("a", "disk full")
	alarm(a, "store")
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	state("a", "standby")
	by(owner)
	was := owner
	disk := hangs[was.Name]
	t.Cleanup(func() { disk.Stall(false) })
	disk.Stall(true)
	owner = replaced(was)
	by(owner)
	state(was.Name, "disk slow")
	alarm(was, "slow-disk")
	disk.Stall(false)
	state(was.Name, "standby")
	by(owner)
}
