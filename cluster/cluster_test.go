package cluster

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/cluster/streams"
	"github.com/weirnet/weir/store/etcd"
	"github.com/weirnet/weir/store/owner"
)

// instance is one of a test's cluster, without a network.
type instance struct {
	name  string
	store *etcd.Store
	own   *owner.Claim
	peers *Peers
	kept  chan []byte // facts, as they come
	owns  chan string // told when it owns the store
	end   context.CancelFunc
	ended sync.WaitGroup
}

// begin starts an instance, which waits to own the store.
func begin(t *testing.T, name string, owns chan string, join ...string) *instance {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	i := &instance{name: name, owns: owns, kept: make(chan []byte, 10)}
	i.store, err = etcd.Start(t.Context(), etcd.Config{Name: name, Dir: filepath.Join(t.TempDir(), name),
		Peer: &etcd.Peer{Listener: l, Address: l.Addr().String(), Join: join}})
	if err != nil {
		t.Fatal(err)
	}
	member := ""
	for _, m := range i.store.Cluster().Members() {
		if m.Self {
			member = m.ID
		}
	}
	i.own = owner.New(i.store, owner.Instance{Name: name, Member: member, Life: 1 + rand.Uint64N(1<<60)})
	i.peers, err = Start(Config{Members: i.store.Cluster(), Own: i.own, Log: slog.New(slog.DiscardHandler),
		Keep: func(file []byte) error { i.kept <- bytes.Clone(file); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	i.end = cancel
	i.ended.Go(func() {
		if i.own.Wait(ctx, slog.New(slog.DiscardHandler), func(*owner.Instance) {}) == nil {
			owns <- name
			held, over := i.own.Hold(ctx, func(string) {})
			<-held.Done()
			over()
		}
	})
	t.Cleanup(i.die)
	return i
}

// die ends an instance as a kill does: its row stays.
func (i *instance) die() {
	i.peers.Close()
	i.end()
	i.ended.Wait()
	i.store.Close()
}

func (i *instance) address() string {
	for _, m := range i.store.Cluster().Members() {
		if m.Self {
			return m.Address
		}
	}
	return ""
}

// TestOwnerDies: one of the others takes the place of an owner that dies, and has the facts that it has sent last; the
// lease of the owner's row has not ended by then.
func TestOwnerDies(t *testing.T) {
	owns := make(chan string, 3)
	a := begin(t, "a", owns)
	if first := <-owns; first != "a" {
		t.Fatal(first)
	}
	b := begin(t, "b", owns, a.address())
	c := begin(t, "c", owns, a.address())
	large := make([]byte, 3*partBytes+1)
	for i := range large {
		large[i] = byte(i / 7)
	}
	for _, file := range [][]byte{[]byte("facts"), {}, large} {
		a.peers.Facts(file)
		for _, i := range []*instance{b, c} {
			for got := range i.kept {
				if bytes.Equal(got, file) {
					break
				}
			}
		}
	}
	seen := a.own.Self()
	a.die()
	next := <-owns
	if next == "a" {
		t.Fatal("the dead one owns the store")
	}
	for _, i := range []*instance{b, c} {
		if i.name != next {
			continue
		}
		if term := i.own.Terms().Term(); term != 2 {
			t.Errorf("the term is %d, want 2", term)
		}
		if err := i.peers.facts.take(0, []byte{lastPart, 1}); err == nil {
			t.Error("an owner takes another one's facts")
		}
	}
	if seen.Member == "" {
		t.Error("the owner had no member")
	}
}

// TestOwnerIsHeard: an owner whose row is there and who is heard keeps its place, whatever others would like.
func TestOwnerIsHeard(t *testing.T) {
	owns := make(chan string, 3)
	a := begin(t, "a", owns)
	<-owns
	b := begin(t, "b", owns, a.address())
	for !b.peers.streams.Heard(number(a.own.Self().Member)) {
		time.Sleep(time.Millisecond)
	}
	for range 20 {
		b.peers.ring()
		if b.own.Owns() {
			t.Fatal("b has taken the place of an owner that it hears")
		}
	}
}

// TestParts: facts that are no facts are refused, and those of two peers do not mix.
func TestParts(t *testing.T) {
	var kept [][]byte
	f := &facts{owns: func() bool { return false }, keep: func(file []byte) error {
		kept = append(kept, bytes.Clone(file))
		return errors.New("as it was asked")
	}, parts: map[streams.ID][]byte{}}
	if f.take(1, nil) == nil || f.take(1, []byte{2, 1}) == nil {
		t.Error("parts that are none are taken")
	}
	for _, p := range []struct {
		from streams.ID
		part string
	}{{1, "\x00a"}, {2, "\x00x"}, {1, "\x00b"}, {2, "\x01y"}, {1, "\x01"}} {
		if err := f.take(p.from, []byte(p.part)); (p.part[0] == lastPart) != (err != nil) {
			t.Errorf("%v: %v", p, err)
		}
	}
	f.take(1, []byte("\x00c"))
	f.began(1)
	f.take(1, []byte("\x01d"))
	if got := bytes.Join(kept, []byte(" ")); string(got) != "xy ab d" {
		t.Errorf("kept %q", got)
	}
}
