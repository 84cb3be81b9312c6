package intent

import (
	"hash/maphash"
	"strconv"
	"time"

	"github.com/weirnet/weir/program"
)

// record is what is known of one intent outside the core: 56 bytes, and the durable form of its spec.
type record struct {
	content  string // durable form; "" in a record that is not in use
	program  *program.Program
	pending  *undo // of the first change that a commit under way makes; nil: there is none
	since    int64 // of state, nanoseconds since 1970
	revision uint64
	state    State
	code     Code
	retrying bool
	texted   bool   // front.texts has a text
	unseen   uint16 // commits that the core has not taken: the state is of before them
}

// id is the intent's id, as a part of the content (package spec: the durable form).
func (r *record) id() string { return idOf(r.content) }

func idOf(content string) string {
	const head = 5 // format, kind, priority, length of the id
	return content[head : head+int(content[head-1])]
}

// busy reports whether a commit that concerns it is under way.
func (r *record) busy() bool { return r.pending != nil }

// fresh reports whether an intent is not durable yet.
func (r *record) fresh() bool { return r.pending != nil && r.pending.before.content == "" }

// durable is a record that is not fresh as its last commit left it, with what the core has said since. What is under way is not shown: it
// may come to nothing.
func (r *record) durable() record {
	d := *r
	if u := r.pending; u != nil {
		if d.content = u.before.content; u.out.Content == "" { // a withdrawal
			d.state, d.since = u.before.state, u.before.since
		}
	}
	return d
}

// etag is the content's name: FNV-1a, 64 bits, so that it is the same in every life of an instance.
func etagOf(content string) string {
	h := uint64(14695981039346656037)
	for i := range len(content) {
		h = (h ^ uint64(content[i])) * 1099511628211
	}
	return strconv.FormatUint(h, 16)
}

const recordsInBlock = 1024

// records are by number, in blocks: a block never moves.
type records struct{ blocks []*[recordsInBlock]record }

// at is the record of a number that was given out.
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

// intent is a record as readers see it, of a number that is shown.
func (f *front) intent(n uint32) Intent {
	r := f.records.at(n).durable()
	return r.intent(n, f.text(n, &r))
}

// shown reports whether readers see an intent of a number.
func (f *front) shown(n uint32) bool {
	return f.records.has(n) && !f.records.at(n).fresh()
}

func (r *record) intent(n uint32, text string) Intent {
	return Intent{
		Spec: parsed(r.content), Number: n, State: r.state, Code: r.code, Text: text, Retrying: r.retrying,
		Since: time.Unix(0, r.since), ETag: etagOf(r.content), Revision: r.revision, Program: r.program,
	}
}

func (f *front) text(n uint32, r *record) string {
	if r.texted {
		return f.texts[n]
	}
	return ""
}

// lookUp finds an intent by its id; 0 without one.
func (f *front) lookUp(id string) (number uint32) {
	f.ids.find(maphash.String(f.seed, id), func(n uint32) bool {
		if f.records.at(n).id() == id {
			number = n
		}
		return number == 0
	})
	return number
}
