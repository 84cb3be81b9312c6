package flowsync

import (
	"maps"
	"slices"

	"github.com/weirnet/weir/openflow"
)

// flowMonitor is a model's, as Open vSwitch has it: own changes are abbreviated; while it is
// paused, what was added or changed is told at the end.
type flowMonitor struct {
	offered bool
	tell    func(openflow.FlowUpdate) // nil unless somebody asked for it
	own     uint32                    // the transaction id of our message in flight, 0 if it is another's change
	paused  bool
	missed  map[entryKey]bool
}

// report notes that an entry changed, and tells of it.
func (m *model) report(event openflow.FlowEvent, e *openflow.FlowStats) {
	f := &m.monitor
	if f.tell == nil {
		return
	}
	key := entryKey{e.Table, e.Priority, e.Match.Key()}
	switch {
	case f.paused && (event != openflow.FlowDeleted || f.missed[key]):
		f.missed[key] = true
		return
	case f.own != 0 && !f.paused:
		f.tell(openflow.FlowUpdate{Event: openflow.FlowAbbreviated, XID: f.own})
		return
	}
	m.update(event, e, openflow.RemovedDelete)
}

// update tells of a change that is not ours, or that nothing is left out of.
func (m *model) update(event openflow.FlowEvent, e *openflow.FlowStats, why openflow.FlowRemovedReason) {
	u := openflow.FlowUpdate{
		Event: event, Table: e.Table, Priority: e.Priority, Cookie: e.Cookie, Match: openflow.Match{OXM: e.Match.OXM},
		Instructions: e.Instructions, IdleTimeout: e.IdleTimeout, HardTimeout: e.HardTimeout,
	}
	if event == openflow.FlowDeleted {
		u.Reason, u.Instructions = uint16(why), nil
	}
	m.monitor.tell(u)
}

// pause has the monitor leave things out; resume has it catch up.
func (m *model) pause() { m.monitor.paused, m.monitor.missed = true, map[entryKey]bool{} }

func (m *model) resume() {
	f := &m.monitor
	f.paused, f.own = false, 0
	for _, key := range slices.SortedFunc(maps.Keys(f.missed), entryKey.compare) {
		if e := m.entries[key]; e != nil {
			m.report(openflow.FlowModified, e)
		}
	}
}

// tell hands an update to the loop, through bytes.
func (w *wire) tell(u openflow.FlowUpdate) {
	reply := &openflow.MultipartReply{Body: &openflow.FlowUpdateList{Updates: []openflow.FlowUpdate{u}}}
	frame, err := openflow.Append(nil, w.model.version, 0, reply)
	if err != nil {
		panic("the model tells what cannot be said: " + err.Error())
	}
	h, m, err := openflow.Parse(frame)
	if err != nil {
		panic(err)
	}
	if w.log != nil {
		w.log(w.dpid.String() + " -> " + openflow.Text(h, m))
	}
	w.loop.Updates(w.at(), m.(*openflow.MultipartReply).Body.(*openflow.FlowUpdateList))
}
