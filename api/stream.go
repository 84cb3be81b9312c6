package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
)

// streamSocket is how many bytes the system keeps for one stream that does not read.
const streamSocket = 64 << 10

// stream is one watcher of events. What it holds does not grow with how far behind it is: it is
// sent blocks of the feed, and a snapshot where it is too far behind for them.
type stream struct {
	feed   *feed
	out    *rest.PacedWriter
	resets prometheus.Counter // snapshots that were sent
	kinds  kindSet

	next          uint64            // block of the feed
	at            revision.Position // everything up to here was sent
	lastID        revision.Position // what the client knows as its last event id
	needsSnapshot bool              // what comes next is not known: a snapshot is due
	buf           bytes.Buffer
	failed        bool        // the connection is of no use any more
	ended         atomic.Bool // nothing more is to be sent but why
}

func newStream(f *feed, out *rest.PacedWriter, resets prometheus.Counter, kinds []string) *stream {
	return &stream{feed: f, out: out, resets: resets, kinds: kindsOf(kinds)}
}

// answer sets the headers, and how much the system keeps of it.
func (st *stream) answer(r *http.Request) {
	h := st.out.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	if tcp := rest.TCPOf(r); tcp != nil && r.ProtoMajor == 1 {
		tcp.SetWriteBuffer(streamSocket)
	}
}

// text returns a position as clients see it.
func (st *stream) text(p revision.Position) string { return st.feed.from.revisions.Run.Text(p) }

// begin finds the position that the stream goes on from, and answers at once so that the client
// knows it is heard.
func (st *stream) begin(last string) {
	at, next, members := st.feed.latest()
	st.at, st.lastID, st.next = at, at, next
	if last == "" {
		st.buf.WriteString("retry: 1000\nid: " + st.text(at) + "\n\n")
		st.flush()
		return
	}
	p, err := st.feed.from.revisions.Run.Parse(last)
	if err != nil || p.Revision > at.Revision || p.Revision == 0 && p.N > 0 {
		st.needsSnapshot = true
	} else {
		st.buf.WriteString(": resumed\n\n")
	}
	st.flush()
	if !st.needsSnapshot {
		st.catchUp(p, at)
	}
	if !st.needsSnapshot {
		e := &encoder{from: st.feed.from, kinds: st.kinds, at: at, out: st.send}
		e.members(nil, members)
		e.seal()
	}
}

// catchUp sends what came after a position of before the stream began.
func (st *stream) catchUp(from, to revision.Position) {
	if st.kinds&kindOf("intent") == 0 {
		from.Intents, from.Events = to.Intents, 0
	}
	e := &encoder{from: st.feed.from, kinds: st.kinds, at: from, out: st.send}
	st.lastID = from
	if st.needsSnapshot = !e.changes(to); st.needsSnapshot {
		return
	}
	e.seal()
}

// step sends all that there is. It is false once the connection is of no use.
func (st *stream) step() bool {
	for st.open() {
		if st.needsSnapshot {
			st.snapshot()
			continue
		}
		blocks, ok := st.feed.next(st.next)
		if st.needsSnapshot = !ok; len(blocks) == 0 && ok {
			break
		}
		for _, b := range blocks {
			st.send(b)
			st.next++
		}
	}
	st.flush()
	return st.open()
}

func (st *stream) open() bool { return !st.failed && !st.ended.Load() }

// lastWrite is how long the last write to a client may take whose token is over.
const lastWrite = time.Second

// end has nothing more sent of the network, from any goroutine; run returns.
func (st *stream) end(*rest.Refusal) {
	st.ended.Store(true)
	st.out.Hurry(lastWrite)
}

// refuse says why the stream ends.
func (st *stream) refuse(why *rest.Refusal) {
	data, _ := json.Marshal(why.Problem())
	st.buf.Reset()
	st.buf.WriteString("event: problem\ndata: " + string(data) + "\n\n")
	st.flush()
}

// snapshot sends all there is.
func (st *stream) snapshot() {
	st.resets.Inc()
	at, next := st.feed.snapshot(st.kinds, st.send, st.open)
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
		if m := b.marks[i]; m.kind&st.kinds != 0 && m.id != (revision.Position{}) {
			st.lastID = m.id
			break
		}
	}
	st.at = b.upto
}

// idle keeps a silent connection alive and moves the client's position past changes that were none
// of its kinds.
func (st *stream) idle() {
	if at, end := st.feed.end(); st.next == end && !st.needsSnapshot {
		st.at = at
	}
	st.buf.WriteString(": keep-alive\n")
	if st.lastID != st.at {
		st.lastID = st.at
		st.buf.WriteString("id: " + st.text(st.at) + "\n")
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
	st.failed = st.out.Send(b) != nil
}
