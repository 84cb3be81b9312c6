package owner

import (
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/store"
)

// TestTermsRise: whoever takes the store has a higher term than all before, also after terms were raised above what a switch
// knew, and who has lost the store raises none.
func TestTermsRise(t *testing.T) {
	memory := store.NewMemory(nil)
	last := uint64(0)
	higher := func(who *Claim, what string) {
		t.Helper()
		if other, err := who.take(t.Context()); err != nil || other != nil {
			t.Fatalf("%s: %v, %v", what, other, err)
		}
		if term := who.Terms().Term(); term <= last {
			t.Errorf("%s has term %d after %d", what, term, last)
		} else {
			last = term
		}
	}
	first, second := New(memory, Instance{Name: "first"}), New(memory, Instance{Name: "second"})
	higher(first, "the first")
	if other, err := first.take(t.Context()); other != nil || err != nil || first.Terms().Term() != last {
		t.Errorf("who looks again is in term %d, %v, %v; want %d", first.Terms().Term(), other, err, last)
	}
	for _, known := range []uint64{last, 41, 40, 7} {
		term, err := first.Terms().Raise(t.Context(), known)
		if err != nil || term <= known || term < last || term != first.Terms().Term() {
			t.Errorf("raised above %d: term %d, %v", known, term, err)
		}
		last = term
	}
	if last != 42 {
		t.Errorf("raised above 41, and above less, the term is %d", last)
	}
	memory.Expire(first.lease)
	higher(second, "the second")
	if term, err := first.Terms().Raise(t.Context(), 100); !errors.Is(err, ErrDeposed) {
		t.Errorf("who has lost the store raises the term to %d, %v", term, err)
	}
	if r, err := second.read(t.Context()); err != nil || termOf(r.term) != last {
		t.Errorf("the term in the store is %d, %v; want %d", termOf(r.term), err, last)
	}
}

// TestTermsWrap: the number after the highest is 0, as switches compare.
func TestTermsWrap(t *testing.T) {
	memory := store.NewMemory(nil)
	highest := store.Put([]byte(termKey), termText(math.MaxUint64))
	if _, err := memory.Txn(t.Context(), store.Txn{Then: []store.Op{highest}}); err != nil {
		t.Fatal(err)
	}
	terms, err := Alone(t.Context(), memory)
	if err != nil || terms.Term() != 0 {
		t.Errorf("term %d, %v", terms.Term(), err)
	}
	if term, err := terms.Raise(t.Context(), math.MaxUint64); err != nil || term != 0 {
		t.Errorf("above the highest: %d, %v", term, err)
	}
}

// TestDeposedKeepsItsTerm: who was the owner never has the term of a later one, with which it could ask switches for the role of
// master while it does not know yet: a switch takes two masters of one term.
func TestDeposedKeepsItsTerm(t *testing.T) {
	memory := store.NewMemory(nil)
	a, b := New(memory, Instance{Name: "a", Member: "1"}), New(memory, Instance{Name: "b", Member: "2"})
	take := func(who *Claim) {
		t.Helper()
		if other, err := who.take(t.Context()); err != nil || other != nil {
			t.Fatal(other, err)
		}
	}
	take(a)
	if _, err := b.take(t.Context()); err != nil || b.Terms().Term() != 1 {
		t.Errorf("a standby knows the term %d, %v", b.Terms().Term(), err)
	}
	b.Dead(a.self.Incarnation)
	take(b)
	if term, err := a.Terms().Raise(t.Context(), 2); !errors.Is(err, ErrDeposed) || a.Terms().Term() != 1 {
		t.Errorf("raised to %d, %v: the term is %d", term, err, a.Terms().Term())
	}
	if err := a.renew(t.Context()); !errors.Is(err, ErrDeposed) || a.Terms().Term() != 1 {
		t.Errorf("renewed, %v: the term is %d", err, a.Terms().Term())
	}
	if term, err := b.Terms().Raise(t.Context(), 2); err != nil || term != 3 || b.Terms().Term() != 3 {
		t.Errorf("the owner's: %d, %v", term, err)
	}
}

