package intent

import (
	"slices"
	"sync"
)

// MaxAdmitted is how many requests are admitted under one hold of the mutex: that many of the
// largest fit into one append to the journal.
const MaxAdmitted = 200

// Parts collects the answers to a long list of requests that is submitted in parts.
type Parts struct {
	done func([]Answer, error)

	mu        sync.Mutex // guards what follows
	answers   []Answer
	err       error // the first of a part
	remaining int   // parts without answers, plus one while parts are submitted
}

// NewParts returns the parts of a list of requests. done is called once, when all parts that were
// submitted have answers, with the answers so far and the first error: a request without an answer
// has a zero one.
func NewParts(requests int, done func([]Answer, error)) *Parts {
	return &Parts{done: done, answers: make([]Answer, requests)}
}

// Submit submits the list in parts of MaxAdmitted requests, in order, each from one index up to
// another, until submit returns an error. If that is the error of the first part, Submit returns it
// and done is not called.
func (p *Parts) Submit(submit func(from, upto int, ended func([]Answer, error)) error) error {
	p.begin()
	for from := 0; from < len(p.answers); from += MaxAdmitted {
		upto := min(from+MaxAdmitted, len(p.answers))
		p.begin()
		if err := submit(from, upto, func(a []Answer, err error) { p.end(p.answers[from:upto], a, err) }); err != nil {
			if from == 0 {
				p.err = err
				return err
			}
			p.end(p.answers[from:upto], nil, err)
			break
		}
	}
	p.end(nil, nil, nil)
	return nil
}

func (p *Parts) begin() {
	p.mu.Lock()
	p.remaining++
	p.mu.Unlock()
}

// end completes a part, with its answers or an error.
func (p *Parts) end(room, answers []Answer, err error) {
	p.mu.Lock()
	if copy(room, answers); err != nil {
		clear(room)
	}
	if p.err == nil {
		p.err = err
	}
	p.remaining--
	ended, err := p.remaining == 0, p.err
	p.mu.Unlock()
	if ended {
		p.done(p.answers, err)
	}
}

// Answers returns the answers so far and the first error. They change no more, also while parts are in flight.
func (p *Parts) Answers() ([]Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.remaining > 0 {
		return slices.Clone(p.answers), p.err
	}
	return p.answers, p.err
}
