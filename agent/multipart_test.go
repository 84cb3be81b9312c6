package agent

import (
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestRefusedParts: of a request in parts that is refused no part is taken for a request, and the next one with its
// transaction id is taken.
func TestRefusedParts(t *testing.T) {
	a := New(nil)
	part := func(xid uint32, more bool) (whole bool, err error) {
		m := &openflow.MultipartRequest{Body: &openflow.TableFeaturesList{Tables: make([]openflow.TableFeatures, 1)}}
		if more {
			m.Flags = openflow.MultipartMore
		}
		got, err := a.Assemble(openflow.Header{XID: xid}, m)
		return got != nil && err == nil, err
	}
	for xid := range uint32(maxPartial) {
		if whole, err := part(xid, true); whole || err != nil {
			t.Fatalf("the first part of request %d: %t, %v", xid, whole, err)
		}
	}
	if _, err := part(99, true); err == nil {
		t.Fatal("one request in parts more than there may be is taken")
	}
	for _, more := range []bool{true, false} {
		if whole, err := part(99, more); whole || err != nil {
			t.Errorf("a later part of the refused request (more %t): whole %t, %v", more, whole, err)
		}
	}
	if whole, err := part(99, false); !whole || err != nil {
		t.Errorf("a request of one part afterwards: whole %t, %v", whole, err)
	}
	if whole, err := part(3, false); !whole || err != nil {
		t.Errorf("the last part of one that was taken: whole %t, %v", whole, err)
	}
}
