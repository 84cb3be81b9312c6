package intent

import (
	"hash/maphash"
	"strconv"
	"time"

	"github.com/weirnet/weir/program"
)

// record is what is known of one intent outside the core: 64 bytes, and the durable form of its spec.
type record struct {
	content  string // durable form; "" in a record that is not in use
	program  *program.Program
	since    int64 // of state, nanoseconds since 1970
	revision uint64
	state    State
	code     Code
	retrying bool
	busy     bool   // a commit that concerns it is under way
	texted   bool   // front.texts has a text
	unseen   uint16 // commits that the core has not taken: the state is of before them
}

// id is the intent's id, as a part of the content (package spec: the durable form).
func (r *record) id() string { return idOf(r.content) }

func idOf(content string) string {
	const head = 5 // format, kind, priority, length of the id
	return content[head : head+int(content[head-1])]
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

// has tells whether a number is in use.
func (t *records) has(n uint32) bool {
	return int(n/recordsInBlock) < len(t.blocks) && t.at(n).content != ""
}

// reserve makes room for a number.
func (t *records) reserve(n uint32) {
	for int(n/recordsInBlock) >= len(t.blocks) {
		t.blocks = append(t.blocks, new([recordsInBlock]record))
	}
}

// intent is a record as readers see it.
func (f *front) intent(n uint32) Intent {
	r := f.records.at(n)
	return r.intent(n, f.text(n, r))
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
