package objects

import (
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// TestNumbersOfAnotherMaster: another instance has deleted a meter, given its number to another content, which entries
// use, and made the first anew. What numbers mean is what the switch lists: nothing is written.
func TestNumbersOfAnotherMaster(t *testing.T) {
	table := newTable(t, 1, nil, nil)
	first, second := meterOf(t, 1), meterOf(t, 2)
	table.Want(1, []object.Object{first})
	sent(t, table, 0)
	table.Settle(1)
	n := table.byContent[*first.Digest()].number
	table.Want(2, []object.Object{second})
	table.ForgetNumbers()
	table.Compare(Read(1, table.Numbers(), nil, []openflow.MeterConfig{config(n, 2), config(n+1, 1)}))
	table.Features(nil, nil)
	if s := sent(t, table, 0); s != "" {
		t.Errorf("sent: %s", s)
	}
	if table.Number(first) != n+1 || table.Number(second) != n {
		t.Errorf("the first has %d and the second %d, want %d and %d", table.Number(first), table.Number(second), n+1, n)
	}
}
