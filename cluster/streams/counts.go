package streams

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
)

// counts are what Streams count.
type counts struct {
	sent, connections, losses, refusals          atomic.Uint64
	overruns, full, asked                        atomic.Uint64
	messagesReceived, bulkReceived, unknownKinds atomic.Uint64
}

// Counts are what this instance's streams have done, by kind, for package metrics. None goes back.
func (s *Streams) Counts() map[string]uint64 {
	s.mu.Lock()
	l := s.core.Counts()
	s.mu.Unlock()
	return map[string]uint64{
		"heartbeats_sent": s.counts.sent.Load(), "heartbeats_received": l.Received, "heartbeats_missed": l.Missed,
		"heartbeats_stale": l.Stale, "suspicions": l.Suspicions, "gaps": l.Gaps,
		"connections": s.counts.connections.Load(), "losses": s.counts.losses.Load(), "refusals": s.counts.refusals.Load(),
		"bulk_overruns": s.counts.overruns.Load(), "bulk_received": s.counts.bulkReceived.Load(),
		"messages_refused": s.counts.full.Load(), "messages_received": s.counts.messagesReceived.Load(),
		"requests": s.counts.asked.Load(), "unknown_kinds": s.counts.unknownKinds.Load(),
	}
}

// Delay is by how much ticks of this process came late, lately: what time-outs are widened by.
func (s *Streams) Delay() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Delay(time.Now())
}

// Member is what is known of another instance, for people and for /v1/members.
type Member struct {
	Peer
	liveness.Member
	Connected bool   // on all its lanes
	Error     string // why it is not, as it was told last; empty: it is, or was not tried yet
}

// Members are all other instances, by number.
func (s *Streams) Members() []Member {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Member, 0, len(s.peers))
	for _, m := range s.core.Members() {
		p := s.peers[m.ID]
		if p == nil {
			continue
		}
		connected := !slices.Contains(p.conns[:], nil)
		list = append(list, Member{Peer: p.Peer, Member: m, Connected: connected, Error: p.err})
	}
	return list
}

// Connected reports whether all kinds can be sent to an instance now.
func (s *Streams) Connected(id ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.peers[id]
	return p != nil && !slices.Contains(p.conns[:], nil)
}

// Heard reports whether heartbeats come from an instance. An instance hears itself.
func (s *Streams) Heard(id ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Heard(id)
}

// Suspected reports whether an instance's heartbeats do not come any more.
func (s *Streams) Suspected(id ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Suspected(id)
}

// Unheard reports whether nobody is known to hear a life of an instance: liveness.Core.Unheard.
func (s *Streams) Unheard(l liveness.Life) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Unheard(l)
}

// Incarnation is that of an instance that was heard last; 0: it was never heard.
func (s *Streams) Incarnation(id ID) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Incarnation(id)
}

// First is the first one in a list that is this instance or is heard by it; 0 if none is.
func (s *Streams) First(order []ID) ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.First(order)
}
