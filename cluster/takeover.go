package cluster

import (
	"log/slog"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/store/etcd"
	"github.com/weirnet/weir/store/owner"
)

// Hearing is what an instance knows of the others by their heartbeats: streams.Streams, or a liveness.Core.
type Hearing interface {
	Heard(id liveness.ID) bool
	Suspected(id liveness.ID) bool
	Unheard(l liveness.Life) bool
	Incarnation(id liveness.ID) uint64 // that was heard last; 0: it was never heard
}

// Takeover decides when an instance takes the owner's place, and when it asks for the lead of the store. One goroutine at a
// time uses it; Peers has one, and a simulation steps others.
type Takeover struct {
	Own     *owner.Claim
	Hears   Hearing
	ByLease bool // as in Config
	Log     *slog.Logger

	owner watch
	lead  leadWatch
}

// Look has the Claim take an owner's place if it is time to, and reports whether this member is to ask for the lead of the
// store. It returns when to look again.
func (t *Takeover) Look(now time.Time, members []etcd.Member) (campaign bool, next time.Duration) {
	next = t.lookAtOwner(now, members)
	campaign, sooner := t.lookAtLeader(now, members)
	return campaign, min(next, sooner)
}

func (t *Takeover) lookAtOwner(now time.Time, members []etcd.Member) (next time.Duration) {
	by := t.Own.Owner()
	if by.Member == "" || by.Life == 0 || t.Own.Owns() || t.ByLease {
		t.Own.Dead("")
		return lookEvery
	}
	life := liveness.Life{ID: number(by.Member), Incarnation: by.Life}
	self, why := number(t.Own.Self().Member), "nobody hears it"
	lost := t.Hears.Unheard(life) && quorate(members, t.Hears.Heard)
	if !lost {
		why = yields(members, life.ID, self)
	}
	take, next := t.owner.look(now, life, lost || why != "", waits(members, line(members), self, t.Hears.Heard))
	if !take {
		t.Own.Dead("")
		return t.soon(life, next)
	}
	if t.Own.Dead(by.Incarnation) {
		t.Log.Warn("this instance takes the owner's place", "owner", by.Name, "reason", why)
	}
	return t.soon(life, next)
}

// quorate reports whether an instance hears more than half of those that have a vote, itself included. Who hears less was cut
// off, and the others may well hear the owner.
func quorate(members []etcd.Member, heard func(liveness.ID) bool) bool {
	votes, heards := 0, 0
	for _, m := range members {
		if m.Learner {
			continue
		}
		votes++
		if heard(number(m.ID)) {
			heards++
		}
	}
	return heards > votes/2
}

// soon is when to look again at an instance: at once, nearly, if this instance does not hear it, and waits for what others
// say, of which there is no news.
func (t *Takeover) soon(life liveness.Life, next time.Duration) time.Duration {
	if life.ID != 0 && t.Hears.Suspected(life.ID) && !t.Hears.Unheard(life) {
		return min(next, lookSoon)
	}
	return next
}

// lookAtLeader reports whether to ask for the lead of the store: its leader is dead, or its disk is not well, and it is time to.
func (t *Takeover) lookAtLeader(now time.Time, members []etcd.Member) (campaign bool, next time.Duration) {
	var life liveness.Life
	for _, m := range members {
		if m.Leader && !m.Self {
			life.ID = number(m.ID)
			life.Incarnation = t.Hears.Incarnation(life.ID)
		}
	}
	if life.Incarnation == 0 { // this one leads, or nobody does, or the leader was never heard
		life = liveness.Life{}
	}
	self, why := number(t.Own.Self().Member), ""
	switch {
	case life.ID == 0:
	case t.Hears.Unheard(life):
		why = "nobody hears its leader"
	default:
		why = yields(members, life.ID, self)
	}
	inLine := waits(members, leaders(members, number(t.Own.Owner().Member)), self, t.Hears.Heard)
	campaign, next = t.lead.look(now, life, why != "", inLine)
	if campaign && life != t.lead.said {
		t.lead.said = life
		t.Log.Warn("this instance asks for the lead of the store", "reason", why)
	}
	return campaign, t.soon(life, next)
}
