package intent

import (
	"strconv"
	"time"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/ruleset"
)

// record is what the catalog keeps of one intent: 56 bytes, and the durable form of its spec.
type record struct {
	content     string // durable form; "" in an unused record
	rules       *ruleset.Set
	pending     *undo // of the first uncommitted change; nil without one
	since       int64 // when state was entered, Unix nanoseconds
	revision    uint64
	state       State
	code        Code
	retrying    bool
	hasText     bool   // catalog.texts has a text
	unprocessed uint16 // commits that the core has not processed: state precedes them
}

// id returns the intent's id, which is part of the content (package spec: the durable form).
func (r *record) id() string { return idOf(r.content) }

func idOf(content string) string {
	const head = 5 // format, kind, priority, length of the id
	return content[head : head+int(content[head-1])]
}

// inFlight reports whether a commit that concerns it is in flight.
func (r *record) inFlight() bool { return r.pending != nil }

// uncommitted reports whether the intent is not durable yet.
func (r *record) uncommitted() bool { return r.pending != nil && r.pending.before.content == "" }

// durable returns the record as of its last commit, with later updates of the core. Changes in
// flight are left out, since they may fail.
func (r *record) durable() record {
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

const recordsInBlock = 1024

// records are stored by number, in blocks that never move.
type records struct{ blocks []*[recordsInBlock]record }

// at returns the record of an allocated number.
func (t *records) at(n uint32) *record { return &t.blocks[n/recordsInBlock][n%recordsInBlock] }

// has reports whether a number is in use.
func (t *records) has(n uint32) bool {
	return int(n/recordsInBlock) < len(t.blocks) && t.at(n).content != ""
}

// reserve makes room for a number.
func (t *records) reserve(n uint32) {
	for int(n/recordsInBlock) >= len(t.blocks) {
		t.blocks = append(t.blocks, new([recordsInBlock]record))
	}
}

func (r *record) intent(n uint32, text string) Intent {
	return Intent{
		Spec: spec.Read(r.content), Number: n, State: r.state, Code: r.code, Text: text, Retrying: r.retrying,
		Since: time.Unix(0, r.since), ETag: etagOf(r.content), Revision: r.revision, Rules: r.rules,
	}
}
