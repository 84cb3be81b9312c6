package intent

import "testing"

// TestPendingIsNotShown: readers see what is durable. What is under way to the journal is not
// shown: not a new intent, not a new content, not a withdrawal; and it is as soon as it is durable,
// or never where the commit fails.
func TestPendingIsNotShown(t *testing.T) {
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: flow("a", at(1, 9), at(4, 9), 1)},
		Request{Op: Create, Spec: flow("b", at(1, 9), at(4, 9), 2)})
	n.rest()
	etag := func() string { in, _ := n.engine.Get("a"); return in.ETag }
	before := etag()
	shown := func() (ids string) {
		list, _ := n.engine.List(0, 10, nil)
		for _, in := range list {
			ids += in.Spec.ID + ":" + in.State.String() + " "
		}
		return ids
	}
	for _, end := range []error{errCommit, nil} {
		if err := n.engine.SubmitAsync([]Request{
			{Op: Create, Spec: flow("new", at(1, 9), at(4, 9), 3)},
			{Op: Replace, Spec: flow("a", at(1, 9), at(4, 10), 1)}, {Op: Withdraw, ID: "b"},
		}, false, func([]Answer, error) {}); err != nil {
			t.Fatal(err)
		}
		n.step()
		if got := shown(); got != "a:installed b:installed " || etag() != before || n.state("new") != "none" ||
			n.state("b") != "installed" {
			t.Errorf("before the commit: %q, %s, new is %s, b is %s", got, etag(), n.state("new"), n.state("b"))
		}
		n.intent.commit(end)
		if end != nil && (shown() != "a:installed b:installed " || etag() != before) {
			t.Errorf("after a commit that failed: %q, %s", shown(), etag())
		}
	}
	if got := shown(); etag() == before || n.state("new") != "submitted" || n.state("b") != "withdrawing" {
		t.Errorf("after the commit: %q, %s", got, etag())
	}
	n.rest()
	if got := shown(); got != "a:installed new:installed " {
		t.Errorf("at rest: %q", got)
	}
}
