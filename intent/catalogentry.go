package intent

import (
	"strconv"
	"time"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/ruleset"
)

// catalogEntry is what the catalog keeps of one intent: 56 bytes, and the durable form of its spec.
type catalogEntry struct {
	content     string // durable form; "" in an unused entry
	rules       *ruleset.Set
	pending     *undo // of the first uncommitted change; nil without one
	since       int64 // when state was entered, Unix nanoseconds
	revision    uint64
	state       State
	code        Code
	retrying    bool
	hasText     bool   // records.texts has one: it is not that of the code
	unprocessed uint16 // commits that the core has not processed: state precedes them
}

// id returns the intent's id, which is part of the content (package spec: the durable form).
func (r *catalogEntry) id() string { return idOf(r.content) }

func idOf(content string) string {
	const head = 5 // format, kind, priority, length of the id
	return content[head : head+int(content[head-1])]
}

// inFlight reports whether a commit that concerns it is in flight.
func (r *catalogEntry) inFlight() bool { return r.pending != nil }

// uncommitted reports whether the intent is not durable yet.
func (r *catalogEntry) uncommitted() bool { return r.pending != nil && r.pending.before.content == "" }

// durable returns the entry as of its last commit, with later updates of the core. Changes in
// flight are left out, since they may fail.
func (r *catalogEntry) durable() catalogEntry {
	d := *r
	if u := r.pending; u != nil {
		if d.content = u.before.content; u.commit.Content == "" { // a withdrawal
			d.state, d.since = u.before.state, u.before.since
		}
	}
	return d
}

// etagOf hashes a content with 64-bit FNV-1a, which is the same after every restart.
func etagOf(content string) string {
	h := uint64(14695981039346656037)
	for i := range len(content) {
		h = (h ^ uint64(content[i])) * 1099511628211
	}
	return strconv.FormatUint(h, 16)
}

// entryCopy is a copy of an entry for readers: durable, with its number and text.
type entryCopy struct {
	catalogEntry
	number uint32
	text   string
}

func (r *entryCopy) intent() Intent {
	return Intent{
		Spec: spec.Read(r.content), Number: r.number, State: r.state, Code: r.code, Text: r.text, Retrying: r.retrying,
		Since: time.Unix(0, r.since), ETag: etagOf(r.content), Revision: r.revision, Rules: r.rules,
	}
}
