package intent

import (
	"sync"
	"sync/atomic"
)

// Engine is the intents of an instance. Its methods may be called by any goroutine.
type Engine struct {
	config Config
	front  *front

	mu       sync.Mutex // guards what follows
	outcomes []Outcome
	asks     []func(*Core)
	over     bool

	turns atomic.Uint64 // that Run has done

	wake chan struct{} // holds one token while there may be something to do
	done chan struct{}

	// Owned by Run, or by who calls Turn.
	core     *Core
	follow   follower
	commits  []Commit // of the last turn, kept for their memory
	heard    []Outcome
	decision recorder
}

// New returns an engine that holds nothing yet: Load comes first, if there is something to load.
func New(c Config) *Engine {
	c.withDefaults()
	e := &Engine{config: c, wake: make(chan struct{}, 1), done: make(chan struct{})}
	e.config.wake = e.ring
	e.withClock()
	e.front = newFront(&e.config)
	e.core = NewCore()
	e.follow.view = c.View
	e.decision.journal = c.Decisions
	return e
}

// SubmitAsync takes requests; an error says that none was taken. Else done is called once, with an answer for each, in their order, when
// all that is accepted is durable, or with the error because of which nothing is. An atomic batch is taken whole or not at all. The requests belong to
// the engine. done must not block; it may be called before SubmitAsync returns. Of a list that is longer than RequestsTogether and not atomic some may be durable though done is told
// an error: those have a status in the answers.
func (e *Engine) SubmitAsync(reqs []Request, atomic bool, done func([]Answer, error)) error {
	if !atomic && len(reqs) > RequestsTogether {
		return e.submitParts(reqs, done)
	}
	return e.submit(&batch{reqs: reqs, atomic: atomic, done: done})
}

func (e *Engine) submit(b *batch) error {
	e.front.mu.Lock()
	finished, err := e.front.submit(b)
	e.front.mu.Unlock()
	if finished {
		b.done(b.answers, nil)
	}
	return err
}

// RequestsTogether is how many requests are admitted while nobody else can be: so many of the largest fit into one append to the journal.
const RequestsTogether = 200

// submitParts takes a long list of requests in parts. If some are not taken after others were, their answers are missing at the end: done is told the
// error.
func (e *Engine) submitParts(reqs []Request, done func([]Answer, error)) error {
	g := &gathering{done: done, answers: make([]Answer, len(reqs))}
	g.open.Store(1)
	for at := 0; at < len(reqs); at += RequestsTogether {
		part := reqs[at:min(at+RequestsTogether, len(reqs))]
		g.open.Add(1)
		if err := e.submit(&batch{reqs: part, done: func(a []Answer, err error) { g.take(at, a, err) }}); err != nil {
			if at == 0 {
				return err
			}
			g.take(at, nil, err)
			break
		}
	}
	g.take(0, nil, nil)
	return nil
}

// gathering puts the answers of parts together.
type gathering struct {
	done    func([]Answer, error)
	answers []Answer
	open    atomic.Int32 // parts without answers, and one while parts are made

	mu  sync.Mutex
	err error
}

func (g *gathering) take(at int, answers []Answer, err error) {
	g.mu.Lock()
	copy(g.answers[at:], answers)
	if g.err == nil {
		g.err = err
	}
	g.mu.Unlock()
	if g.open.Add(-1) == 0 {
		g.done(g.answers, g.err)
	}
}

// Get is an intent by its id.
func (e *Engine) Get(id string) (Intent, bool) {
	f := e.front
	f.mu.Lock()
	n := f.lookUp(id)
	if n == 0 || !f.shown(n) {
		f.mu.Unlock()
		return Intent{}, false
	}
	r := f.records.at(n).durable()
	text := f.text(n, &r)
	f.mu.Unlock()
	return r.intent(n, text), true
}

// Number is an intent by its number, which is in the cookies of its rules.
func (e *Engine) Number(n uint32) (Intent, bool) {
	f := e.front
	f.mu.Lock()
	defer f.mu.Unlock()
	if n == 0 || !f.shown(n) {
		return Intent{}, false
	}
	return f.intent(n), true
}

// List are intents in the order of their numbers, from the one after a number (0 to begin with), at most limit of those that keep wants (nil: all). next is
// the number to go on after, 0 at the end. What changes meanwhile may or may not be seen; nobody waits for a list.
func (e *Engine) List(after uint32, limit int, keep func(*Intent) bool) (list []Intent, next uint32) {
	f := e.front
	var room []numbered
	for {
		f.mu.Lock()
		page, last := f.page(after, 512, room[:0])
		f.mu.Unlock()
		for i := range page {
			p := &page[i]
			in := p.record.intent(p.number, p.text)
			if keep != nil && !keep(&in) {
				continue
			}
			if len(list) == limit {
				return list, list[limit-1].Number
			}
			list = append(list, in)
		}
		if last == 0 {
			return list, 0
		}
		after, room = last, page
	}
}

// Counts are the numbers of intents by state, and what was asked for so far.
type Counts struct {
	ByState [states]int // indexed by State
	Totals
	InFlight int // requests that wait for the journal
	Core     CoreCounts
}

// Counts are as of now.
func (e *Engine) Counts() Counts {
	f := e.front
	f.mu.Lock()
	defer f.mu.Unlock()
	return Counts{ByState: f.counts, Totals: f.totals, InFlight: f.inFlight, Core: f.core}
}

// Changes are the events after a revision, whole revisions, about max of them, and the revision to go on after. If ok is false the log does
// not reach back so far: look at List, and go on after upto.
func (e *Engine) Changes(since uint64, max int) (list []Change, upto uint64, ok bool) {
	f := e.front
	f.mu.Lock()
	found, upto, ok := f.changes(since, max)
	f.mu.Unlock()
	if len(found) > 0 {
		list = make([]Change, len(found))
	}
	for i := range found { // without the lock, which writers want
		list[i] = found[i].change()
	}
	return list, upto, ok
}

// Changed is closed as soon as there is an event after a revision.
func (e *Engine) Changed(after uint64) <-chan struct{} {
	f := e.front
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.events.changed(after)
}

// Revision is that of the newest event.
func (e *Engine) Revision() uint64 {
	f := e.front
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.events.revision
}

// Told takes outcomes of orders. They are copied.
func (e *Engine) Told(outcomes []Outcome) {
	e.mu.Lock()
	if !e.over {
		e.outcomes = append(e.outcomes, outcomes...)
	}
	e.mu.Unlock()
	e.ring()
}

// wait has the front tell of an intent in one of some states; it is there already if w is nil.
func (e *Engine) wait(id string, want []State) (in Intent, n uint32, w *waiter, ok bool) {
	f := e.front
	f.mu.Lock()
	defer f.mu.Unlock()
	if n = f.lookUp(id); n == 0 {
		return Intent{}, 0, nil, false
	}
	if f.shown(n) {
		in = f.intent(n)
	}
	for _, s := range want {
		if r := f.records.at(n); in.State == s && !r.busy() && r.unseen == 0 {
			return in, n, nil, true
		}
	}
	w = &waiter{states: want, found: make(chan Intent, 1)}
	f.waiters[n] = append(f.waiters[n], w)
	f.waiting++
	return in, n, w, true
}

// leave ends a wait.
func (e *Engine) leave(n uint32, w *waiter) {
	f := e.front
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.waiters[n]
	for i := range list {
		if list[i] == w {
			f.waiters[n] = append(list[:i], list[i+1:]...)
			f.waiting--
			break
		}
	}
	if len(f.waiters[n]) == 0 {
		delete(f.waiters, n)
	}
}
