package api

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/render"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
)

const (
	streamBatch = 1024     // changes, and rows of a snapshot, that are read at a time
	blockBytes  = 64 << 10 // of a block, about
)

// kindSet is a set of eventKinds, a bit each.
type kindSet uint8

const allKinds = kindSet(1<<6 - 1)

func kindsOf(names []string) (set kindSet) {
	for _, name := range names {
		set |= kindOf(name)
	}
	return set
}

// kindOf returns the bit of a kind; reset and synced have all.
func kindOf(name string) kindSet {
	if i := slices.Index(eventKinds, name); i >= 0 {
		return 1 << i
	}
	return allKinds
}

// block is events, encoded once for all streams. It is not changed after it was made.
type block struct {
	bytes []byte
	marks []eventEnd
	kinds kindSet
	upto  revision.Position // everything up to here is in this block and those before it
}

// eventEnd is the end of an event in a block.
type eventEnd struct {
	end  int
	kind kindSet
	id   revision.Position // zero: the event has none
}

// encoder makes blocks. Who has it gets them by out as they are full; seal ends the last.
type encoder struct {
	from  *source
	kinds kindSet // others are left out
	last  bool    // of changes of one intent that are read together only the last is taken
	at    revision.Position
	b     *block
	out   func(*block)
}

func (e *encoder) seal() {
	if e.b != nil {
		e.b.upto = e.at
		e.out(e.b)
	}
	e.b = nil
}

// event encodes a row with its op; id is its position, or zero.
func (e *encoder) event(kind string, data any, deleted bool, id revision.Position) {
	op := `,"op":"put"}`
	if deleted {
		op = `,"op":"delete"}`
	}
	e.write(kind, data, op, id)
}

// write encodes an event. Data is a JSON object; if op is not empty it takes the place of its last
// brace.
func (e *encoder) write(kind string, data any, op string, id revision.Position) {
	if e.b != nil && len(e.b.bytes) >= blockBytes {
		e.seal()
	}
	if e.b == nil {
		e.b = &block{bytes: make([]byte, 0, 4<<10)}
	}
	text, err := json.Marshal(data)
	if err != nil {
		panic("api: event that is no JSON: " + err.Error())
	}
	if op != "" {
		text = append(text[:len(text)-1], op...)
	}
	b := bytes.NewBuffer(e.b.bytes)
	if id != (revision.Position{}) {
		b.WriteString("id: " + e.from.revisions.Run.Text(id) + "\n")
	}
	b.WriteString("event: " + kind + "\ndata: ")
	b.Write(text)
	b.WriteString("\n\n")
	e.b.bytes = b.Bytes()
	own := kindOf(kind)
	e.b.marks = append(e.b.marks, eventEnd{len(e.b.bytes), own, id})
	e.b.kinds |= own
	e.from.encoded.Inc()
}

// changes encodes what changed from the encoder's position, which may be in a transaction, up to
// another one. It is false where the logs do not reach back so far.
func (e *encoder) changes(to revision.Position) bool {
	from := e.at
	if from.Events > 0 { // the revision comes again, but for what was sent of it
		e.at.Intents--
	}
	e.at.Events = 0
	return e.viewChanges(from, to) && e.intentChanges(from, to)
}

// viewChanges encodes changes of the view. The id of an event is its place in its transaction, so
// that a client that lost the connection within one gets the rest.
func (e *encoder) viewChanges(from, to revision.Position) bool {
	after := from.Revision
	if from.N > 0 {
		after--
	}
	var rev netview.Revision
	n := 0
	for after < to.Revision {
		list, upto, ok := e.from.view.Changes(after, streamBatch)
		if !ok {
			return false
		}
		snap := e.from.view.Snapshot()
		for i := range list {
			c := &list[i]
			if c.Revision > to.Revision {
				break
			}
			if n++; c.Revision != rev {
				rev, n = c.Revision, 1
			}
			if rev == from.Revision && n <= from.N || e.kinds&kindOf(c.Kind.String()) == 0 {
				continue
			}
			e.at.Revision, e.at.N = rev, n
			if data := e.from.item(snap, c); data != nil {
				e.event(c.Kind.String(), data, c.Deleted, e.at)
			}
		}
		after = upto
	}
	e.at.Revision, e.at.N = to.Revision, 0
	return true
}

