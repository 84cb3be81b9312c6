package node

import (
	"context"
	"testing"

	"github.com/weirnet/weir/store"
)

// slowTaker is a store at which another instance is faster: it takes the store between this one's look and its claim.
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

// TestTwoTakeAtOnce: of two instances that both see a store without an owner one owns it, the other knows who does, and the row does not go with it.
func TestTwoTakeAtOnce(t *testing.T) {
	memory := store.NewMemory(nil)
	first := newOwnership(memory, &Config{Name: "first"})
	second := newOwnership(&slowTaker{memory, func() {
		if other, err := first.take(t.Context()); err != nil || other != nil {
			t.Errorf("the first: %v, %v", other, err)
		}
	}}, &Config{Name: "second"})
	other, err := second.take(t.Context())
	if err != nil || other == nil || other.Name != "first" {
		t.Errorf("the second: other %v, %v: want it to know the first", other, err)
	}
	second.release()
	if row, err := first.read(t.Context()); err != nil || string(row) != string(first.row) {
		t.Errorf("the owner is %s, %v", row, err)
	}
	if other, err := first.take(t.Context()); err != nil || other != nil {
		t.Errorf("the first, again: %v, %v", other, err)
	}
}
