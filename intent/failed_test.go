package intent

import (
	"maps"
	"testing"

	"github.com/weirnet/weir/netview"
)

// TestFailedByCode: counts are of those that have failed, on every page of the records.
func TestFailedByCode(t *testing.T) {
	n := square(t)
	const many = pageNumbers + 10
	reqs := make([]Request, 0, many)
	for i := range uint32(many) {
		from := at(1, 9)
		if i%2 == 1 {
			from = at(3, 9) // on the side of at(4, 9)
		}
		reqs = append(reqs, Request{Op: Create, Spec: flow("", from, at(4, 9), i)})
	}
	n.submit(false, reqs...)
	n.rest()
	if got := n.engine.Failed(); len(got) != 0 {
		t.Fatalf("failed: %v, want none", got)
	}
	for _, via := range []netview.DPID{2, 3} {
		n.put(link(1, uint32(via)-1, via, 1), false, netview.LinkConfirmed)
	}
	n.rest()
	if got := n.engine.Failed(); !maps.Equal(got, map[Code]int{NoPath: many / 2}) {
		t.Fatalf("failed: %v, want %d no-path", got, many/2)
	}
}
