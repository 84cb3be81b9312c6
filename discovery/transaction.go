package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// transaction is what the sub-states share: the running transaction, its time, and the bounds.
type transaction struct {
	tx       *netview.FactsTx
	now      time.Time
	started  time.Time // of the core
	settings *netview.Settings
	limits   Limits
	Counts   *Counts
	alarms   alarmQueue
	order    uint64                           // of deadlines, as they were added
	edited   map[netview.DPID]*netview.Switch // rows created in it, still mutable
}

func newTransaction(l Limits, now time.Time) *transaction {
	return &transaction{
		now: now, started: now, settings: new(netview.Settings), limits: l, Counts: new(Counts),
		edited: make(map[netview.DPID]*netview.Switch),
	}
}

// begin starts the next one.
func (t *transaction) begin(tx *netview.FactsTx, now time.Time) {
	t.tx, t.now = tx, now
	clear(t.edited)
}

// sinceStart returns the time since the core's start.
func (t *transaction) sinceStart() time.Duration { return t.now.Sub(t.started) }

// putRow writes a switch's row, which stays mutable within this transaction.
func (t *transaction) putRow(row *netview.Switch) *netview.Switch {
	t.tx.PutSwitch(row)
	row, _ = t.tx.Switch(row.DPID) // includes its configuration
	t.edited[row.DPID] = row
	return row
}

// editRow returns a switch's row, mutable within this transaction.
func (t *transaction) editRow(dpid netview.DPID) *netview.Switch {
	if row := t.edited[dpid]; row != nil {
		return row
	}
	old, _ := t.tx.Switch(dpid)
	next := *old
	next.Ports = slices.Clone(old.Ports)
	return t.putRow(&next)
}
