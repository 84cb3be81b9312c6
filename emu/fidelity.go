package emu

import (
	"time"

	"github.com/weirnet/weir/emu/fidelity"
)

// What package fidelity says of a network, by the names that the users of a Network know.
type (
	// Fidelity is how well the network keeps the times that it promises.
	Fidelity = fidelity.Report
	// EngineFidelity is the part of one engine.
	EngineFidelity = fidelity.Engine
	// Lateness is how late something was, of what was promised for a time.
	Lateness = fidelity.Lateness
)

// Fidelity tells how well the network keeps its promises.
func (n *Network) Fidelity() Fidelity {
	meters := make([]*fidelity.Meter, len(n.engines))
	for i, e := range n.engines {
		meters[i] = &e.late
	}
	return fidelity.Of(meters, n.cfg.Tolerance, n.now())
}

// backlog measures how long frames wait for their turn, without a look at each: the last one that
// waits when a round ends is followed until it has had its turn.
type backlog struct {
	left  int           // frames that are handed over before it, and itself; 0: none is followed
	since time.Duration // when it was the last one
}

// account records how late this round was with its promises, and how long the frames that it handed
// over have waited for their turn.
func (e *engine) account(done int) {
	b := &e.backlog
	if len(e.due) == 0 && b.left == 0 && e.run.len() == 0 {
		return
	}
	if b.left -= done; b.left <= 0 {
		if b.since != 0 {
			e.late.Wait(e.now, e.now-b.since)
		}
		*b = backlog{left: e.run.len()}
		if b.left > 0 {
			b.since = e.now
		}
	}
	if len(e.due) > 0 {
		e.late.Record(e.net.now(), e.due, time.Duration(e.ahead.Swap(0)))
		e.due = e.due[:0]
	}
}
