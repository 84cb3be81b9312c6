package intent

import "github.com/weirnet/weir/intent/spec"

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

// submit admits a batch, or defers it. If it returns an error, nothing was accepted; otherwise done
// is called once.
func (cat *catalog) submit(b *batch) (finished bool, err error) {
	if cat.closed {
		return false, ErrClosed
	}
	if err := cat.admission.overload(b.reqs, cat.inFlight, cat.ids.Len()); err != nil {
		cat.totals.Overloads += uint64(len(b.reqs))
		return false, err
	}
	cat.totals.Requests += uint64(len(b.reqs))
	cat.inFlight += len(b.reqs)
	if cat.mustWait(b) {
		cat.idQueues.join(b, cat.inFlightID)
		return false, nil
	}
	return cat.admit(b)
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
func (cat *catalog) mustWait(b *batch) bool {
	for i := range b.reqs {
		if id := b.reqs[i].id(); id != "" && (cat.idQueues.has(id) || cat.inFlightID(id)) {
			return true
		}
	}
	return false
}

// inFlightID reports whether a commit that concerns an id is in flight.
func (cat *catalog) inFlightID(id string) bool {
	n := cat.find(id)
	return n != 0 && cat.entries.At(n).inFlight()
}

// admit applies a batch's requests in order and appends the changes to the journal.
func (cat *catalog) admit(b *batch) (finished bool, err error) {
	if b.answers == nil {
		b.answers = make([]Answer, len(b.reqs))
	}
	b.undo = make([]undo, 0, len(b.reqs))
	failed := false
	for i := range b.reqs {
		cat.apply(b, i)
		failed = failed || b.answers[i].Status.failed()
	}
	if b.atomic && failed {
		cat.revert(b)
		for i := range b.answers {
			if a := &b.answers[i]; a.Status == Accepted {
				*a = Answer{ID: a.ID, Status: Abandoned, Text: "another request of the batch was refused"}
			}
		}
	}
	if len(b.undo) == 0 {
		cat.inFlight -= len(b.reqs)
		cat.count(b)
		return true, nil
	}
	if err := cat.append(b); err != nil {
		cat.revert(b)
		cat.inFlight -= len(b.reqs)
		cat.totals.Overloads += uint64(len(b.reqs))
		return false, err
	}
	return false, nil
}

// append appends a batch's changes to the journal.
func (cat *catalog) append(b *batch) error {
	recs, data := cat.recs[:0], cat.data[:0]
	for i := range b.undo {
		data = append(data, b.undo[i].commit.Content...)
	}
	cat.data = data
	for i := range b.undo {
		u := &b.undo[i]
		n := len(u.commit.Content)
		recs = append(recs, Record{Number: u.number, Delete: n == 0, Data: data[:n:n]})
		data = data[n:]
		if rec := cat.entries.At(u.number); rec.pending == nil {
			rec.pending = u
		}
	}
	cat.recs = recs
	return cat.config.Journal.Append(recs, func(_ uint64, err error) { cat.committed(b, err) })
}

// count updates the totals for a batch.
func (cat *catalog) count(b *batch) {
	for i := range b.answers {
		switch b.answers[i].Status {
		case Accepted:
			cat.totals.Accepted++
		case Existing:
			cat.totals.Existing++
		case Conflict, Mismatched:
			cat.totals.Conflicts++
		default:
			cat.totals.Refused++
		}
	}
}

// apply applies one request, if it is accepted.
func (cat *catalog) apply(b *batch, i int) {
	r, a := &b.reqs[i], &b.answers[i]
	s := r.Spec
	s.ID = r.id()
	was := cat.existing(s.ID)
	*a = cat.admission.judge(r, &s, was)
	switch {
	case a.Status != Accepted:
	case r.Op == Withdraw:
		cat.withdraw(b, was.number)
	default:
		cat.put(b, a, was.number, &s)
	}
}

// put creates or replaces an intent.
func (cat *catalog) put(b *batch, a *Answer, n uint32, s *spec.Spec) {
	if n == 0 {
		n = cat.newNumber()
		if s.ID == "" {
			s.ID = cat.makeID(n)
		}
		cat.ids.add(cat.hashID(s.ID), n)
	}
	rec := cat.entries.At(n)
	cat.buf = s.Append(cat.buf[:0])
	content := string(cat.buf)
	b.undo = append(b.undo, undo{n, *rec, Commit{n, content}})
	if rec.content != "" {
		cat.admission.release(rec.content, n)
	} else {
		rec.state, rec.since = Submitted, cat.config.Now().UnixNano()
		cat.counts[Submitted]++
	}
	rec.content = content
	cat.admission.hold(s, n)
	a.ID, a.Number, a.ETag = s.ID, n, etagOf(content)
}

func (cat *catalog) withdraw(b *batch, n uint32) {
	rec := cat.entries.At(n)
	b.undo = append(b.undo, undo{n, *rec, Commit{Number: n}})
	cat.admission.release(rec.content, n)
	cat.setState(rec, Withdrawing)
}
