package connect

import (
	"time"

	"golang.org/x/time/rate"

	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/vswitch"
)

// Losses are what the tenant did not get, or was kept waiting for, because of its limits.
type Losses struct {
	PacketIns uint64 // that were not shown, as there were too many in a second
	Waiting   uint64 // messages that were not sent, as too many bytes waited
	Paced     uint64 // messages of controllers that waited
}

// limiter lets n a second through, after a burst of as many; nil, which lets all through, for 0.
func limiter(n int) *rate.Limiter {
	if n == 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(n), n)
}

// SetLimits has the switch keep to limits from now on. A limit that stays as it is keeps what is left of its burst.
func (s *Switch) SetLimits(l tenant.Limits) {
	l = l.WithDefaults()
	s.with(func(core *vswitch.Switch, _ time.Duration) {
		core.Tables().Limit(l.Entries, l.Groups, l.Meters)
		vswitch.Reactive{Switch: core}.Limit(l.Entries)
		if l.PacketIns != s.limits.PacketIns {
			s.packetIns = limiter(l.PacketIns)
		}
		for _, c := range s.conns {
			c.SetRoom(l.WaitingBytes)
		}
		if l.Messages != s.limits.Messages {
			for _, c := range s.conns {
				c.messages.Store(limiter(l.Messages))
			}
		}
		s.limits = l
	})
}

// Losses returns what its limits have cost the tenant at this switch.
func (s *Switch) Losses() Losses {
	s.mu.Lock()
	defer s.unlock()
	l := s.losses
	l.PacketIns += s.unseen.Load()
	for _, c := range s.conns {
		l.Waiting += c.Unsent()
	}
	return l
}

// shows reports whether one more packet-in is shown now. The lock is held.
func (s *Switch) shows() bool {
	if s.packetIns == nil || s.packetIns.AllowN(time.Unix(0, int64(s.cfg.Now())), 1) {
		return true
	}
	s.losses.PacketIns++
	return false
}

// pace holds up the reader of a connection that sends more than it may: the messages wait where they are, at the controller in
// the end. It returns false when the connection is being closed.
func (c *conn) pace(s *session.Session) bool {
	limit := c.messages.Load()
	if limit == nil {
		return true
	}
	now := time.Unix(0, int64(c.sw.cfg.Now()))
	wait := limit.ReserveN(now, 1).DelayFrom(now)
	if wait <= 0 {
		return true
	}
	c.sw.mu.Lock()
	c.sw.losses.Paced++
	c.sw.unlock()
	return c.await(s, nil, wait)
}

// await waits for news, or so long; the messages before do not wait with this one, and others have their turns. It returns false
// when the connection is being closed.
func (c *conn) await(s *session.Session, news <-chan struct{}, wait time.Duration) bool {
	c.BatchEnd(s)
	s.Write() // what is queued for the controller does not wait for the end of the batch
	defer s.Gather()
	c.EndTurn()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-news:
	case <-timer.C:
	case <-c.closing:
		return false
	}
	return c.BeginTurn()
}
