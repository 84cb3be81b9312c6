package objects

import (
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// waitingForRoom is a switch with room for one meter: that of user 1, whose rule is to be removed, is there, and that of
// user 2 waits for it to go.
func waitingForRoom(t *testing.T) (table *Table, second object.Object) {
	table = newTable(t, 1, nil, nil)
	table.Features(nil, &openflow.MeterFeatures{MaxMeters: 1})
	first, second := meterOf(t, 1), meterOf(t, 2)
	table.Want(1, []object.Object{first})
	sent(t, table, 0)
	table.Settle(1)
	table.Unwant(1)
	table.Want(2, []object.Object{second})
	if s := sent(t, table, 0); s != "" {
		t.Fatalf("sent without room: %s", s)
	}
	return table, second
}

// TestRoomByAudit: what waits for room goes on when an audit finds that the other has gone.
func TestRoomByAudit(t *testing.T) {
	table, _ := waitingForRoom(t)
	table.Audit(Read(1, table.Numbers(), nil, nil), table.Mark(), time.Time{})
	table.Release(1)
	sent(t, table, 0)
	if ready, why := table.Ready(2); !ready {
		t.Errorf("it waits, or was refused (%v)\n%s", why, table)
	}
}

// TestRoomThatIsKept: of two users of an object that has no room but that which one of them keeps until it has it, none
// waits for ever: both are refused.
func TestRoomThatIsKept(t *testing.T) {
	table, second := waitingForRoom(t)
	table.Want(1, []object.Object{second}) // in place of its removal
	sent(t, table, 0)
	for _, user := range []User{1, 2} {
		if ready, why := table.Ready(user); ready || why == nil {
			t.Errorf("user %d is ready: %v, and not refused\n%s", user, ready, table)
		}
	}
}
