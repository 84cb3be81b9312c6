package api

import (
	"bytes"
	"net"
	"net/http"
)

// streamSocket is how many bytes the system keeps for one stream that does not read.
const streamSocket = 64 << 10

// stream is one watcher of events. What it holds does not grow with how far behind it is: it is
// sent blocks of the feed, and a snapshot where it is too far behind for them.
type stream struct {
	s     *Server
	out   *pacedWriter
	kinds kindSet

	next          uint64   // block of the feed
	at            position // everything up to here was sent
	lastID        position // what the client knows as its last event id
	needsSnapshot bool     // what comes next is not known: a snapshot is due
	buf           bytes.Buffer
	failed        bool // the connection is of no use any more
}

func newStream(s *Server, w http.ResponseWriter, r *http.Request, kinds []string) *stream {
	st := &stream{s: s, out: s.paced(w), kinds: kindsOf(kinds)}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok && c != nil && r.ProtoMajor == 1 {
		if tcp, ok := c.Conn.(*net.TCPConn); ok {
			tcp.SetWriteBuffer(streamSocket)
		}
	}
	return st
}

// begin finds the position that the stream goes on from, and answers at once so that the client
// knows it is heard.
func (st *stream) begin(last string) {
	at, next, members := st.s.feed.latest()
	st.at, st.lastID, st.next = at, at, next
	if last == "" {
		st.buf.WriteString("retry: 1000\nid: " + st.s.run.text(at) + "\n\n")
		st.flush()
		return
	}
	p, err := st.s.run.parse(last)
	if err != nil || p.revision > at.revision || p.revision == 0 && p.n > 0 {
		st.needsSnapshot = true
	} else {
		st.buf.WriteString(": resumed\n\n")
	}
	st.flush()
	if !st.needsSnapshot {
		st.catchUp(p, at)
	}
	if !st.needsSnapshot {
		e := &encoder{s: st.s, kinds: st.kinds, at: at, out: st.send}
		e.members(nil, members)
		e.seal()
	}
}

// catchUp sends what came after a position of before the stream began.
func (st *stream) catchUp(from, to position) {
	if st.kinds&kindOf("intent") == 0 {
		from.intents, from.events = to.intents, 0
	}
	e := &encoder{s: st.s, kinds: st.kinds, at: from, out: st.send}
	st.lastID = from
	if st.needsSnapshot = !e.changes(to); st.needsSnapshot {
		return
	}
	e.seal()
}

// step sends all that there is. It is false once the connection is of no use.
func (st *stream) step() bool {
	for !st.failed {
		if st.needsSnapshot {
			st.snapshot()
			continue
		}
		blocks, ok := st.s.feed.next(st.next)
		if st.needsSnapshot = !ok; len(blocks) == 0 && ok {
			break
		}
		for _, b := range blocks {
			st.send(b)
			st.next++
		}
	}
	st.flush()
	return !st.failed
}

// snapshot sends all there is.
func (st *stream) snapshot() {
	st.s.metrics.resets.Inc()
	at, next := st.s.feed.snapshot(st.kinds, st.send, func() bool { return !st.failed })
	st.at, st.lastID, st.next, st.needsSnapshot = at, at, next, false
	st.flush()
}

// send sends what a block has of the stream's kinds.
func (st *stream) send(b *block) {
	if b.kinds&^st.kinds == 0 {
		st.flush()
		st.write(b.bytes)
	} else if b.kinds&st.kinds != 0 {
		begin := 0
		for _, m := range b.marks {
			if m.kind&st.kinds != 0 {
				st.buf.Write(b.bytes[begin:m.end])
			}
			begin = m.end
		}
		st.flush()
	}
	for i := len(b.marks) - 1; i >= 0; i-- {
		if m := b.marks[i]; m.kind&st.kinds != 0 && m.id != (position{}) {
			st.lastID = m.id
			break
		}
	}
	st.at = b.upto
}

// idle keeps a silent connection alive and moves the client's position past changes that were none
// of its kinds.
func (st *stream) idle() {
	if at, end := st.s.feed.end(); st.next == end && !st.needsSnapshot {
		st.at = at
	}
	st.buf.WriteString(": keep-alive\n")
	if st.lastID != st.at {
		st.lastID = st.at
		st.buf.WriteString("id: " + st.s.run.text(st.at) + "\n")
	}
	st.buf.WriteByte('\n')
	st.flush()
}

// flush writes what was gathered.
func (st *stream) flush() {
	if st.buf.Len() > 0 {
		st.write(st.buf.Bytes())
	}
	st.buf.Reset()
}

// write writes. A client that does not take it within Limits.Write is given up.
func (st *stream) write(b []byte) {
	if st.failed {
		return
	}
	st.failed = st.out.send(b) != nil
}
