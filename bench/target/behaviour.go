package target

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Behaviour is how a synthetic responder answers packet-ins: what of it is known beforehand is the
// truth that the harness is tested with. Equal seeds give equal delays, losses and stalls.
type Behaviour struct {
	Delay Delay
	Loss  float64 // part of the packet-ins that is never answered
	Wrong float64 // part of those answered whose answer names another packet, one that was never sent
	// StallEvery and StallFor: from the beginning of a connection on, the last StallFor of every
	// StallEvery is one in which nothing is answered; what is due then is answered at its end.
	StallEvery, StallFor time.Duration
	Seed                 uint64
}

// Check finds what is impossible.
func (b *Behaviour) Check() error {
	if !(b.Loss >= 0 && b.Loss <= 1 && b.Wrong >= 0 && b.Wrong <= 1) {
		return fmt.Errorf("loss %v and wrong %v given, want parts from 0 to 1", b.Loss, b.Wrong)
	}
	if b.StallFor < 0 || b.StallEvery < 0 || b.StallFor > 0 && b.StallFor >= b.StallEvery {
		return fmt.Errorf("a stall of %v every %v given, want one shorter than what it is in", b.StallFor, b.StallEvery)
	}
	return nil
}

// Plain reports whether every packet-in is answered at once.
func (b *Behaviour) Plain() bool {
	return b.Delay == Delay{} && b.Loss == 0 && b.Wrong == 0 && b.StallFor == 0
}

// PlannedReply is what becomes of one packet-in.
type PlannedReply struct {
	Arrived, Due time.Duration // since the connection began
	Lost, Wrong  bool
	stalled      bool
}

// replyPlan draws them, for one connection: its number seeds it too.
type replyPlan struct {
	Behaviour
	random *rand.Rand
}

func newReplyPlan(b Behaviour, connection uint64) *replyPlan {
	return &replyPlan{Behaviour: b, random: rand.New(rand.NewPCG(b.Seed, connection))}
}

// next is the fate of the next packet-in, which arrives now.
func (f *replyPlan) next(now time.Duration) PlannedReply {
	delay, loss, wrong := f.Delay.draw(f.random), f.random.Float64(), f.random.Float64()
	x := PlannedReply{Arrived: now, Due: now + delay, Lost: loss < f.Loss, Wrong: wrong < f.Wrong}
	if f.StallFor > 0 {
		if at := x.Due % f.StallEvery; at >= f.StallEvery-f.StallFor {
			x.Due += f.StallEvery - at
			x.stalled = true
		}
	}
	return x
}
