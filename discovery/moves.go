package discovery

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
)

const (
	claimHoldTime        = time.Second      // how long a rejected claim is ignored
	disconnectedHoldTime = 30 * time.Second // how long hosts of a switch stay after it disconnected
)

// hostClaimed handles a host that is seen elsewhere than at its known location. The claim is
// accepted at once if the host cannot be there any more. If it may be, it is queried there: silence
// is a move, an answer an attack (or a second host of the same address). What came in may also have
// gone out of another port of ours, and circle.
func (c *Core) hostClaimed(old *netview.Host, s *sighting) {
	q := c.port(old.At)
	switch {
	case q == nil || !q.up || q.role == netview.PortLink:
		c.acceptClaim(s)
	case !q.device.connected && q.device.successor != nil && q.device.successor.dpid == s.at.DPID:
		c.acceptUnverified(old, s) // its switch has got another datapath id
	case !q.device.connected:
		if c.control.likelyForwarding(q.device) {
			c.prober.suspectLoop(c.port(s.at))
			c.rejectClaim(s, "its switch, %s, cannot be asked, and seems to be alive", old.At.DPID)
			return
		}
		c.acceptUnverified(old, s)
	default:
		c.prober.suspectLoop(c.port(s.at))
		a := c.queries.start(old, old.At)
		if a == nil {
			c.Counts.Refused.Add(1)
			return
		}
		if a.claim == nil {
			copied := *s
			a.claim, a.deleteIfSilent = &copied, false
		}
	}
}

// acceptClaim moves a host to where it was seen, if the port is still an edge.
func (c *Core) acceptClaim(s *sighting) {
	if p := c.port(s.at); p != nil && p.up && p.device.connected && p.role == netview.PortEdge {
		c.hosts.learn(p, s)
	}
}

// rejectClaim rejects a claim. For a while sightings there are ignored, so that a stream of such
// frames costs little.
func (c *Core) rejectClaim(s *sighting, why string, args ...any) {
	c.claims.hold(s)
	h := hijack{s.at, fmt.Sprintf("host %s was seen at %s, but %s", s.id, s.at, fmt.Sprintf(why, args...))}
	if p := c.port(s.at); p != nil && p.suspected != 0 {
		if at := p.suspected + c.pace.settle; at > c.sinceStart() {
			c.hijacks.add(c.started.Add(at), h)
			return
		}
	}
	c.dueHijack(h)
}

// hijack is a rejected claim. Where the port was probed for suspicion of a loop, it is an attack if
// that probe has been heard nowhere for as long as makes a port an edge.
type hijack struct {
	at   netview.Point
	text string
}

// dueHijack raises the alarm, unless a probe has shown meanwhile that what came in at the port had
// gone out of another one of ours: the link between both is in the view, or where one of them is
// blocked, its own alarm is.
func (c *Core) dueHijack(h hijack) {
	if p := c.port(h.at); p != nil {
		joined := !p.joinedAt.IsZero() && c.now.Sub(p.joinedAt) <= c.blockTime()
		if joined || p.role == netview.PortLink || p.role == netview.PortBlocked {
			return
		}
	}
	c.Counts.Hijacks.Add(1)
	c.raiseAlarm(netview.AlarmHostHijack, h.at, "%s", h.text)
}

// heldClaims are rejected claims, which are ignored for a while.
type heldClaims struct {
	*transaction
	seen *seenCache
	ends deadlines[sighting]
}

func (h *heldClaims) hold(s *sighting) {
	h.seen.add(h.seen.hashHost(s.id, s.at, s.ip))
	h.seen.add(h.seen.hashHost(s.id, s.at, anyAddress))
	h.ends.add(h.now.Add(claimHoldTime), *s)
}

// release ends the hold of a claim, unless it has become true.
func (h *heldClaims) release(s sighting) {
	if row, ok := h.tx.Host(s.id); ok && row.At == s.at {
		return
	}
	h.seen.remove(h.seen.hashHost(s.id, s.at, s.ip))
	h.seen.remove(h.seen.hashHost(s.id, s.at, anyAddress))
}
