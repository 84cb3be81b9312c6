package etcd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/store"
)

// sized is a disk of which a test says how much of it is free.
type sized struct{ free atomic.Int64 }

func (d *sized) of(string) int64 { return d.free.Load() }

// onDisks starts a cluster of three on disks with much room, whose members know of each other's.
func onDisks(t *testing.T) (list [3]*instance, disks [3]*sized) {
	t.Helper()
	for i := range disks {
		disks[i] = new(sized)
		disks[i].free.Store(1 << 40)
	}
	list = startCluster(t, func(name string, cfg *Config) { cfg.free = disks[name[0]-'a'].of })
	tellDisks(list[:]...)
	return list, disks
}

// tellDisks has members know of each other's disks.
func tellDisks(list ...*instance) {
	for _, i := range list {
		i.Cluster().Judge(func(id string) (Disk, bool) {
			for _, other := range list {
				if m := other.member; m.server.MemberID().String() == id && !other.closed.Load() {
					return other.Cluster().Disk(), true
				}
			}
			return Disk{}, false
		})
	}
}

// txn writes a key once.
func (i *instance) txn(t *testing.T, key string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err := i.Txn(ctx, store.Txn{Then: []store.Op{store.Put([]byte(key), []byte(key))}})
	return err
}

// TestFollowerParts: a member whose disk has less room than etcd needs takes nothing more, in time, and the others go on
// without it; when there is room again it is with them again without a restart, and has all.
func TestFollowerParts(t *testing.T) {
	list, disks := onDisks(t)
	for n, gone := range list { // each in turn, the leader too
		disks[n].free.Store(100 << 20)
		need.Await(t, "its disk to be full", func() bool { d := gone.Cluster().Disk(); return d.State() == "disk full" })
		if d := gone.Cluster().Disk(); d.Parted {
			t.Errorf("%s has parted with 100 MiB left", gone.name)
		}
		if err := gone.txn(t, "refused"); !errors.Is(err, store.ErrFull) {
			t.Errorf("%s, which is short of room, takes what asks for it: %v", gone.name, err)
		}
		disks[n].free.Store(50 << 20)
		need.Await(t, "it to part", func() bool { d := gone.Cluster().Disk(); return d.Parted })
		last := gone.member.server.AppliedIndex()
		var all sync.WaitGroup
		for k, i := range list {
			if k == n {
				continue
			}
			all.Go(func() {
				for j := range 400 { // more than a member that lags is sent as single entries
					i.put(t, fmt.Sprintf("%s/%s/%d", gone.name, i.name, j), "1")
				}
			})
		}
		all.Wait()
		if now := gone.member.server.AppliedIndex(); now != last {
			t.Errorf("%s has taken entries %d to %d without room", gone.name, last+1, now)
		}
		if err := gone.txn(t, "refused"); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "MiB free") {
			t.Errorf("%s, which has parted: %v", gone.name, err)
		}
		if page, err := gone.Range(t.Context(), store.Query{Span: store.Prefix("a/"), Local: true}); err != nil {
			t.Errorf("%s, which has parted, cannot be read: %d, %v", gone.name, len(page.Pairs), err)
		}
		disks[n].free.Store(1 << 40)
		need.Await(t, "it to be with the others again", func() bool { d := gone.Cluster().Disk(); return d.Fit() && !d.Parted })
		gone.put(t, "again", gone.name)
		page, err := gone.Range(t.Context(), store.Query{Span: store.Prefix(gone.name + "/")})
		if err != nil || len(page.Pairs) != 800 {
			t.Errorf("%s has %d of 800 keys: %v", gone.name, len(page.Pairs), err)
		}
	}
}

