package owner

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
)

// slowTaker is a store at which another instance is faster: it takes the store between this one's
// look and its claim.
type slowTaker struct {
	store.Store
	before func()
}

func (s *slowTaker) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Store.Txn(ctx, txn)
}

// TestTwoTakeAtOnce: of two instances that both see a store without an owner one owns it, the other
// knows who does, and the row does not go with it.
func TestTwoTakeAtOnce(t *testing.T) {
	memory := store.NewMemory(nil)
	first := New(memory, Instance{Name: "first"})
	second := New(&slowTaker{memory, func() {
		if other, err := first.take(t.Context()); err != nil || other != nil {
			t.Errorf("the first: %v, %v", other, err)
		}
	}}, Instance{Name: "second"})
	other, err := second.take(t.Context())
	if err != nil || other == nil || other.Name != "first" {
		t.Errorf("the second: other %v, %v: want it to know the first", other, err)
	}
	second.Release()
	if r, err := first.read(t.Context()); err != nil || string(r.owner.Value) != string(first.row) {
		t.Errorf("the owner is %v, %v", r.owner, err)
	}
	if other, err := first.take(t.Context()); err != nil || other != nil {
		t.Errorf("the first, again: %v, %v", other, err)
	}
}

// TestAnotherWasOwnerMeanwhile: an owner whose lease has ended takes the store again if nobody else
// had it meanwhile; if another had, and has gone by then, it steps down all the same: what the
// other was asked for it does not know, and its journals are the other's.
func TestAnotherWasOwnerMeanwhile(t *testing.T) {
	memory := store.NewMemory(nil)
	first := New(memory, Instance{Name: "first"})
	second := New(memory, Instance{Name: "second"})
	take := func(who *Claim, what string) {
		t.Helper()
		if other, err := who.take(t.Context()); err != nil || other != nil {
			t.Fatalf("%s: %v, %v", what, other, err)
		}
	}
	take(first, "the first")
	memory.Expire(first.lease)
	if err := first.renew(t.Context()); err != nil {
		t.Errorf("nobody else had the store: %v", err)
	}
	memory.Expire(first.lease)
	take(second, "the second")
	second.Release()
	if r, err := second.read(t.Context()); err != nil || r.owner != nil {
		t.Fatalf("the second has gone, and the owner is %v, %v", r.owner, err)
	}
	if err := first.renew(t.Context()); !errors.Is(err, ErrDeposed) || !strings.Contains(err.Error(), "second") {
		t.Errorf("the second had the store: %v, want %v with its name", err, ErrDeposed)
	}
	take(New(memory, Instance{Name: "first"}), "the first, begun anew")
}

// TestTakingIsWhole: nobody takes a store that another has taken since he looked, though that one
// has left no word of it but its row; and who takes it stands by no longer.
func TestTakingIsWhole(t *testing.T) {
	memory := store.NewMemory(nil)
	older := store.Put([]byte(ownerKey), []byte(`{"name":"older","life":"x"}`))
	late := New(&slowTaker{memory, func() {
		if _, err := memory.Txn(t.Context(), store.Txn{Then: []store.Op{older}}); err != nil {
			t.Error(err)
		}
	}}, Instance{Name: "late"})
	if other, err := late.take(t.Context()); err != nil || other == nil || other.Name != "older" {
		t.Errorf("late: other %v, %v", other, err)
	}
	first, second := New(memory, Instance{Name: "first"}), New(memory, Instance{Name: "second"})
	if err := errors.Join(first.standBy(t.Context()), second.standBy(t.Context())); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Txn(t.Context(), store.Txn{Then: []store.Op{store.Delete(store.Key(ownerKey))}}); err != nil {
		t.Fatal(err)
	}
	if other, err := first.take(t.Context()); other != nil || err != nil {
		t.Fatal(other, err)
	}
	if _, err := second.read(t.Context()); err != nil || len(*second.standbys.Load()) != 0 {
		t.Errorf("the second sees %v stand by, %v", *second.standbys.Load(), err)
	}
	first.Release()
	if r, err := second.read(t.Context()); r.owner != nil || err != nil {
		t.Errorf("the first has gone, and the owner is %v, %v", r.owner, err)
	}
}

