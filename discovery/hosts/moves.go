package hosts

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
)

// claimHoldTime is how long a rejected claim is ignored.
const claimHoldTime = time.Second

// moves decides where a host is that is seen elsewhere than at its known location.
type moves struct {
	*inventory.Table
	control    *inventory.ControlNetwork
	prober     *probes.Prober
	pace       *probes.Pace
	table      *Rows
	queries    *queries
	claims     heldClaims
	hijacks    inventory.Deadlines[hijack]
	unverified unverifiedMoves
}

// hostClaimed handles a host that is seen elsewhere than at its known location. The claim is
// accepted at once if the host cannot be there any more. If it may be, it is queried there: silence
// is a move, an answer an attack (or a second host of the same address). What came in may also have
// gone out of another port of ours, and circle.
func (m *moves) hostClaimed(old *netview.Host, s *Sighting) {
	q := m.Port(old.At)
	switch {
	case q == nil || !q.Up || q.Role == netview.PortLink:
		m.acceptClaim(s)
	case !q.Device.Connected && q.Device.Successor != nil && q.Device.Successor.DPID == s.At.DPID:
		m.acceptUnverified(old, s) // its switch has got another datapath id
	case !q.Device.Connected:
		if m.control.LikelyForwarding(q.Device) {
			m.prober.SuspectLoop(m.Port(s.At))
			m.rejectClaim(s, "its switch, %s, cannot be asked, and seems to be alive", old.At.DPID)
			return
		}
		m.acceptUnverified(old, s)
	default:
		m.prober.SuspectLoop(m.Port(s.At))
		a := m.queries.start(old, old.At)
		if a == nil {
			m.Counts.Refused.Add(1)
			return
		}
		if a.claim == nil {
			copied := *s
			a.claim, a.deleteIfSilent = &copied, false
		}
	}
}

// acceptClaim moves a host to where it was seen, if the port is still an edge.
func (m *moves) acceptClaim(s *Sighting) {
	if p := m.Port(s.At); p != nil && p.Up && p.Device.Connected && p.Role == netview.PortEdge {
		m.table.learn(p, s)
	}
}

// rejectClaim rejects a claim. For a while sightings there are ignored, so that a stream of such
// frames costs little.
func (m *moves) rejectClaim(s *Sighting, why string, args ...any) {
	m.claims.hold(s)
	h := hijack{s.At, fmt.Sprintf("host %s was seen at %s, but %s", s.ID, s.At, fmt.Sprintf(why, args...))}
	if p := m.Port(s.At); p != nil && p.Suspected != 0 {
		if at := p.Suspected + m.pace.Settle; at > m.SinceStart() {
			m.hijacks.Add(m.Started.Add(at), h)
			return
		}
	}
	m.dueHijack(h)
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
func (m *moves) dueHijack(h hijack) {
	if p := m.Port(h.at); p != nil {
		joined := !p.JoinedAt.IsZero() && m.Now.Sub(p.JoinedAt) <= m.pace.BlockTime()
		if joined || p.Role == netview.PortLink || p.Role == netview.PortBlocked {
			return
		}
	}
	m.Counts.Hijacks.Add(1)
	m.RaiseAlarm(netview.AlarmHostHijack, h.at, "%s", h.text)
}

// heldClaims are rejected claims, which are ignored for a while.
type heldClaims struct {
	*inventory.Transaction
	seen *SeenCache
	ends inventory.Deadlines[Sighting]
}

func (h *heldClaims) hold(s *Sighting) {
	h.seen.add(h.seen.hashHost(s.ID, s.At, s.IP))
	h.seen.add(h.seen.hashHost(s.ID, s.At, anyAddress))
	h.ends.Add(h.Now.Add(claimHoldTime), *s)
}

// release ends the hold of a claim, unless it has become true.
func (h *heldClaims) release(s Sighting) {
	if row, ok := h.Tx.Host(s.ID); ok && row.At == s.At {
		return
	}
	h.seen.remove(h.seen.hashHost(s.ID, s.At, s.IP))
	h.seen.remove(h.seen.hashHost(s.ID, s.At, anyAddress))
}
