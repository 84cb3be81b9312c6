package flowsync

import (
	"bytes"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// readingFactor is the cost of a whole reading (receiving, decoding, sorting, comparing) in units
// of decoding and sorting (BenchmarkReading).
const readingFactor = 3

// monitorID is the number of our flow monitor; there is one per connection.
const monitorID = 1

// Updates takes a report of a switch's flow monitor. Nothing of list is kept.
func (l *Loop) Updates(dpid netview.DPID, conn Conn, list *openflow.FlowUpdateList) {
	count, size := 0, inputBytes
	for i := range list.Updates {
		if u := &list.Updates[i]; l.relevant(u) {
			size += sizeOfUpdate(u)
			count++
		}
	}
	if count == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok := l.sessions[dpid]
	if !ok || c.conn != conn || !l.admit(dpid, c, size) {
		return
	}
	changes := make([]Change, 0, count)
	for i := range list.Updates {
		if u := &list.Updates[i]; l.relevant(u) {
			changes = append(changes, changeOf(u))
		}
	}
	l.postLocked(Changed{Address{dpid, c.session}, changes})
}

// relevant reports whether an update matters: our own changes do not, nor do soft entries of this
// run.
func (l *Loop) relevant(u *openflow.FlowUpdate) bool {
	switch {
	case u.Event == openflow.FlowAbbreviated:
		return false
	case plan.Foreign(u.Cookie, l.config.Domain) || !plan.Decode(u.Cookie).Kind.Soft():
		return true
	}
	return u.Event == openflow.FlowDeleted && l.adopted.Load() > 0
}

func changeOf(u *openflow.FlowUpdate) Change {
	match := u.Match.Key()
	return Change{
		Event: u.Event, Match: match,
		Entry: Entry{u.Table, u.Priority, u.Cookie, openflow.Match{OXM: bytes.Clone(u.Match.OXM)},
			cloneInstructions(u.Instructions)},
	}
}

// MonitorPaused takes a notice that a switch's flow monitor omits changes or, if not on, no longer
// does.
func (l *Loop) MonitorPaused(dpid netview.DPID, conn Conn, on bool) {
	l.mu.Lock()
	if c, ok := l.sessions[dpid]; ok && c.conn == conn && l.admit(dpid, c, inputBytes) {
		l.postLocked(Paused{Address{dpid, c.session}, on})
	}
	l.mu.Unlock()
}

// requestMonitor requests a flow monitor of all changes by others.
func (l *Loop) requestMonitor(a Address) {
	conn := l.connOf(a)
	if conn == nil {
		return
	}
	request := &openflow.FlowMonitorRequest{Monitors: []openflow.FlowMonitor{{
		ID: monitorID, Table: openflow.TableAll, OutPort: openflow.PortAny,
		Flags: openflow.MonitorAdd | openflow.MonitorDelete | openflow.MonitorModify | openflow.MonitorActions,
	}}}
	err := conn.Multipart(request, func(body openflow.ReplyBody, err error) {
		if _, ok := body.(*openflow.FlowUpdateList); !ok && err == nil {
			err = errAnswer
		}
		l.post(MonitorAnswer{a, err})
	})
	if err != nil {
		l.post(MonitorAnswer{a, err})
	}
}

// readingCost returns about the processor time of a reading.
func readingCost(sorting time.Duration) time.Duration {
	return max(sorting*readingFactor, time.Microsecond)
}
