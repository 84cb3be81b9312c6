package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
)

const (
	streamBatch  = 1024     // changes read from the log at a time
	streamBuffer = 64 << 10 // bytes gathered before a write
)

// stream is one watcher of events. What it holds does not grow with how far behind it is: the next batch is read from the
// view's log when the last one has been written.
type stream struct {
	s     *Server
	w     http.ResponseWriter
	ctl   *http.ResponseController
	kinds []string

	intents bool     // they are watched
	at      position // everything up to here was sent; n is 0 but after begin
	partly  position // the revision of intents that was sent in part when the client came
	told    position // what the client knows as its last event id
	lost    bool     // the position is not in the log: a snapshot is due
	members []client.Member
	buf     bytes.Buffer
	failed  bool // the connection is of no use any more
}

func newStream(s *Server, w http.ResponseWriter, kinds []string) *stream {
	st := &stream{s: s, w: w, ctl: http.NewResponseController(w), kinds: kinds,
		intents: s.cfg.Intents != nil && slices.Contains(kinds, "intent")}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	return st
}

// begin finds the position that the stream goes on from, and answers at once so that the client knows it is heard.
func (st *stream) begin(last string) {
	st.at = st.now()
	if last == "" {
		st.members = st.s.cfg.Members()
		st.told = st.at
		st.buf.WriteString("retry: 1000\nid: " + st.s.epoch.text(st.at) + "\n\n")
	} else if p, err := st.s.epoch.parse(last); err != nil || p.revision > st.at.revision || p.revision == 0 && p.n > 0 {
		st.lost = true
	} else {
		st.at, st.told = p, p
		if p.events > 0 { // the revision comes again, but for what was sent of it
			st.at.intents, st.at.events = p.intents-1, 0
			st.partly = p
		}
		st.buf.WriteString(": resumed\n\n")
	}
	st.flush()
}

// step sends all that is in the log after the position. It is false once the connection is of no use.
func (st *stream) step() bool {
	for !st.failed {
		after := st.at.revision
		if st.at.n > 0 {
			after-- // the rest of a transaction that was sent in part
		}
		changes, upto, ok := st.s.cfg.View.Changes(after, streamBatch)
		if st.lost || !ok {
			st.snapshot()
			continue
		}
		st.put(changes)
		st.at = position{revision: upto, intents: st.at.intents}
		more := st.putIntents() || len(changes) > 0
		st.putMembers()
		st.flush()
		if !more {
			break
		}
	}
	return !st.failed
}

// now is the position that everything has been reached by, without the intents if they are not watched.
func (st *stream) now() position {
	at := st.s.position()
	if !st.intents {
		at.intents = 0
	}
	return at
}

// put sends changes. The id of an event is its place in its transaction, so that a client that lost the connection within
// one gets the rest.
func (st *stream) put(changes []netview.Change) {
	snap := st.s.cfg.View.Snapshot()
	n := 0
	var rev netview.Revision
	for i := range changes {
		c := &changes[i]
		if c.Revision != rev {
			rev, n = c.Revision, 0
		}
		n++
		if rev == st.at.revision && n <= st.at.n || !slices.Contains(st.kinds, c.Kind.String()) {
			continue
		}
		if data := item(snap, c); data != nil {
			st.told = position{revision: rev, n: n, intents: st.at.intents}
			st.event(c.Kind.String(), data, c.Deleted, st.s.epoch.text(st.told))
		}
	}
}

// snapshot sends reset, all rows, and synced. Only the last has an id: a client that loses the connection before it asks
// again from where it was, and gets all again.
func (st *stream) snapshot() {
	st.s.metrics.resets.Inc()
	at := st.now()
	snap := st.s.cfg.View.Snapshot()
	at.revision = snap.Revision()
	head := struct {
		Revision string `json:"revision"`
	}{st.s.epoch.text(at)}
	st.write("reset", head, "", "")
	if slices.Contains(st.kinds, "switch") {
		for row := range snap.Switches() {
			st.event("switch", switchItem(snap, row), false, "")
		}
	}
	if slices.Contains(st.kinds, "link") {
		for row := range snap.Links() {
			st.event("link", linkItem(snap, row), false, "")
		}
	}
	if slices.Contains(st.kinds, "host") {
		for row := range snap.Hosts() {
			st.event("host", hostItem(snap, row), false, "")
		}
	}
	if slices.Contains(st.kinds, "alarm") {
		for row := range snap.Alarms() {
			st.event("alarm", alarmItem(snap, row), false, "")
		}
	}
	st.allIntents()
	st.members = nil
	st.putMembers()
	st.write("synced", head, "", head.Revision)
	st.at, st.told, st.lost = at, at, false
	st.flush()
}

// putMembers sends the members that changed since the last time. They are not in the view's log, so these events have no
// id: a client that resumes gets all members.
func (st *stream) putMembers() {
	if !slices.Contains(st.kinds, "member") {
		return
	}
	now := st.s.cfg.Members()
	for _, m := range now {
		if !slices.Contains(st.members, m) {
			st.event("member", m, false, "")
		}
	}
	for _, old := range st.members {
		if !slices.ContainsFunc(now, func(m client.Member) bool { return m.Name == old.Name }) {
			st.event("member", old, true, "")
		}
	}
	st.members = now
}

// idle keeps a silent connection alive and moves the client's position past changes that were none of its kinds.
func (st *stream) idle() {
	st.buf.WriteString(": keep-alive\n")
	st.tellPosition()
	st.flush()
}

// tellPosition sends an id without an event.
func (st *stream) tellPosition() {
	if st.told != st.at {
		st.told = st.at
		st.buf.WriteString("id: " + st.s.epoch.text(st.at) + "\n")
	}
	st.buf.WriteByte('\n')
}

// event sends a row with its op.
func (st *stream) event(kind string, data any, deleted bool, id string) {
	op := `,"op":"put"}`
	if deleted {
		op = `,"op":"delete"}`
	}
	st.write(kind, data, op, id)
}

// write sends one event. Data is a JSON object; if op is not empty it takes the place of its last brace.
func (st *stream) write(kind string, data any, op, id string) {
	b, err := json.Marshal(data)
	if err != nil {
		panic("api: event that is no JSON: " + err.Error())
	}
	if op != "" {
		b = append(b[:len(b)-1], op...)
	}
	if id != "" {
		st.buf.WriteString("id: " + id + "\n")
	}
	st.buf.WriteString("event: " + kind + "\ndata: ")
	st.buf.Write(b)
	st.buf.WriteString("\n\n")
	if st.buf.Len() >= streamBuffer {
		st.flush()
	}
}

// flush writes what was gathered. A client that does not take it within Limits.Write is given up.
func (st *stream) flush() {
	if st.failed || st.buf.Len() == 0 {
		st.buf.Reset()
		return
	}
	st.ctl.SetWriteDeadline(deadline(st.s.cfg.Limits.Write))
	if _, err := st.w.Write(st.buf.Bytes()); err != nil || st.ctl.Flush() != nil {
		st.failed = true
	}
	st.buf.Reset()
}
