package flowsync

import (
	"bytes"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// readingFactor is how many times the time that decoding and sorting a listing takes the whole reading costs: comparing and receiving the bytes come
// to that (BenchmarkReading).
const readingFactor = 3

// monitorID is the number of our flow monitor; there is one on a connection.
const monitorID = 1

// Updates hands over what a switch's flow monitor tells. What list points to is not kept.
func (l *Loop) Updates(dpid netview.DPID, conn Conn, list *openflow.FlowUpdateList) {
	count, size := 0, inputBytes
	for i := range list.Updates {
		if u := &list.Updates[i]; l.news(u) {
			size += sizeOfUpdate(u)
			count++
		}
	}
	if count == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok := l.current[dpid]
	if !ok || c.conn != conn || !l.admit(dpid, c, size) {
		return
	}
	changes := make([]Change, 0, count)
	for i := range list.Updates {
		if u := &list.Updates[i]; l.news(u) {
			changes = append(changes, changeOf(u))
		}
	}
	l.put(Changed{dpid, c.session, changes})
}

// news says whether an update is of interest: our own changes are not, nor what happens to soft entries of this life.
func (l *Loop) news(u *openflow.FlowUpdate) bool {
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
		Entry: Entry{u.Table, u.Priority, u.Cookie, openflow.Match{OXM: bytes.Clone(u.Match.OXM)}, cloneInstructions(u.Instructions)},
	}
}

// MonitorPaused hands over the news that a switch's flow monitor leaves changes out, or, if not on, no longer.
func (l *Loop) MonitorPaused(dpid netview.DPID, conn Conn, on bool) {
	l.mu.Lock()
	if c, ok := l.current[dpid]; ok && c.conn == conn && l.admit(dpid, c, inputBytes) {
		l.put(Paused{dpid, c.session, on})
	}
	l.mu.Unlock()
}

// monitor asks a switch for a flow monitor of all changes by others.
func (l *Loop) monitor(a Address) {
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
		l.answer(Monitoring{a.DPID, a.Session, err})
	})
	if err != nil {
		l.answer(Monitoring{a.DPID, a.Session, err})
	}
}

// cost is what a reading cost of a processor, about: decoding and sorting took so long.
func cost(sorting time.Duration) time.Duration { return max(sorting*readingFactor, time.Microsecond) }
