package inventory

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// Transaction is what the sub-states share: the running transaction, its time, and the bounds.
type Transaction struct {
	Tx       *netview.FactsTx
	Now      time.Time
	Started  time.Time // of the core
	Settings *netview.Settings
	Limits   Limits
	Counts   *Counts
	Alarms   AlarmQueue
	order    uint64                           // of deadlines, as they were added
	edited   map[netview.DPID]*netview.Switch // rows created in it, still mutable
}

// NewTransaction returns what transactions share, before the first one.
func NewTransaction(l Limits, now time.Time) *Transaction {
	return &Transaction{
		Now: now, Started: now, Settings: new(netview.Settings), Limits: l, Counts: new(Counts),
		edited: make(map[netview.DPID]*netview.Switch),
	}
}

// Begin starts the next one.
func (t *Transaction) Begin(tx *netview.FactsTx, now time.Time) {
	t.Tx, t.Now = tx, now
	clear(t.edited)
}

// SinceStart returns the time since the core's start.
func (t *Transaction) SinceStart() time.Duration { return t.Now.Sub(t.Started) }

// PutRow writes a switch's row, which stays mutable within this transaction.
func (t *Transaction) PutRow(row *netview.Switch) *netview.Switch {
	t.Tx.PutSwitch(row)
	row, _ = t.Tx.Switch(row.DPID) // includes its configuration
	t.edited[row.DPID] = row
	return row
}

// Editing makes a row that is not written yet the one to be edited.
func (t *Transaction) Editing(row *netview.Switch) { t.edited[row.DPID] = row }

// DeleteRow deletes a switch's row.
func (t *Transaction) DeleteRow(dpid netview.DPID) {
	delete(t.edited, dpid)
	t.Tx.DeleteSwitch(dpid)
}

// EditRow returns a switch's row, mutable within this transaction.
func (t *Transaction) EditRow(dpid netview.DPID) *netview.Switch {
	if row := t.edited[dpid]; row != nil {
		return row
	}
	old, _ := t.Tx.Switch(dpid)
	next := *old
	next.Ports = slices.Clone(old.Ports)
	return t.PutRow(&next)
}
