package intent

import (
	"iter"
	"sync"

	"github.com/weirnet/weir/intent/spec"
)

// catalog has all intents: their contents and what readers see of them. Everything in it is guarded by mu,
// which is held for a batch at a time and never across a wait.
type catalog struct {
	mu        sync.Mutex
	records   *records     // the intents
	admission *admission   // which requests are accepted
	requests  *submissions // those that were, on their way to the journal
	shown     *publication // what readers are told
	core      CoreCounts
	closed    bool
}

func newCatalog(c *Config) *catalog {
	x := newRecords(c.Now)
	cat := &catalog{records: x, shown: newPublication(x, c.Events)}
	cat.admission = newAdmission(limits{c.MaxIntents, c.MaxInFlight}, c.View,
		func(n uint32) string { return x.entries.At(n).content })
	cat.requests = &submissions{mu: &cat.mu, config: c, records: x, admission: cat.admission, shown: cat.shown}
	return cat
}

// load adds an intent from the journal, at the start.
func (cat *catalog) load(n uint32, content string, s *spec.Spec) {
	cat.records.last = max(cat.records.last, n)
	cat.records.add(n, s.ID).content = content
	cat.admission.claims.Hold(s, n)
}

// unload undoes load.
func (cat *catalog) unload(n uint32) {
	cat.admission.claims.Release(cat.records.entries.At(n).content, n)
	cat.records.drop(n)
}

// submit admits a batch, or defers it. If it returns an error, nothing was accepted; otherwise the batch's
// done is called once.
func (cat *catalog) submit(b *batch) error {
	cat.mu.Lock()
	finished, err := false, ErrClosed
	if !cat.closed {
		finished, err = cat.requests.submit(b)
	}
	cat.mu.Unlock()
	if finished {
		b.done(b.answers, nil)
	}
	return err
}

// submitParts submits a long list in parts.
func (cat *catalog) submitParts(reqs []Request, done func([]Answer, error)) error {
	p := NewParts(len(reqs), done)
	return p.Submit(func(from, upto int, ended func([]Answer, error)) error {
		return cat.submit(&batch{reqs: reqs[from:upto], answers: p.answers[from:upto:upto], done: ended})
	})
}

// takeCommits takes the commits for the core; room is used for those to come. byHosts are those among them that are
// wide as hosts are now.
func (cat *catalog) takeCommits(room []Commit) (list []Commit, byHosts []uint32) {
	cat.mu.Lock()
	defer cat.mu.Unlock()
	list, cat.requests.commits = cat.requests.commits, room
	for i := range list {
		if n := list[i].Number; cat.admission.claims.ByHosts(n) {
			byHosts = append(byHosts, n)
		}
	}
	return list, byHosts
}

// stepped shows what a step of the core has decided: about these commits, on this network if it has
// changed.
func (cat *catalog) stepped(ready *Ready, commits []Commit, network *NetworkUpdate, counts CoreCounts) {
	cat.mu.Lock()
	defer cat.mu.Unlock()
	if network != nil {
		cat.admission.claims.Learn(network.Resync, network.Changes, network.Snap)
	}
	cat.shown.publish(ready.Updates)
	cat.shown.processed(commits)
	cat.core = counts
}

// close has all requests be refused from now on.
func (cat *catalog) close() {
	cat.mu.Lock()
	cat.closed = true
	cat.mu.Unlock()
}

// get returns the intent of the number that find returns; false if readers see none.
func (cat *catalog) get(find func(*records) uint32) (Intent, bool) {
	cat.mu.Lock()
	n := find(cat.records)
	if !cat.records.visible(n) {
		cat.mu.Unlock()
		return Intent{}, false
	}
	in := cat.records.copyOf(n)
	cat.mu.Unlock()
	return in.intent(), true // outside of the lock, which writers need
}

// copies yields copies of the visible entries in the order of numbers, after one. They are made size
// at a time: concurrent changes may or may not be seen, and no writer is blocked for long. The lock
// is not held during a call of yield.
func (cat *catalog) copies(after uint32, size int) iter.Seq[*entryCopy] {
	return func(yield func(*entryCopy) bool) {
		var page []entryCopy
		for more := true; more; more = after != 0 {
			cat.mu.Lock()
			page, after = cat.records.page(after, size, page[:0])
			cat.mu.Unlock()
			for i := range page {
				if !yield(&page[i]) {
					return
				}
			}
		}
	}
}

// wait registers a waiter for an intent to enter one of some states; w is nil if it is in one
// already.
func (cat *catalog) wait(id string, want []State) (in Intent, n uint32, w *waiter, ok bool) {
	cat.mu.Lock()
	defer cat.mu.Unlock()
	if n = cat.records.find(id); n == 0 {
		return Intent{}, 0, nil, false
	}
	if cat.records.visible(n) {
		seen := cat.records.copyOf(n)
		in = seen.intent()
	}
	for _, s := range want {
		if r := cat.records.entries.At(n); in.State == s && !r.inFlight() && r.unprocessed == 0 {
			return in, n, nil, true
		}
	}
	return in, n, cat.shown.waiters.add(n, want), true
}

// cancelWait removes a waiter.
func (cat *catalog) cancelWait(n uint32, w *waiter) {
	cat.mu.Lock()
	defer cat.mu.Unlock()
	cat.shown.waiters.drop(n, func(other *waiter) bool { return other == w })
}