// TestEarlierLivesStandByNoLonger: the row of a standby that was killed goes when it stands by again, or owns the store.
func TestEarlierLivesStandByNoLonger(t *testing.T) {
	memory := store.NewMemory(nil)
	a := New(memory, Instance{Name: "a", Member: "1"})
	if other, err := a.take(t.Context()); other != nil || err != nil {
		t.Fatal(other, err)
	}
	life := func(want int) *Claim {
		t.Helper()
		b := New(memory, Instance{Name: "b", Member: "2"})
		if other, err := b.take(t.Context()); other == nil || err != nil {
			t.Fatal(other, err)
		}
		if err := b.standBy(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := a.read(t.Context()); err != nil || len(a.Standbys()) != want {
			t.Errorf("a sees %v stand by, want %d, %v", a.Standbys(), want, err)
		}
		return b
	}
	life(1)
	life(1)
	a.Release()
	b := New(memory, Instance{Name: "b", Member: "2"})
	if other, err := b.take(t.Context()); other != nil || err != nil {
		t.Fatal(other, err)
	}
	if _, err := a.read(t.Context()); err != nil || len(a.Standbys()) != 0 {
		t.Errorf("b is the owner, and %v stand by, %v", a.Standbys(), err)
	}
}

// TestDeadIsALife: an owner that nobody hears is replaced though its row is there; its next life is another, and who was
// the owner takes its place back from nobody.
func TestDeadIsALife(t *testing.T) {
	memory := store.NewMemory(nil)
	is := func(who *Claim, what string, want *Claim) {
		t.Helper()
		other, err := who.take(t.Context())
		if got := other == nil; err != nil || got != (want == who) {
			t.Errorf("%s: the owner is %v, %v", what, other, err)
		}
	}
	a := New(memory, Instance{Name: "a", Member: "1"})
	b, c := New(memory, Instance{Name: "b", Member: "2"}), New(memory, Instance{Name: "c", Member: "3"})
	is(a, "the first", a)
	is(b, "a lives", a)
	if !b.Dead(a.self.Incarnation) || b.Dead(a.self.Incarnation) {
		t.Error("news, once")
	}
	c.Dead(a.self.Incarnation)
	is(b, "a is dead", b)
	if err := b.st.Revoke(t.Context(), b.lease); err != nil { // it is stopped for longer than its lease
		t.Fatal(err)
	}
	again := New(memory, Instance{Name: "a", Member: "1"})
	is(again, "a's next life", again)
	is(c, "to whom a's former life is dead", again)
	if err := b.renew(t.Context()); !errors.Is(err, ErrDeposed) {
		t.Errorf("b goes on: %v", err)
	}
	if _, err := memory.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put([]byte(ownerKey), []byte("?"))}}); err != nil {
		t.Fatal(err)
	}
	c.Dead("")
	is(c, "an owner whose row cannot be read", nil)
}

// TestLeftToOthers: an instance leaves a place that is free to others while one of them is better, for no longer than the lease
// has; it stands by meanwhile.
func TestLeftToOthers(t *testing.T) {
	now := time.Unix(1, 0)
	clock := func() time.Time { return now }
	st := store.NewMemory(clock)
	o := NewAt(st, Instance{Name: "a"}, clock)
	better := true
	o.LeaveTo(func() bool { return better })
	for range 5 {
		if other, err := o.Try(t.Context()); !errors.Is(err, errLeft) || other != nil || o.Owns() {
			t.Fatalf("%v, %v", other, err)
		}
		now = now.Add(time.Second)
	}
	if page, err := st.Range(t.Context(), store.Query{Span: store.Prefix(standbyPrefix)}); err != nil || len(page.Pairs) != 1 {
		t.Errorf("it does not stand by: %v, %v", page, err)
	}
	if other, err := o.Try(t.Context()); err != nil || other != nil || !o.Owns() {
		t.Errorf("when nobody has taken it for long: %v, %v", other, err)
	}
	p := NewAt(st, Instance{Name: "b"}, clock)
	p.LeaveTo(func() bool { return better })
	o.Release()
	if _, err := p.Try(t.Context()); !errors.Is(err, errLeft) {
		t.Errorf("b: %v", err)
	}
	better = false
	if other, err := p.Try(t.Context()); err != nil || other != nil || !p.Owns() {
		t.Errorf("nobody is better: %v, %v", other, err)
	}
}
