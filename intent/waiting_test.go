package intent

import (
	"context"
	"testing"
)

// waitNow is what a waiter for installed is told at once: false if nothing.
func (n *network) waitNow(id string) (Intent, bool) {
	n.t.Helper()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	in, err := n.engine.Wait(over, id, Installed)
	return in, err == nil
}

// TestWaitAfterReplacement: who waits after a replacement is durable waits for the new content,
// also before the core has taken it.
func TestWaitAfterReplacement(t *testing.T) {
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: flow("a", at(1, 9), at(4, 9), 1)})
	n.rest()
	n.wantState("a", "installed")
	replace := Request{Op: Replace, Spec: flow("a", at(1, 9), at(4, 10), 1)}
	if a := n.submit(false, replace); a[0].Status != Accepted || a[0].State != Submitted {
		t.Fatalf("answer %+v, want a content that is accepted, and submitted", a[0])
	}
	if a := n.submit(false, replace); a[0].Status != Existing || a[0].State != Submitted {
		t.Fatalf("answer %+v to the same again, before anybody has looked at it", a[0])
	}
	if in, ok := n.waitNow("a"); ok {
		t.Fatalf("told before the new content was looked at: %+v", in)
	}
	_, _, w, _ := n.engine.catalog.wait("a", []State{Installed})
	n.step()
	n.wantState("a", "installing")
	if len(w.found) != 0 {
		t.Fatal("told before the new content was installed")
	}
	if a := n.submit(false, replace); a[0].State != Installing {
		t.Fatalf("answer %+v to the same again, while it is being installed", a[0])
	}
	n.rest()
	if len(w.found) != 1 {
		t.Fatal("not told when the new content was installed")
	}
	if _, ok := n.waitNow("a"); !ok {
		t.Fatal("installed, and not told so")
	}
	// A commit that fails is no new content: who waits is told of the old one.
	if err := n.engine.SubmitAsync([]Request{{Op: Replace, Spec: flow("a", at(1, 9), at(4, 9), 1)}}, false,
		func([]Answer, error) {}); err != nil {
		t.Fatal(err)
	}
	_, number, w, _ := n.engine.catalog.wait("a", []State{Installed})
	if w == nil {
		t.Fatal("told while a commit is under way")
	}
	n.intent.commit(errCommit)
	n.step()
	if len(w.found) != 1 || len(n.engine.catalog.shown.waiters.byNumber[number]) != 0 {
		t.Fatal("not told after a commit that failed")
	}
}

// TestWaitForWhatNeverWas: who waits for an intent whose commit fails is told that there is none,
// and nothing of who gets its number.
func TestWaitForWhatNeverWas(t *testing.T) {
	n := square(t)
	if err := n.engine.SubmitAsync([]Request{{Op: Create, Spec: flow("a", at(1, 9), at(4, 9), 1)}}, false,
		func([]Answer, error) {}); err != nil {
		t.Fatal(err)
	}
	_, _, w, _ := n.engine.catalog.wait("a", []State{Installed})
	n.intent.commit(errCommit)
	n.submit(false, Request{Op: Create, Spec: flow("b", at(1, 9), at(4, 9), 1)})
	n.rest()
	if in, ok := <-w.found; ok {
		t.Fatalf("told of %q", in.Spec.ID)
	}
}
