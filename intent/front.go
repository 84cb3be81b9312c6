package intent

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/intent/spec"
)

// front is what callers meet: it takes requests, gives them numbers, and shows what the core has come to. Everything in it is
// guarded by mu, which is held for a batch at a time and never while anything waits.
type front struct {
	mu      sync.Mutex
	config  *Config
	seed    maphash.Seed
	records records
	ids     index // by id
	claims  index // by claim; an intent that is being withdrawn has none
	wide    wide
	texts   map[uint32]string
	free    []uint32 // numbers whose rules are gone
	last    uint32   // the highest number given out

	inFlight int         // requests of which the journal has not said that they are durable
	lines    lines       // of batches that touch what is in flight, or what one before them touches
	counts   [states]int // by state
	totals   Totals
	events   ring
	core     CoreCounts
	waiters  map[uint32][]*waiter
	waiting  int // waiters
	closed   bool

	out  []Commit // for the core; the engine takes them
	recs []Record // memory of a batch's records
	data []byte
}

// Totals are counters of a front since it began.
type Totals struct {
	Requests, Accepted, Existing, Conflicts, Refused, Overloads, Failures uint64 // Failures: commits that failed, in requests
}

func newFront(c *Config) *front {
	f := &front{config: c, seed: maphash.MakeSeed(), texts: make(map[uint32]string), wide: newWide(), waiters: make(map[uint32][]*waiter)}
	f.records.reserve(0)
	f.events.limit = c.Events
	return f
}

// Commit is an intent's content as it has become durable; "" for a withdrawal.
type Commit struct {
	Number  uint32
	Content string
}

// batch is requests that are answered together.
type batch struct {
	reqs    []Request
	atomic  bool
	answers []Answer
	done    func([]Answer, error)
	undo    []undo // what was changed, in order

	place uint64 // among those that wait
	waits int    // of its ids, those that others have
}

// undo is a record as it was before a request changed it.
type undo struct {
	number uint32
	before record
	out    Commit
}

// submit admits a batch, or defers it. The error says that nothing was taken; else done is called once.
func (f *front) submit(b *batch) (finished bool, err error) {
	if f.closed {
		return false, ErrClosed
	}
	if f.inFlight > 0 && f.inFlight+len(b.reqs) > f.config.MostInFlight {
		f.totals.Overloads += uint64(len(b.reqs))
		return false, &Overload{"requests that wait for the store", time.Second}
	}
	if f.ids.len+len(b.reqs) > f.config.Most && slices.ContainsFunc(b.reqs, func(r Request) bool { return r.Op != Withdraw }) {
		f.totals.Overloads += uint64(len(b.reqs))
		return false, &Overload{"as many intents as the instance may hold", time.Minute}
	}
	f.totals.Requests += uint64(len(b.reqs))
	f.inFlight += len(b.reqs)
	if f.touchesBusy(b) {
		f.lines.join(b, f.busy)
		return false, nil
	}
	return f.admit(b)
}

// id is the id that a request names; "" if it is to be made.
func (r *Request) id() string {
	switch {
	case r.Op == Withdraw:
		return r.ID
	case r.Spec.ID == "" && r.Key != "":
		return keyedID(r.Key)
	}
	return r.Spec.ID
}

// touchesBusy tells whether a batch has to wait for one that is in flight or waits.
func (f *front) touchesBusy(b *batch) bool {
	for i := range b.reqs {
		if id := b.reqs[i].id(); id != "" && (f.lines.has(id) || f.busy(id)) {
			return true
		}
	}
	return false
}

// busy tells whether a commit that concerns an id is under way.
func (f *front) busy(id string) bool {
	n := f.lookUp(id)
	return n != 0 && f.records.at(n).busy()
}

// admit takes a batch's requests in order and hands what has to be durable to the journal.
func (f *front) admit(b *batch) (finished bool, err error) {
	b.answers = make([]Answer, len(b.reqs))
	failed := false
	for i := range b.reqs {
		f.take(b, i)
		failed = failed || b.answers[i].Status.failed()
	}
	if b.atomic && failed {
		f.revert(b)
		for i := range b.answers {
			if a := &b.answers[i]; a.Status == Accepted {
				*a = Answer{ID: a.ID, Status: Abandoned, Text: "another request of the batch was refused"}
			}
		}
	}
	if len(b.undo) == 0 {
		f.inFlight -= len(b.reqs)
		f.count(b)
		return true, nil
	}
	recs, data := f.recs[:0], f.data[:0]
	for i := range b.undo {
		data = append(data, b.undo[i].out.Content...)
	}
	f.data = data
	for i := range b.undo {
		u := &b.undo[i]
		n := len(u.out.Content)
		recs = append(recs, Record{Number: u.number, Delete: n == 0, Data: data[:n:n]})
		data = data[n:]
		if rec := f.records.at(u.number); rec.pending == nil {
			rec.pending = u
		}
	}
	f.recs = recs
	if err := f.config.Journal.Append(recs, func(_ uint64, err error) { f.committed(b, err) }); err != nil {
		f.revert(b)
		f.inFlight -= len(b.reqs)
		f.totals.Overloads += uint64(len(b.reqs))
		return false, err
	}
	return false, nil
}

