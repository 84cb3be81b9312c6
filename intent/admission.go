package intent

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/changelog"
	"github.com/weirnet/weir/intent/spec"
)

// admission validates requests, allocates numbers, and shows readers the state that the core has
// computed. Everything in it is guarded by mu, which is held for a batch at a time and never across
// a wait.
type admission struct {
	mu      sync.Mutex
	config  *Config
	seed    maphash.Seed
	records records
	ids     index // by id
	claims  index // by claim; a withdrawn intent has none
	wide    wide
	texts   map[uint32]string
	free    []uint32 // numbers whose rules are gone
	last    uint32   // the highest number allocated

	inFlight int         // requests that the journal has not committed
	idQueues lines       // deferred batches, which name an id that is in flight or that an earlier one names
	counts   [states]int // by state
	totals   Totals
	events   changelog.Log[uint64, event] // Current is the revision of the newest event
	core     CoreCounts
	waiters  map[uint32][]*waiter
	waiting  int // waiters
	closed   bool

	commits []Commit // for the core
	recs    []Record // scratch: a batch's records
	data    []byte
	buf     []byte      // scratch: one content
	reader  spec.Reader // scratch
}

// Totals are counters since the start.
type Totals struct {
	Requests, Accepted, Existing, Conflicts, Refused, Overloads, Failures uint64 // Failures: commits that failed, in requests
}

func newAdmission(c *Config) *admission {
	f := &admission{config: c, seed: maphash.MakeSeed(), texts: make(map[uint32]string), wide: newWide(),
		waiters: make(map[uint32][]*waiter)}
	f.records.reserve(0)
	f.events = newEventLog(c.Events)
	return f
}

// Commit is an intent's content that has become durable; "" for a withdrawal.
type Commit struct {
	Number  uint32
	Content string
}

// batch is a list of requests that are answered together.
type batch struct {
	reqs    []Request
	atomic  bool
	answers []Answer // one for each request; nil until admitted, or preallocated
	done    func([]Answer, error)
	// undo is a record as it was before a request changed it.
	undo []undo // the changes, in order

	seq        uint64 // order of arrival among the deferred
	blockedIDs int    // number of its ids that other batches hold
}

// undo is a record as it was before a request changed it.
type undo struct {
	number uint32
	before record
	commit Commit
}

// submit admits a batch, or defers it. If it returns an error, nothing was accepted; otherwise done
// is called once.
func (adm *admission) submit(b *batch) (finished bool, err error) {
	if adm.closed {
		return false, ErrClosed
	}
	if adm.inFlight > 0 && adm.inFlight+len(b.reqs) > adm.config.MaxInFlight {
		adm.totals.Overloads += uint64(len(b.reqs))
		return false, &Overload{"requests that wait for the store", time.Second}
	}
	if adm.ids.Len()+len(b.reqs) > adm.config.MaxIntents &&
		slices.ContainsFunc(b.reqs, func(r Request) bool { return r.Op != Withdraw }) {
		adm.totals.Overloads += uint64(len(b.reqs))
		return false, &Overload{"as many intents as the instance may hold", time.Minute}
	}
	adm.totals.Requests += uint64(len(b.reqs))
	adm.inFlight += len(b.reqs)
	if adm.mustWait(b) {
		adm.idQueues.join(b, adm.inFlightID)
		return false, nil
	}
	return adm.admit(b)
}

// id returns the id that a request names; "" if it is to be generated.
func (r *Request) id() string {
	switch {
	case r.Op == Withdraw:
		return r.ID
	case r.Spec.ID == "" && r.Key != "":
		return keyedID(r.Key)
	}
	return r.Spec.ID
}

// mustWait reports whether a batch names an id that is in flight or that a deferred batch names.
func (adm *admission) mustWait(b *batch) bool {
	for i := range b.reqs {
		if id := b.reqs[i].id(); id != "" && (adm.idQueues.has(id) || adm.inFlightID(id)) {
			return true
		}
	}
	return false
}

// inFlightID reports whether a commit that concerns an id is in flight.
func (adm *admission) inFlightID(id string) bool {
	n := adm.find(id)
	return n != 0 && adm.records.at(n).inFlight()
}

// admit applies a batch's requests in order and appends the changes to the journal.
func (adm *admission) admit(b *batch) (finished bool, err error) {
	if b.answers == nil {
		b.answers = make([]Answer, len(b.reqs))
	}
	b.undo = make([]undo, 0, len(b.reqs))
	failed := false
	for i := range b.reqs {
		adm.apply(b, i)
		failed = failed || b.answers[i].Status.failed()
	}
	if b.atomic && failed {
		adm.revert(b)
		for i := range b.answers {
			if a := &b.answers[i]; a.Status == Accepted {
				*a = Answer{ID: a.ID, Status: Abandoned, Text: "another request of the batch was refused"}
			}
		}
	}
	if len(b.undo) == 0 {
		adm.inFlight -= len(b.reqs)
		adm.count(b)
		return true, nil
	}
	recs, data := adm.recs[:0], adm.data[:0]
	for i := range b.undo {
		data = append(data, b.undo[i].commit.Content...)
	}
	adm.data = data
	for i := range b.undo {
		u := &b.undo[i]
		n := len(u.commit.Content)
		recs = append(recs, Record{Number: u.number, Delete: n == 0, Data: data[:n:n]})
		data = data[n:]
		if rec := adm.records.at(u.number); rec.pending == nil {
			rec.pending = u
		}
	}
	adm.recs = recs
	if err := adm.config.Journal.Append(recs, func(_ uint64, err error) { adm.committed(b, err) }); err != nil {
		adm.revert(b)
		adm.inFlight -= len(b.reqs)
		adm.totals.Overloads += uint64(len(b.reqs))
		return false, err
	}
	return false, nil
}

