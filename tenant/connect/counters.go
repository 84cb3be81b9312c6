package connect

import (
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/tenant/vswitch"
)

// How old counters may be with which a controller is answered.
const (
	// freshFor: younger ones answer at once.
	freshFor = time.Second
	// countersWait is how long a controller waits for younger ones, and whatever it has sent after its question with it.
	// Without any it is answered with what there is.
	countersWait = 500 * time.Millisecond
)

// counting is how far a switch is with counters of a kind of the physical switch. The switch's lock guards it.
type counting struct {
	wanted time.Duration // when they were asked for last
	asked  bool          // they were
	next   time.Duration // the physical switch is not asked before
	news   chan struct{} // closed when there is something new; nil: nobody waits
}

// kindOf returns which counters of the physical switch the answer to a request has; false if it has none. One of OpenFlow 1.0
// has no groups and meters.
func kindOf(s *Switch, body openflow.RequestBody) (k vswitch.CounterKind, ok bool) {
	switch body.(type) {
	case *openflow.FlowRequest, *openflow.AggregateRequest, *openflow.TableRequest:
		return vswitch.OfEntries, true
	case *openflow.GroupRequest:
		return vswitch.OfGroups, s.cfg.Version != openflow.V10
	case *openflow.MeterRequest:
		return vswitch.OfMeters, s.cfg.Version != openflow.V10
	}
	return 0, false
}

// counters waits until the counters that a request asks for are young enough for an answer, or are as young as they get. The
// physical switch is asked once for all who wait. It returns false when the connection is being closed.
func (c *conn) counters(s *session.Session, body openflow.RequestBody) bool {
	k, ok := kindOf(c.sw, body)
	if !ok {
		return true
	}
	news, ask := c.younger(k)
	if ask {
		c.sw.cfg.Physical.Count(k)
	}
	return news == nil || c.await(s, news, countersWait)
}

// younger returns what to wait for before counters of a kind are shown, nil for nothing, and whether to ask for them.
func (c *conn) younger(k vswitch.CounterKind) (news <-chan struct{}, ask bool) {
	s := c.sw
	s.mu.Lock()
	defer s.unlock()
	now, of := s.cfg.Now(), &s.counting[k]
	asked, known := vswitch.Tally{Switch: s.core}.Asked(k)
	if s.gone || known && now-asked <= freshFor {
		return nil, false
	}
	if ask = !of.asked || now-of.wanted > countersWait; ask {
		of.asked, of.wanted = true, now
	}
	if of.next-now > countersWait {
		return nil, ask
	}
	if of.news == nil {
		of.news = make(chan struct{})
	}
	return of.news, ask
}

// Counted takes counters of a kind of the physical switch, nil if there are none; the switch is not asked before next. It does
// not wait.
func (s *Switch) Counted(k vswitch.CounterKind, c *vswitch.Counters, next time.Duration) {
	s.inbox.postCounters(k, c, next)
	s.collect()
}

// Removed takes the last counters of an entry of the tenant's that the physical switch has removed. It does not wait.
func (s *Switch) Removed(c *ruleset.Counted) {
	s.inbox.postRemoved(c)
	s.collect()
}

// wake has the core of a switch look at what has waited for long, when it will have. The lock is held.
func wake(s *Switch) {
	at, waits := vswitch.Tally{Switch: s.core}.Due()
	if !waits || s.woken || s.saving.closing {
		return
	}
	s.woken = true
	time.AfterFunc(at-s.cfg.Now(), func() {
		s.with(func(core *vswitch.Switch, now time.Duration) {
			s.woken = false
			vswitch.Tally{Switch: core}.Late(now, (*output)(s))
		})
	})
}

// count has the core of a switch take counters. The lock is held.
func count(s *Switch, k vswitch.CounterKind, c *counted, now time.Duration) {
	of := &s.counting[k]
	if of.next = c.next; c.list == nil { // who asks meanwhile waits for nothing
		of.next = max(c.next, of.wanted+2*countersWait)
	} else {
		of.asked = false
		vswitch.Tally{Switch: s.core}.Count(c.list, now, (*output)(s))
	}
	if of.news != nil {
		close(of.news)
		of.news = nil
	}
}

// Age returns how old the counters of entries are; false if none are known.
func (s *Switch) Age() (age time.Duration, ok bool) {
	s.mu.Lock()
	defer s.unlock()
	asked, ok := vswitch.Tally{Switch: s.core}.Asked(vswitch.OfEntries)
	return s.cfg.Now() - asked, ok
}

// notKnown has an answer say of counters of which nothing is known that they are not available. How many packets were looked
// up no switch counts for a tenant. The lock is held.
func notKnown(s *Switch, reply openflow.ReplyBody) {
	const unknown = ^uint64(0)
	core, now := vswitch.Tally{Switch: s.core}, s.cfg.Now()
	switch l := reply.(type) {
	case *openflow.TableStatsList:
		for i := range l.Tables {
			l.Tables[i].Lookups = unknown
		}
	case *openflow.PortStatsList:
		for i := range l.Ports {
			s.cfg.Physical.PortCounters(&l.Ports[i])
		}
	case *openflow.GroupStatsList:
		for i := range l.Groups {
			g := &l.Groups[i]
			whole, parts := core.Knows(vswitch.OfGroups, g.Group, now)
			if !whole {
				g.Packets, g.Bytes = unknown, unknown
			}
			if !parts {
				g.Buckets = slices.Repeat([]openflow.BucketCounter{{Packets: unknown, Bytes: unknown}}, len(g.Buckets))
			}
		}
	case *openflow.MeterStatsList:
		for i := range l.Meters {
			m := &l.Meters[i]
			whole, parts := core.Knows(vswitch.OfMeters, m.Meter, now)
			if !whole {
				m.PacketsIn, m.BytesIn = unknown, unknown
			}
			if !parts {
				m.Bands = slices.Repeat([]openflow.BandCounter{{Packets: unknown, Bytes: unknown}}, len(m.Bands))
			}
		}
	}
}
