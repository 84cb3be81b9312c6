package netview

import (
	"sync"
	"testing"
)

// Readers of published snapshots run beside writers; under -race this fails if a writer touches
// what is published.
func TestReadersBesideWriters(t *testing.T) {
	const hosts, rounds = 500, 300
	v := New(Limits{Changes: 64})
	f, w := v.Facts(), v.Desired("a")
	f.Update(func(tx *FactsTx) {
		for d := range DPID(8) {
			tx.PutSwitch(mesh(d, 4, 3))
		}
	})
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					readWhole(t, v)
				}
			}
		})
	}
	watched := make(chan Revision, 1)
	readers.Go(func() { watched <- watch(v, stop) })
	for i := range rounds {
		f.Update(func(tx *FactsTx) { // always an even number of hosts
			tx.PutHost(host(2*i%hosts, Point{DPID(i % 8), 1}))
			tx.PutHost(host(2*i%hosts+1, Point{DPID(i % 8), 2}))
			if i%7 == 0 {
				tx.DeleteHost(host(i%hosts&^1, Point{}).HostID)
				tx.DeleteHost(host(i%hosts|1, Point{}).HostID)
			}
		})
		w.Update(func(tx *DesiredTx) { tx.Set(DPID(i%8), []Rule{{Priority: 1, Cookie: uint64(i)}, {Priority: 2}}) })
	}
	last := f.Update(func(tx *FactsTx) { tx.SetSettled() })
	if got := <-watched; got != last {
		t.Errorf("the watcher saw revision %d last, want %d", got, last)
	}
	close(stop)
	readers.Wait()
	check(t, v)
}

// readWhole reads a snapshot in every way and checks that transactions are in it whole.
func readWhole(t *testing.T, v *View) {
	s := v.Snapshot()
	if n := s.Counts().Hosts; n%2 != 0 {
		t.Errorf("%d hosts: half a transaction", n)
	}
	n := 0
	for d := range DPID(8) {
		for range s.HostsOf(d) {
			n++
		}
		for range s.Rules(d) {
			n++
		}
		s.Switch(d)
	}
	if c := s.Counts(); n != c.Hosts+c.Rules {
		t.Errorf("%d rows by index, %+v by table", n, c)
	}
}

// watch follows the changes until the view has settled.
func watch(v *View, stop chan struct{}) Revision {
	for at := Revision(0); ; {
		select {
		case <-v.Changed(at):
		case <-stop:
			return at
		}
		_, upto, ok := v.Changes(at, 10)
		if all, s, whole := follow(v, at); whole && s.Revision() != all {
			panic("the snapshot is not that of the changes")
		}
		if !ok {
			upto = v.Snapshot().Revision()
		}
		at = upto
		if s := v.Snapshot(); s.Settled() && s.Revision() == at {
			return at
		}
	}
}

// follow takes all changes at once.
func follow(v *View, at Revision) (upto Revision, s *Snapshot, ok bool) {
	_, upto, s, ok = v.Follow(at, 1<<20)
	return upto, s, ok
}

func TestChanged(t *testing.T) {
	v := New(Limits{})
	f := v.Facts()
	first := v.Changed(0)
	select {
	case <-first:
		t.Fatal("told of a change before there was one")
	default:
	}
	r := f.Update(func(tx *FactsTx) { tx.PutSwitch(mesh(1, 1, 2)) })
	for _, c := range []<-chan struct{}{first, v.Changed(0)} {
		select {
		case <-c:
		default:
			t.Error("not told of a change that was published")
		}
	}
	pending := v.Changed(r)
	if same := f.Update(func(tx *FactsTx) {}); same != r {
		t.Errorf("an empty transaction has revision %d", same)
	}
	select {
	case <-pending:
		t.Error("told of an empty transaction")
	default:
	}
}
