package intent

import (
	"maps"
	"testing"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// TestAdmissionAlone: admission judges by what it is given, and changes nothing before hold and
// release.
func TestAdmissionAlone(t *testing.T) {
	contents := make(map[uint32]string)
	adm := newAdmission(limits{intents: 10, inFlight: 5}, netview.New(netview.Limits{}),
		func(n uint32) string { return contents[n] })
	judge := func(r Request, was existing) Answer {
		s := r.Spec
		return adm.judge(&r, &s, was)
	}
	first, second := flow("first", at(1, 9), at(4, 9), 1), flow("second", at(1, 9), at(3, 9), 1)
	for range 2 { // the first judgement leaves nothing behind
		for _, r := range []Request{{Op: Create, Spec: first}, {Op: Create, Spec: second}} {
			if a := judge(r, existing{}); a.Status != Accepted || a.State != Submitted {
				t.Fatalf("%s: %+v", r.Spec.ID, a)
			}
		}
	}
	contents[1] = string(first.Append(nil))
	adm.claims.Hold(&first, 1)
	was := existing{number: 1, content: contents[1], state: Installed, revision: 7}
	gone := was
	gone.state = Withdrawing
	for _, c := range []struct {
		name string
		r    Request
		was  existing
		want Status
	}{
		{"its packets are another's", Request{Op: Create, Spec: second}, existing{}, Conflict},
		{"the same", Request{Op: Create, Spec: first}, was, Existing},
		{"no intent to match", Request{Op: Replace, Spec: first, IfMatch: "*"}, existing{}, Mismatched},
		{"replaced meanwhile", Request{Op: Withdraw, ID: "first", IfMatch: "stale"}, was, Mismatched},
		{"withdrawn", Request{Op: Withdraw, ID: "first"}, was, Accepted},
		{"withdrawn before", Request{Op: Withdraw, ID: "first"}, gone, Existing},
		{"being withdrawn", Request{Op: Replace, Spec: first}, gone, Conflict},
		{"unknown", Request{Op: Withdraw, ID: "third"}, existing{}, NotFound},
	} {
		if a := judge(c.r, c.was); a.Status != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, a.Status, c.want, a.Text)
		}
	}
	wrong := first
	wrong.ID, wrong.Priority, wrong.Selector = "wrong", spec.PriorityMax+1, second.Selector
	for checked, want := range map[bool]Status{false: Invalid, true: Accepted} {
		if a := judge(Request{Op: Create, Spec: wrong, Checked: checked}, existing{}); a.Status != want {
			t.Errorf("one that cannot be served, checked before: %t: %s, want %s", checked, a.Status, want)
		}
	}
	adm.claims.Release(contents[1], 1)
	if a := judge(Request{Op: Create, Spec: second}, existing{}); a.Status != Accepted {
		t.Errorf("after the release: %s: %s", a.Status, a.Text)
	}
	reqs := make([]Request, 3)
	got := make(map[[2]int]bool)
	for _, n := range [][2]int{{0, 7}, {0, 8}, {2, 7}, {3, 7}} {
		got[n] = adm.overload(reqs, n[0], n[1]) != nil
	}
	if want := map[[2]int]bool{{0, 7}: false, {0, 8}: true, {2, 7}: false, {3, 7}: true}; !maps.Equal(got, want) {
		t.Errorf("overload by requests in flight and intents: %v, want %v", got, want)
	}
}
