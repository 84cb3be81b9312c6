package session

import (
	"cmp"
	"maps"
	"slices"
)

// Totals are the counts of a server since it was made.
type Totals struct {
	// Stats are of all switches that were ever connected; the queue is of the present ones.
	Stats
	// Connections are those that were refused, by Reason.
	Connections map[string]uint64
}

// Sessions are those of connected switches, in order of their datapath ids.
func (v *Server) Sessions() (list []*Session) {
	v.mu.Lock()
	list = v.sessions()
	v.mu.Unlock()
	slices.SortFunc(list, func(a, b *Session) int {
		x, y := &a.protocol.core.handshake.features, &b.protocol.core.handshake.features // which no longer change
		return cmp.Compare(x.Datapath, y.Datapath)
	})
	return list
}

// sessions is Sessions, in no order; v.mu is held.
func (v *Server) sessions() (list []*Session) {
	for _, s := range v.registered {
		if s.registration.connected {
			list = append(list, s)
		}
	}
	return list
}

// Totals are the present ones.
func (v *Server) Totals() Totals {
	v.mu.Lock()
	live, t := v.sessions(), Totals{Stats: v.past, Connections: maps.Clone(v.refused)}
	v.mu.Unlock()
	for _, s := range live {
		now := s.Stats()
		t.add(&now)
		t.Queue += now.Queue
	}
	return t
}

// add adds counts, but for the queue.
func (s *Stats) add(of *Stats) {
	for i := range of.In {
		s.In[i] += of.In[i]
		s.Out[i] += of.Out[i]
	}
	s.InBytes += of.InBytes
	s.OutBytes += of.OutBytes
	s.Refused += of.Refused
	s.Unmatched += of.Unmatched
	s.Early += of.Early
	s.Full += of.Full
	s.Paused += of.Paused
}

// refuse counts a connection that was not connected, and tells Config.Refused.
func (v *Server) refuse(r Refusal) {
	v.mu.Lock()
	v.refused[Reason(r.Err)]++
	v.mu.Unlock()
	if v.cfg.Refused != nil {
		v.cfg.Refused(r)
	}
}
