package connect

import (
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

// counting is how far a switch is with the counters of the physical switch. The switch's lock guards it.
type counting struct {
	wanted time.Duration // when they were asked for last
	asked  bool          // they were
	next   time.Duration // the physical switch is not asked before
	news   chan struct{} // closed when there is something new; nil: nobody waits
	woken  bool          // wake has set a timer
}

// countsEntries reports whether the answer to a request has what the physical switch has counted for entries.
func countsEntries(body openflow.RequestBody) bool {
	switch body.(type) {
	case *openflow.FlowRequest, *openflow.AggregateRequest, *openflow.TableRequest:
		return true
	}
	return false
}

// counters waits until the counters of entries are young enough for an answer, or are as young as they get. The physical switch
// is asked once for all who wait. It returns false when the connection is being closed.
func (c *conn) counters(s *session.Session) bool {
	wait, ask := c.await()
	if ask {
		c.sw.cfg.Physical.Count()
	}
	if wait != nil {
		c.BatchEnd(s) // the messages before do not wait with this one
		timer := time.NewTimer(countersWait)
		defer timer.Stop()
		select {
		case <-wait:
		case <-timer.C:
		case <-c.closing:
			return false
		}
	}
	return true
}

// await returns what to wait for before entries are counted, nil for nothing, and whether to ask for counters.
func (c *conn) await() (news <-chan struct{}, ask bool) {
	s := c.sw
	s.mu.Lock()
	defer s.unlock()
	now, of := s.cfg.Now(), &s.counting
	asked, known := vswitch.Tally{Switch: s.core}.Asked()
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

// Counted takes counters of the physical switch, nil if there are none; the switch is not asked before next. It does not wait.
func (s *Switch) Counted(c *vswitch.Counters, next time.Duration) {
	s.inbox.postCounters(c, next)
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
	if !waits || s.counting.woken {
		return
	}
	s.counting.woken = true
	time.AfterFunc(at-s.cfg.Now(), func() {
		s.with(func(core *vswitch.Switch, now time.Duration) {
			s.counting.woken = false
			vswitch.Tally{Switch: core}.Late(now, (*output)(s))
		})
	})
}

// count has the core of a switch take counters. The lock is held.
func count(s *Switch, c *vswitch.Counters, next, now time.Duration) {
	of := &s.counting
	if of.next = next; c == nil { // who asks meanwhile waits for nothing
		of.next = max(next, of.wanted+2*countersWait)
	} else {
		of.asked = false
		vswitch.Tally{Switch: s.core}.Count(c, now, (*output)(s))
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
	asked, ok := vswitch.Tally{Switch: s.core}.Asked()
	return s.cfg.Now() - asked, ok
}

// notKnown has an answer say of counters of which nothing is known that they are not available. How many packets were looked
// up no switch counts for a tenant, and groups are counted for all who use them.
func notKnown(reply openflow.ReplyBody, physical Physical) {
	const unknown = ^uint64(0)
	switch l := reply.(type) {
	case *openflow.TableStatsList:
		for i := range l.Tables {
			l.Tables[i].Lookups = unknown
		}
	case *openflow.PortStatsList:
		for i := range l.Ports {
			physical.PortCounters(&l.Ports[i])
		}
	case *openflow.GroupStatsList:
		for i := range l.Groups {
			g := &l.Groups[i]
			g.Packets, g.Bytes = unknown, unknown
			for k := range g.Buckets {
				g.Buckets[k] = openflow.BucketCounter{Packets: unknown, Bytes: unknown}
			}
		}
	case *openflow.MeterStatsList:
		for i := range l.Meters {
			m := &l.Meters[i]
			m.PacketsIn, m.BytesIn = unknown, unknown
			for k := range m.Bands {
				m.Bands[k] = openflow.BandCounter{Packets: unknown, Bytes: unknown}
			}
		}
	}
}
