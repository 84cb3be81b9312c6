package report

import (
	"errors"
	"testing"
)

// TestSelfChecksOfEachForm: a result that is near its own self-check says so, times and rates
// alike, and one whose self-check failed is none.
func TestSelfChecksOfEachForm(t *testing.T) {
	r := &Report{}
	add := func(subject, unit string, v float64, own bool) *Result {
		x := r.Add(subject)
		x.SelfCheck = own
		x.Take("it", unit, v)
		return x
	}
	slow, near, lost := add("json", "ms", 20, false), add("ndjson", "ms", 5.2, false), add("protobuf", "ms", 9, false)
	add("json, null", "ms", 5, true)
	add("ndjson, null", "ms", 5, true)
	add("protobuf, null", "ms", 5, true).Refuse(errors.New("late"))
	r.Finish()
	r.ApplySelfChecks()
	if len(slow.Notes) != 0 || len(near.Notes) != 1 || lost.Refused == "" || slow.Refused != "" {
		t.Errorf("%+v, %+v, %+v", slow, near, lost)
	}
	r = &Report{}
	low, high := add(Weir, "/s", 5, false), add("other", "/s", 9.5, false)
	add(NullInstance, "/s", 10, true)
	r.Finish()
	if r.ApplySelfChecks(); len(low.Notes) != 0 || len(high.Notes) != 1 {
		t.Errorf("%+v, %+v", low, high)
	}
}
