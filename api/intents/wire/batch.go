package wire

import (
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/topology"
)

// MaxItem is the longest line, and the longest protobuf message, in bytes.
const MaxItem = 64 << 10

// Slot is one item of a batch: a request, or why it is none.
type Slot struct {
	Request int    // index in Requests; -1: refused
	Line    int    // of the stream or the body, from 1; 0 in protobuf
	ID      string // of a refused request, as far as it was read
	Reason  string // of a refused request
}

// Batch is requests that are handed on together. The zero Batch is empty.
type Batch struct {
	Requests []intent.Request
	Slots    []Slot

	// What the requests' specs are made of. Slices that outgrow them are left to the requests that
	// have them.
	ends []spec.End
	hops []topology.Hop
	oxm  []byte

	scratch intent.Request // that is being read
}

// Reset empties the batch, to be filled again: its requests must not be in use any more.
func (b *Batch) Reset() {
	clear(b.Requests)
	clear(b.Slots)
	b.Requests, b.Slots = b.Requests[:0], b.Slots[:0]
	b.ends, b.hops, b.oxm = b.ends[:0], b.hops[:0], b.oxm[:0]
}

// add takes a request that was read, if nothing is wrong with it, and refuses it otherwise. It is
// checked here and nowhere else, on the caller's goroutine, so that its receiver finds it in its one
// form.
func (b *Batch) add(r *intent.Request, line int, err error) {
	if err == nil {
		err = check(r)
	}
	if err != nil {
		id := r.Spec.ID
		if r.Op == intent.Withdraw {
			id = r.ID
		}
		if spec.CheckID(id) != nil {
			id = ""
		}
		b.Refuse(id, line, err.Error())
		return
	}
	b.Slots = append(b.Slots, Slot{Request: len(b.Requests), Line: line})
	b.Requests = append(b.Requests, *r)
}

// Refuse adds an item that is no request.
func (b *Batch) Refuse(id string, line int, reason string) {
	b.Slots = append(b.Slots, Slot{Request: -1, Line: line, ID: id, Reason: reason})
}

func check(r *intent.Request) error {
	if err := checkTexts(r); err != nil {
		return err
	}
	if r.IfMatch != "" && r.Op == intent.Create {
		return &spec.Error{Field: "if_match", Given: "an etag", Want: "none with op create: op put replaces"}
	}
	if r.Op == intent.Withdraw {
		if r.ID == "" {
			return &spec.Error{Field: "id", Given: "nothing", Want: "the id of the intent to withdraw"}
		}
		return spec.CheckID(r.ID)
	}
	if r.Op == intent.Replace && r.Spec.ID == "" {
		return &spec.Error{Field: "id", Given: "nothing", Want: "the id of the intent to put"}
	}
	err := r.Spec.Check()
	r.Checked = err == nil
	return err
}