// count updates the totals for a batch.
func (adm *admission) count(b *batch) {
	for i := range b.answers {
		switch b.answers[i].Status {
		case Accepted:
			adm.totals.Accepted++
		case Existing:
			adm.totals.Existing++
		case Conflict, Mismatched:
			adm.totals.Conflicts++
		default:
			adm.totals.Refused++
		}
	}
}

// apply applies one request.
func (adm *admission) apply(b *batch, i int) {
	r, a := &b.reqs[i], &b.answers[i]
	if r.Op == Withdraw {
		a.ID = r.ID
		adm.applyWithdrawal(b, r, a)
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
		n = adm.find(s.ID)
	}
	if n == 0 && r.IfMatch != "" {
		*a = Answer{ID: s.ID, Status: Mismatched, Text: "there is no intent " + s.ID}
		return
	}
	if n != 0 && adm.answerExisting(r, a, n, &s) {
		return
	}
	if err := adm.checkWide(&s); err != nil {
		*a = Answer{ID: s.ID, Status: Invalid, Text: err.Error(), Err: err}
		return
	}
	if other := adm.conflicting(&s, n); other != 0 {
		id := adm.records.at(other).id()
		*a = Answer{ID: s.ID, Status: Conflict,
			Text: "intent " + id + " has the same packets in the same priority from the same place" +
				": give this one another priority, or withdraw that one"}
		return
	}
	adm.store(b, a, n, &s)
}

// answerExisting answers a Create or Replace of an existing id, if it does not lead to a change.
func (adm *admission) answerExisting(r *Request, a *Answer, n uint32, s *spec.Spec) bool {
	rec := adm.records.at(n)
	*a = Answer{ID: s.ID, Number: n, State: rec.state, ETag: etagOf(rec.content), Revision: rec.revision}
	if rec.unprocessed > 0 && rec.state != Withdrawing { // the state belongs to the previous content
		a.State = Submitted
	}
	adm.buf = s.Append(adm.buf[:0])
	same := string(adm.buf) == rec.content
	switch {
	case adm.withdrawing(n):
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

// withdrawing reports whether an intent is being withdrawn.
func (adm *admission) withdrawing(n uint32) bool { return adm.records.at(n).state == Withdrawing }

// store creates or replaces an intent.
func (adm *admission) store(b *batch, a *Answer, n uint32, s *spec.Spec) {
	if n == 0 {
		n = adm.newNumber()
		if s.ID == "" {
			s.ID = adm.makeID(n)
		}
		adm.ids.add(maphash.String(adm.seed, s.ID), n)
	}
	rec := adm.records.at(n)
	adm.buf = s.Append(adm.buf[:0])
	content := string(adm.buf)
	b.undo = append(b.undo, undo{n, *rec, Commit{n, content}})
	if rec.content != "" {
		adm.removeClaims(rec.content, n)
	} else {
		rec.state, rec.since = Submitted, adm.config.Now().UnixNano()
		adm.counts[Submitted]++
	}
	rec.content = content
	adm.addClaims(s, n)
	// rec.state may belong to the previous content
	*a = Answer{ID: s.ID, Number: n, Status: Accepted, State: Submitted, ETag: etagOf(content)}
}

func (adm *admission) applyWithdrawal(b *batch, r *Request, a *Answer) {
	n := adm.find(r.ID)
	if n == 0 {
		a.Status = NotFound
		return
	}
	rec := adm.records.at(n)
	a.Number, a.State, a.ETag, a.Revision = n, rec.state, etagOf(rec.content), rec.revision
	switch {
	case adm.withdrawing(n):
		a.Status = Existing
	case r.IfMatch != "" && r.IfMatch != "*" && r.IfMatch != a.ETag:
		a.Status, a.Text = Mismatched, "intent "+r.ID+" has another content now"
	default:
		b.undo = append(b.undo, undo{n, *rec, Commit{Number: n}})
		adm.removeClaims(rec.content, n)
		adm.setState(rec, Withdrawing)
		a.Status, a.State = Accepted, Withdrawing
	}
}

func (adm *admission) setState(r *record, s State) {
	adm.counts[r.state]--
	adm.counts[s]++
	r.state, r.since = s, adm.config.Now().UnixNano()
}

// newNumber allocates a number.
func (adm *admission) newNumber() uint32 {
	if n := len(adm.free); n > 0 {
		number := adm.free[n-1]
		adm.free = adm.free[:n-1]
		return number
	}
	adm.last++
	adm.records.reserve(adm.last)
	return adm.last
}
