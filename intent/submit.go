package intent

import (
	"sync"

	"github.com/weirnet/weir/intent/spec"
)

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
	undo    []undo // the changes, in order

	seq        uint64 // order of arrival among the deferred
	blockedIDs int    // number of its ids that other batches hold
}

// undo is an entry as it was before a request changed it.
type undo struct {
	number uint32
	before catalogEntry
	commit Commit
}

// submissions are the batches of requests on their way to the journal. What a batch changes takes effect at
// once, as admission judges it, and is undone if its commit fails; a batch that names an id in flight, or one
// that an earlier one names, is deferred.
type submissions struct {
	mu        *sync.Mutex // the catalog's, which guards all of it
	config    *Config
	records   *records
	admission *admission
	shown     *publication

	inFlight int      // requests that the journal has not committed
	idQueues lines    // deferred batches, which name an id that is in flight or that an earlier one names
	totals   Totals   // since the start
	commits  []Commit // for the core

	spare [][]undo // lists of batches that are complete
	recs  []Record // scratch: a batch's records
	data  []byte
	buf   []byte // scratch: one content
}

// Totals are counters since the start.
type Totals struct {
	Requests, Accepted, Existing, Conflicts, Refused, Overloads, Failures uint64 // Failures: commits that failed, in requests
}

// submit admits a batch, or defers it. If it returns an error, nothing was accepted; otherwise done
// is called once.
func (s *submissions) submit(b *batch) (finished bool, err error) {
	if err := s.admission.overload(b.reqs, s.inFlight, s.records.ids.Len()); err != nil {
		s.totals.Overloads += uint64(len(b.reqs))
		return false, err
	}
	s.totals.Requests += uint64(len(b.reqs))
	s.inFlight += len(b.reqs)
	if s.mustWait(b) {
		s.idQueues.join(b, s.records.inFlight)
		return false, nil
	}
	return s.admit(b)
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
func (s *submissions) mustWait(b *batch) bool {
	for i := range b.reqs {
		if id := b.reqs[i].id(); id != "" && (s.idQueues.has(id) || s.records.inFlight(id)) {
			return true
		}
	}
	return false
}

// admit applies a batch's requests in order and appends the changes to the journal.
func (s *submissions) admit(b *batch) (finished bool, err error) {
	if b.answers == nil {
		b.answers = make([]Answer, len(b.reqs))
	}
	b.undo = s.undoList(len(b.reqs))
	failed := false
	for i := range b.reqs {
		s.apply(b, i)
		failed = failed || b.answers[i].Status.failed()
	}
	if b.atomic && failed {
		s.revert(b)
		for i := range b.answers {
			if a := &b.answers[i]; a.Status == Accepted {
				*a = Answer{ID: a.ID, Status: Abandoned, Text: "another request of the batch was refused"}
			}
		}
	}
	if len(b.undo) == 0 {
		s.inFlight -= len(b.reqs)
		s.count(b)
		return true, nil
	}
	if err := s.append(b); err != nil {
		s.revert(b)
		s.inFlight -= len(b.reqs)
		s.totals.Overloads += uint64(len(b.reqs))
		return false, err
	}
	return false, nil
}

// undoListsKept is how many lists of MaxAdmitted changes memory is kept for.
const undoListsKept = 64

// undoList returns an empty list for the changes of a batch.
func (s *submissions) undoList(requests int) (list []undo) {
	if n := len(s.spare); n > 0 && requests <= MaxAdmitted {
		list, s.spare = s.spare[n-1], s.spare[:n-1]
		return list
	}
	return make([]undo, 0, max(requests, MaxAdmitted))
}

// takeUndoList takes the list of a batch that is complete: nothing is pending in it.
func (s *submissions) takeUndoList(list []undo) {
	if clear(list); cap(list) == MaxAdmitted && len(s.spare) < undoListsKept {
		s.spare = append(s.spare, list[:0])
	}
}

// append appends a batch's changes to the journal.
func (s *submissions) append(b *batch) error {
	recs, data := s.recs[:0], s.data[:0]
	for i := range b.undo {
		data = append(data, b.undo[i].commit.Content...)
	}
	s.data = data
	for i := range b.undo {
		u := &b.undo[i]
		n := len(u.commit.Content)
		recs = append(recs, Record{Number: u.number, Delete: n == 0, Data: data[:n:n]})
		data = data[n:]
		if rec := s.records.entries.At(u.number); rec.pending == nil {
			rec.pending = u
		}
	}
	s.recs = recs
	return s.config.Journal.Append(recs, func(_ uint64, err error) { s.committed(b, err) })
}

// count updates the totals for a batch.
func (s *submissions) count(b *batch) {
	for i := range b.answers {
		switch b.answers[i].Status {
		case Accepted:
			s.totals.Accepted++
		case Existing:
			s.totals.Existing++
		case Conflict, Mismatched:
			s.totals.Conflicts++
		default:
			s.totals.Refused++
		}
	}
}

// apply applies one request, if it is accepted.
func (s *submissions) apply(b *batch, i int) {
	r, a := &b.reqs[i], &b.answers[i]
	wanted := r.Spec
	wanted.ID = r.id()
	was := s.records.existing(wanted.ID)
	*a = s.admission.judge(r, &wanted, was)
	switch {
	case a.Status != Accepted:
	case r.Op == Withdraw:
		s.withdraw(b, was.number)
	default:
		s.put(b, a, was.number, &wanted)
	}
}

// put creates or replaces an intent.
func (s *submissions) put(b *batch, a *Answer, n uint32, wanted *spec.Spec) {
	var rec *catalogEntry
	var before catalogEntry
	if n != 0 {
		rec = s.records.entries.At(n)
		before = *rec
		s.admission.claims.Release(rec.content, n)
	} else {
		n = s.records.newNumber()
		if wanted.ID == "" {
			wanted.ID = s.records.newID(n, s.idQueues.has)
		}
		rec = s.records.add(n, wanted.ID)
	}
	s.buf = wanted.Append(s.buf[:0])
	content := string(s.buf)
	b.undo = append(b.undo, undo{n, before, Commit{n, content}})
	rec.content = content
	s.admission.claims.Hold(wanted, n)
	a.ID, a.Number, a.ETag = wanted.ID, n, etagOf(content)
}

func (s *submissions) withdraw(b *batch, n uint32) {
	rec := s.records.entries.At(n)
	b.undo = append(b.undo, undo{n, *rec, Commit{Number: n}})
	s.admission.claims.Release(rec.content, n)
	s.records.setState(rec, Withdrawing)
}