// TestManyFull: where the disks of more than half are full all stay, and nothing is taken at any; what is small is, and all
// is again when there is room.
func TestManyFull(t *testing.T) {
	list, disks := onDisks(t)
	disks[1].free.Store(60 << 20)
	need.Await(t, "b to part", func() bool { d := list[1].Cluster().Disk(); return d.Parted })
	disks[2].free.Store(60 << 20)
	need.Await(t, "a to refuse", func() bool { return errors.Is(list[0].txn(t, "k"), store.ErrFull) })
	need.Await(t, "b to be with the others again", func() bool { d := list[1].Cluster().Disk(); return !d.Parted })
	if d := list[2].Cluster().Disk(); d.Parted {
		t.Error("two of three have parted")
	}
	err := list[0].txn(t, "k")
	if !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "the disks of b, c are full") {
		t.Errorf("a: %v", err)
	}
	for _, i := range list {
		i.put(t, "instances/owner", i.name)
	}
	disks[1].free.Store(1 << 40)
	need.Await(t, "requests to be taken again", func() bool { return list[0].txn(t, "k") == nil })
}

// TestFullLeader: the lead of the store goes to a member whose disk is well, and not to another one.
func TestFullLeader(t *testing.T) {
	list, disks := onDisks(t)
	lead := 0
	for n, i := range list {
		if i.member.server.Leader() == i.member.server.MemberID() {
			lead = n
		}
	}
	next := (lead + 1) % 3
	disks[next].free.Store(100 << 20)
	need.Await(t, "a disk to be full", func() bool { d := list[next].Cluster().Disk(); return !d.Fit() })
	disks[lead].free.Store(100 << 20)
	need.Await(t, "the leader's disk to be full", func() bool { d := list[lead].Cluster().Disk(); return !d.Fit() })
	if err := list[lead].Cluster().MoveLeader(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := list[(lead+2)%3].member.server.MemberID(); list[lead].member.server.Leader() != want {
		t.Errorf("%v leads, want %v", list[lead].member.server.Leader(), want)
	}
}

// TestBeginsWithoutRoom: a member that is started on a full disk waits for room, and ends when it is told to.
func TestBeginsWithoutRoom(t *testing.T) {
	list, disks := onDisks(t)
	c := list[2]
	c.Close()
	disks[2].free.Store(10 << 20)
	waits := make(chan string, 10)
	change := func(_ string, cfg *Config) {
		cfg.free = disks[2].of
		cfg.Waits = func(what string) { waits <- what }
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { _, err := startMemberOf(ctx, t, "c", c.dir, c.address, change); ended <- err }()
	if what := <-waits; !strings.Contains(what, "room on its disk") {
		t.Errorf("it waits for %q", what)
	}
	list[0].put(t, "meanwhile", "yes")
	end()
	if err := <-ended; !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("told to end: %v", err)
	}
	go func() {
		var err error
		c, err = startMemberOf(t.Context(), t, "c", c.dir, c.address, change)
		ended <- err
	}()
	<-waits
	disks[2].free.Store(1 << 40)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if got := c.get(t, "meanwhile"); got != "yes" {
		t.Errorf("it has %q", got)
	}
}

// TestAllBeginShortOfRoom holds that members begin, of which more than half have so little room that they would part: they
// serve, and refuse what would be written, as they would if they had not ended.
func TestAllBeginShortOfRoom(t *testing.T) {
	list, disks := onDisks(t)
	list[0].put(t, "before", "yes")
	for _, i := range list {
		i.Close()
	}
	disks[1].free.Store(60 << 20)
	disks[2].free.Store(80 << 20)
	type started struct {
		n   int
		i   *instance
		err error
	}
	ended := make(chan started, len(list))
	for n := range list {
		go func() {
			i, err := startMemberOf(t.Context(), t, list[n].name, list[n].dir, list[n].address,
				func(_ string, cfg *Config) { cfg.free = disks[n].of })
			ended <- started{n, i, err}
		}()
	}
	for range list {
		select {
		case s := <-ended:
			if s.err != nil {
				t.Fatal(s.err)
			}
			list[s.n] = s.i
		case <-time.After(need.Patience):
			t.Fatal("they do not begin")
		}
	}
	tellDisks(list[:]...)
	for _, i := range list {
		if got := i.get(t, "before"); got != "yes" {
			t.Errorf("%s has %q", i.name, got)
		}
		need.Await(t, "it to refuse", func() bool { return errors.Is(i.txn(t, "k"), store.ErrFull) })
		i.put(t, "instances/owner", i.name)
	}
	disks[1].free.Store(1 << 40)
	need.Await(t, "requests to be taken again", func() bool { return list[0].txn(t, "k") == nil })
}