// intentChanges encodes changes of intents, likewise.
func (e *encoder) intentChanges(from, to revision.Position) bool {
	if e.from.intents == nil || e.kinds&kindOf("intent") == 0 {
		e.at.Intents = to.Intents
		return true
	}
	for e.at.Intents < to.Intents {
		list, upto, ok := e.from.intents.Changes(e.at.Intents, streamBatch)
		if !ok {
			return false
		}
		newest := map[string]int{}
		for i := range list {
			if e.last && list[i].Revision <= to.Intents {
				newest[list[i].Intent.Spec.ID] = i
			}
		}
		n := 0
		for i := range list {
			c := &list[i]
			if n++; i > 0 && list[i-1].Revision != c.Revision {
				n = 1
			}
			if c.Revision > to.Intents {
				break
			}
			if c.Stale || c.Revision == from.Intents && n <= from.Events || e.last && newest[c.Intent.Spec.ID] > i {
				continue
			}
			id := revision.Position{Revision: e.at.Revision, Intents: c.Revision, Events: n}
			if i+1 == len(list) || list[i+1].Revision != c.Revision {
				id.Events = 0
			}
			e.intent(c, id)
		}
		e.at.Intents = min(upto, to.Intents)
	}
	return true
}

func (e *encoder) intent(c *intent.Change, id revision.Position) {
	item := render.Intent(&c.Intent)
	if c.Gone {
		item = render.Gone(&c.Intent)
	}
	e.event("intent", item, c.Gone, id)
}

// members encodes the members that differ from those before. They are in no log, so these events
// have no id.
func (e *encoder) members(before, now []client.Member) {
	if e.kinds&kindOf("member") == 0 {
		return
	}
	for _, m := range now {
		if !slices.Contains(before, m) {
			e.event("member", m, false, revision.Position{})
		}
	}
	for _, old := range before {
		if !slices.ContainsFunc(now, func(m client.Member) bool { return m.Name == old.Name }) {
			e.event("member", old, true, revision.Position{})
		}
	}
}

// snapshot encodes reset, all rows, and synced. Only the last has an id: a client that loses the
// connection before it asks again from where it was, and gets all again. more is asked between two
// parts, and false ends it.
func (e *encoder) snapshot(members []client.Member, more func() bool) {
	snap := e.from.view.Snapshot()
	head := struct {
		Revision string `json:"revision"`
	}{e.from.revisions.Run.Text(e.at)}
	e.write("reset", head, "", revision.Position{})
	encodeRows(e, "switch", snap, snap.Switches(), render.Switch)
	encodeRows(e, "link", snap, snap.Links(), render.Link)
	encodeRows(e, "host", snap, snap.Hosts(), render.Host)
	encodeRows(e, "alarm", snap, snap.Alarms(), alarmItem(e.from.instance))
	e.allIntents(more)
	e.members(nil, members)
	e.write("synced", head, "", e.at)
	e.seal()
}

// encodeRows encodes all rows of a kind.
func encodeRows[R, T any](e *encoder, kind string, snap *netview.Snapshot, rows iter.Seq[R],
	item func(*netview.Snapshot, R) T) {
	if e.kinds&kindOf(kind) == 0 {
		return
	}
	for row := range rows {
		e.event(kind, item(snap, row), false, revision.Position{})
	}
}

// allIntents encodes all intents, a part at a time.
func (e *encoder) allIntents(more func() bool) {
	if e.from.intents == nil || e.kinds&kindOf("intent") == 0 {
		return
	}
	for after := uint32(0); more(); {
		list, next := e.from.intents.List(after, streamBatch, nil)
		for i := range list {
			e.event("intent", render.Intent(&list[i]), false, revision.Position{})
		}
		if after = next; next == 0 {
			return
		}
	}
}
