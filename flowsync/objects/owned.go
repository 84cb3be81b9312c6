package objects

import (
	"encoding/binary"

	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset/object"
)

// A switch lists no owners: of two groups, or meters, with one content it does not say which is whose. So one that is an owner's
// has a number that follows from its digest, if that is free, and is found again under it after a restart. It is only proposed
// until the object is there: what the switch lists under it otherwise is something else.

// propose gives a row such a number. A group that uses others has none: the switch lists these by number.
func (t *rows) propose(r *row) {
	first, last, ok := plan.SharedNumbers(t.config.Domain)
	if !ok || object.Owner(r.content) == 0 || len(r.content.Uses()) > 0 {
		return
	}
	n := first + binary.BigEndian.Uint32(r.content.Digest()[:])%(last-first+1)
	if t.byNumber[r.kind][n] == nil {
		t.number(r, n)
		r.proposed = true
	}
}

// yield takes the number of a row that is only proposed, and under which the switch lists something else.
func (t *rows) yield(r *row) {
	delete(t.byNumber[r.kind], r.number)
	r.number, r.proposed = 0, false
	t.renumbered++
}

// Owned returns the objects that have owners and that the switch has.
func (t *rows) Owned() (list []object.Held) {
	for _, r := range t.byContent {
		if object.Owner(r.content) != 0 && r.held == it && r.number != 0 {
			list = append(list, object.Held{Object: r.content, Number: r.number, Since: r.since})
		}
	}
	return list
}
