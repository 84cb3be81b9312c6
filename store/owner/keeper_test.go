package owner

import (
	"errors"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
)

// TestSteps: Try and Keeper's steps are what Wait and Hold do, without goroutines and by a clock that is given: an owner that was
// stopped writes nothing before its next step, one that is not confirmed for as long as its lease has steps down, and one that
// was replaced never writes again.
func TestSteps(t *testing.T) {
	now := time.Unix(1, 0)
	clock := func() time.Time { return now }
	st := &dead{Store: store.NewMemory(clock)}
	a, b := NewAt(st, Instance{Name: "a"}, clock), NewAt(st, Instance{Name: "b", Incarnation: "of b"}, clock)
	if other, err := a.Try(t.Context()); other != nil || err != nil || !a.Owns() {
		t.Fatal(other, err)
	}
	keeper := a.Keeper()
	step := func(wantWait time.Duration, wantErr error, wantTrouble bool) {
		t.Helper()
		said := ""
		wait, err := keeper.Step(t.Context(), func(why string) { said = why })
		if wait != wantWait || !errors.Is(err, wantErr) || (said != "") != wantTrouble {
			t.Errorf("wait %v, %v, trouble %q", wait, err, said)
		}
	}
	other, err := b.Try(t.Context())
	if other == nil || other.Name != "a" || err != nil || b.Self().Incarnation != "of b" {
		t.Error("b does not stand by", other, err)
	}
	step(leaseEvery, nil, false) // it sees b stand by
	if now = now.Add(gapLimit); a.MayWrite() {
		t.Error("it was stopped, and writes before it has looked")
	}
	if step(leaseEvery, nil, false); !a.MayWrite() {
		t.Error("it has looked, and does not write")
	}
	st.is.Store(true)
	now = now.Add(leaseTime - 1)
	step(gapRetry, nil, true)
	if a.MayWrite() {
		t.Error("it writes unconfirmed, though another stands by")
	}
	now = now.Add(1)
	step(0, ErrUnconfirmed, true)
	st.is.Store(false)
	if other, err := b.Try(t.Context()); other != nil || err != nil {
		t.Fatal(other, err)
	}
	step(0, ErrDeposed, false)
	if keeper.End(); a.MayWrite() || !b.MayWrite() {
		t.Error("who was replaced writes, or who replaced it does not")
	}
}