// count counts what came of a batch.
func (f *front) count(b *batch) {
	for i := range b.answers {
		switch b.answers[i].Status {
		case Accepted:
			f.totals.Accepted++
		case Existing:
			f.totals.Existing++
		case Conflict, Mismatched:
			f.totals.Conflicts++
		default:
			f.totals.Refused++
		}
	}
}

// take applies one request.
func (f *front) take(b *batch, i int) {
	r, a := &b.reqs[i], &b.answers[i]
	if r.Op == Withdraw {
		a.ID = r.ID
		f.takeWithdrawal(b, r, a)
		return
	}
	s := r.Spec
	s.ID = r.id()
	if err := s.Check(); err != nil {
		*a = Answer{ID: s.ID, Status: Invalid, Text: err.Error(), Err: err}
		return
	}
	n := uint32(0)
	if s.ID != "" {
		n = f.lookUp(s.ID)
	}
	if n == 0 && r.IfMatch != "" {
		*a = Answer{ID: s.ID, Status: Mismatched, Text: "there is no intent " + s.ID}
		return
	}
	if n != 0 && f.takeKnown(r, a, n, &s) {
		return
	}
	if err := f.takesOthers(&s); err != nil {
		*a = Answer{ID: s.ID, Status: Invalid, Text: err.Error(), Err: err}
		return
	}
	if other := f.claimed(&s, n); other != 0 {
		id := f.records.at(other).id()
		*a = Answer{ID: s.ID, Status: Conflict, Text: "intent " + id + " has the same packets in the same priority from the same place"}
		return
	}
	f.put(b, a, n, &s)
}

// takeKnown answers a Create or Replace of an id that is there, if it does not lead to a change.
func (f *front) takeKnown(r *Request, a *Answer, n uint32, s *spec.Spec) bool {
	rec := f.records.at(n)
	*a = Answer{ID: s.ID, Number: n, State: rec.state, ETag: etagOf(rec.content), Revision: rec.revision}
	if rec.unseen > 0 && rec.state != Withdrawing { // the state is of the content before
		a.State = Submitted
	}
	var room [1024]byte
	same := string(s.Append(room[:0])) == rec.content
	switch {
	case f.leaving(n):
		a.Status, a.Text = Conflict, "intent "+s.ID+" is being withdrawn: its id is free when its rules are gone"
	case r.IfMatch != "" && r.IfMatch != "*" && r.IfMatch != a.ETag:
		a.Status, a.Text = Mismatched, "intent "+s.ID+" has another content now"
	case same:
		a.Status = Existing
	case r.Op == Create:
		a.Status, a.Text = Conflict, "intent "+s.ID+" has another content"
	default:
		return false
	}
	return true
}

// leaving tells whether an intent is being withdrawn.
func (f *front) leaving(n uint32) bool { return f.records.at(n).state == Withdrawing }

// put makes or replaces an intent.
func (f *front) put(b *batch, a *Answer, n uint32, s *spec.Spec) {
	if n == 0 {
		n = f.number()
		if s.ID == "" {
			s.ID = f.makeID(n)
		}
		f.ids.add(maphash.String(f.seed, s.ID), n)
	}
	rec := f.records.at(n)
	content := string(s.Append(nil))
	b.undo = append(b.undo, undo{n, *rec, Commit{n, content}})
	if rec.content != "" {
		f.removeClaims(rec.content, n)
	} else {
		rec.state, rec.since = Submitted, f.config.Now().UnixNano()
		f.counts[Submitted]++
	}
	rec.content = content
	f.addClaims(s, n)
	*a = Answer{ID: s.ID, Number: n, Status: Accepted, State: Submitted, ETag: etagOf(content)} // rec.state may be of the content before
}

func (f *front) takeWithdrawal(b *batch, r *Request, a *Answer) {
	n := f.lookUp(r.ID)
	if n == 0 {
		a.Status = NotFound
		return
	}
	rec := f.records.at(n)
	a.Number, a.State, a.ETag, a.Revision = n, rec.state, etagOf(rec.content), rec.revision
	switch {
	case f.leaving(n):
		a.Status = Existing
	case r.IfMatch != "" && r.IfMatch != "*" && r.IfMatch != a.ETag:
		a.Status, a.Text = Mismatched, "intent "+r.ID+" has another content now"
	default:
		b.undo = append(b.undo, undo{n, *rec, Commit{Number: n}})
		f.removeClaims(rec.content, n)
		f.setState(rec, Withdrawing)
		a.Status, a.State = Accepted, Withdrawing
	}
}

func (f *front) setState(r *record, s State) {
	f.counts[r.state]--
	f.counts[s]++
	r.state, r.since = s, f.config.Now().UnixNano()
}

// number gives out a number.
func (f *front) number() uint32 {
	if n := len(f.free); n > 0 {
		number := f.free[n-1]
		f.free = f.free[:n-1]
		return number
	}
	f.last++
	f.records.reserve(f.last)
	return f.last
}
