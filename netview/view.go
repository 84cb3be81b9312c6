package netview

import (
	"cmp"
	"sync"
	"sync/atomic"
)

// Revision counts the transactions of a view. The API prints it as an opaque string.
type Revision uint64

// View is the network view. Reading is free of locks: take a Snapshot. Writing goes through Facts,
// Masters, Inputs, Desired, Status and Alarms, each of which has one owner; transactions are
// serialised.
type View struct {
	current atomic.Pointer[Snapshot]

	// write serialises transactions and guards the working tables below.
	write    sync.Mutex
	switches table[DPID, Switch]
	links    table[LinkKey, Link]
	linksIn  table[LinkKey, Link] // by the reversed key
	hosts    table[HostID, Host]
	hostsAt  table[hostPlace, Host]
	rules    table[claim, ownedRule]
	meters   table[meterClaim, ownedMeter]
	alarms   table[AlarmKey, Alarm]
	masters  table[DPID, string] // of the switches whose master is another than that of all
	master   string              // of all others
	settings *Settings
	settled  bool
	nextSeq  uint64   // of the next claim
	pending  []Change // of the transaction that runs

	log changeLog

	owners struct {
		sync.Mutex
		writers map[string]bool // that have an owner
	}
}

// New returns an empty view of revision 0.
func New(limits Limits) *View {
	v := &View{
		switches: newTable[DPID, Switch](cmp.Compare[DPID]),
		links:    newTable[LinkKey, Link](LinkKey.Compare),
		linksIn:  newTable[LinkKey, Link](LinkKey.Compare),
		hosts:    newTable[HostID, Host](HostID.Compare),
		hostsAt:  newTable[hostPlace, Host](compareHostPlaces),
		rules:    newTable[claim, ownedRule](compareClaims),
		meters:   newTable[meterClaim, ownedMeter](compareMeterClaims),
		alarms:   newTable[AlarmKey, Alarm](AlarmKey.Compare),
		masters:  newTable[DPID, string](cmp.Compare[DPID]),
		settings: &Settings{},
	}
	v.owners.writers = make(map[string]bool)
	v.log.Log = newChangeLog(limits.withDefaults())
	v.current.Store(v.snapshot(0))
	return v
}

// own panics if the writer has an owner already.
func (v *View) own(writer string) {
	v.owners.Lock()
	defer v.owners.Unlock()
	if v.owners.writers[writer] {
		panic("netview: " + writer + " has an owner already")
	}
	v.owners.writers[writer] = true
}

// Snapshot is the view as it is now. It never blocks and is never nil.
func (v *View) Snapshot() *Snapshot { return v.current.Load() }

// transact runs one transaction: do changes the working tables, and either all of it is published,
// under the next revision, or (if do panics) nothing. A transaction that changed nothing has no
// revision of its own.
func (v *View) transact(do func()) Revision {
	v.write.Lock()
	defer v.write.Unlock()
	done := false
	defer func() {
		if !done {
			v.rollback()
		}
	}()
	do()
	done = true
	return v.commit()
}

func (v *View) commit() Revision {
	old := v.current.Load()
	if !v.dirty() && v.settled == old.settled && v.settings == old.settings {
		if v.masters.dirty || v.master != old.master { // of switches without a row, which are no change
			v.current.Store(v.snapshot(old.revision))
		}
		return old.revision
	}
	next := v.snapshot(old.revision + 1)
	v.log.publish(next.revision, v.pending, func() { v.current.Store(next) })
	clear(v.pending)
	v.pending = v.pending[:0]
	return next.revision
}

func (v *View) rollback() {
	v.switches.rollback()
	v.links.rollback()
	v.linksIn.rollback()
	v.hosts.rollback()
	v.hostsAt.rollback()
	v.rules.rollback()
	v.meters.rollback()
	v.alarms.rollback()
	v.masters.rollback()
	now := v.current.Load()
	v.settings, v.settled, v.master = now.settings, now.settled, now.master
	clear(v.pending)
	v.pending = v.pending[:0]
}

func (v *View) dirty() bool {
	return v.switches.dirty || v.links.dirty || v.hosts.dirty || v.rules.dirty || v.meters.dirty || v.alarms.dirty
}

func (v *View) snapshot(revision Revision) *Snapshot {
	return &Snapshot{
		revision: revision,
		settled:  v.settled,
		settings: v.settings,
		alarms:   v.alarms.publish(),
		masters:  v.masters.publish(),
		master:   v.master,
		switches: v.switches.publish(),
		links:    v.links.publish(),
		linksIn:  v.linksIn.publish(),
		hosts:    v.hosts.publish(),
		hostsAt:  v.hostsAt.publish(),
		rules:    v.rules.publish(),
		meters:   v.meters.publish(),
	}
}

// record adds a change to the running transaction.
func (v *View) record(c Change) { v.pending = append(v.pending, c) }