// TestAlone: each start has a later term; a store that takes nothing leaves the one before; a row that cannot be read is as none.
func TestAlone(t *testing.T) {
	memory := store.NewMemory(nil)
	for want := uint64(1); want < 4; want++ {
		if terms, err := Alone(t.Context(), memory); err != nil || terms.Term() != want {
			t.Errorf("term %d, %v; want %d", terms.Term(), err, want)
		}
	}
	memory.Inject(func(c store.Call) store.Fault {
		if c.Name == "Txn" {
			return store.Full
		}
		return store.None
	})
	terms, err := Alone(t.Context(), memory)
	if !errors.Is(err, store.ErrFull) || terms.Term() != 3 {
		t.Errorf("a full store: term %d, %v", terms.Term(), err)
	}
	memory.Inject(nil)
	if _, err := memory.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put([]byte(termKey), []byte("three"))}}); err != nil {
		t.Fatal(err)
	}
	if term, err := terms.Raise(t.Context(), 8); err != nil || term != 9 {
		t.Errorf("above 8, over a row that cannot be read: %d, %v", term, err)
	}
}

// TestTermsAtOnce: of many that raise the term at once each ends above what it was told.
func TestTermsAtOnce(t *testing.T) {
	memory := store.NewMemory(nil)
	terms, err := Alone(t.Context(), memory)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for known := range uint64(50) {
		all.Go(func() {
			if term, err := terms.Raise(t.Context(), known); err != nil || term <= known {
				t.Errorf("above %d: %d, %v", known, term, err)
			}
		})
	}
	all.Wait()
	if terms.Term() < 50 {
		t.Errorf("the term is %d", terms.Term())
	}
}

// TestUnconfirmedOwnerStepsDown: an owner that has seen another stand by steps down when the store has not confirmed for as long
// as the lease has that it is the owner, and writes nothing from the end of the gate on; alone it goes on.
func TestUnconfirmedOwnerStepsDown(t *testing.T) {
	for _, c := range []struct {
		name    string
		standby bool
	}{{"alone", false}, {"with a standby", true}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := &dead{Store: store.NewMemory(nil)}
				o := New(st, Instance{Name: "a"})
				if other, err := o.take(t.Context()); other != nil || err != nil {
					t.Fatal(other, err)
				}
				if c.standby {
					if err := New(st.Store, Instance{Name: "b"}).standBy(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				held, ended := o.Hold(t.Context(), func(string) {})
				defer ended()
				time.Sleep(1500 * time.Millisecond) // it has seen who stands by
				st.is.Store(true)
				time.Sleep(leaseTime - 1500*time.Millisecond)
				if open := !o.gate.stale(time.Now()); open == c.standby {
					t.Errorf("before the lease ends it writes: %t", open)
				}
				time.Sleep(3 * time.Second)
				if down := SteppedDown(held); errors.Is(down, ErrUnconfirmed) != c.standby || (down != nil) != c.standby {
					t.Errorf("when the lease has ended: %v", down)
				}
				if !c.standby {
					return
				}
				if o.gate.wait() {
					t.Error("it writes after it has stepped down")
				}
				if by, ok := DeposedBy(held); ok {
					t.Errorf("deposed by %v, whom nobody knows", by)
				}
			})
		})
	}
}

// TestRestored: the term of a store that was filled from a backup is later than any that its owner came to.
func TestRestored(t *testing.T) {
	memory := store.NewMemory(nil)
	first := New(memory, Instance{Name: "first"})
	if _, err := first.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.Release()
	was := first.Terms().Term()
	if err := Restored(t.Context(), memory); err != nil {
		t.Fatal(err)
	}
	second := New(memory, Instance{Name: "second"})
	if other, err := second.take(t.Context()); err != nil || other != nil {
		t.Errorf("the owner of a restored store is %v, %v", other, err)
	}
	if got := second.Terms().Term(); got != was+restoredLeap+1 {
		t.Errorf("term %d, want %d", got, was+restoredLeap+1)
	}
}
