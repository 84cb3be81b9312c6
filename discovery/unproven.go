package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// Plugging in a cable changes the carrier at its ends. A link that appears between two ports that
// both were edges with carrier, for some time, was not plugged in: two hosts may have begun to
// relay our frames. It is shown as indirect, with an alarm, until the carrier is lost at an end, or
// an operator trusts it (docs/design/0011-new-links.md). What this cannot detect: hosts that relay
// from the first seconds on, that take their carriers down before they begin, or that begin where
// the session of a switch was just lost. No measurement distinguishes these from a cable reliably.

const (
	minEdgeTime = 10 * time.Second // time as an edge with carrier after which a new link was not just plugged in
	// Periods in which its switch sent something meanwhile: probes through a stalled switch prove
	// nothing.
	minEdgeRounds = 3
)

// cableTrust tells cables from what may be hosts that relay: by how long their ports were edges
// before, and by what operators say.
type cableTrust struct {
	*transaction
	pace *pace
}

// edgeTime is how long a port has been an edge, or the end of an unproven link, with carrier all the
// time.
type edgeTime struct {
	edgeSince  time.Time     // zero: it is not
	edgeRounds uint64        // activeRounds of its switch, then
	provenPeer netview.Point // the other end of the last confirmed cable
}

// notPluggedIn reports whether a link that is heard for the first time may not be a cable just
// plugged in.
func (t *cableTrust) notPluggedIn(src, dst *port) bool {
	if t.trusted(src, dst) || provenBefore(src, dst) {
		return false
	}
	if back := dst.linkTo(src); back != nil {
		return back.unproven
	}
	return t.longEdge(src) && t.longEdge(dst)
}

// longEdge reports whether a port has been an edge for so long that a new link was not just plugged
// in.
func (t *cableTrust) longEdge(p *port) bool {
	return !p.edgeSince.IsZero() && t.now.Sub(p.edgeSince) >= max(minEdgeTime, 5*t.pace.period) &&
		p.device.activeRounds-p.edgeRounds >= minEdgeRounds
}

// startEdgeTime starts the time for which a port has been observed as an edge, if it has not
// started.
func (t *cableTrust) startEdgeTime(p *port) {
	if p.edgeSince.IsZero() && p.device.connected {
		p.edgeSince, p.edgeRounds = t.now, p.device.activeRounds
	}
}

// restoreEdge makes a port that lost an unproven link an edge again, as one that has been one all
// the time: intermittent relaying gains nothing.
func (t *cableTrust) restoreEdge(p *port) {
	p.pastLink = pastLink{}
	p.edgeSince, p.edgeRounds = t.now.Add(-max(minEdgeTime, 5*t.pace.period)), p.device.activeRounds-minEdgeRounds
}

// countRound counts a period in which a switch has sent something.
func (t *cableTrust) countRound(d *device) {
	if !d.sentSince(d.bytesAtRound) {
		d.lastSilentRound = t.now
		return
	}
	d.bytesAtRound = d.bytes()
	d.activeRounds++
}

// recentlySilent reports whether a switch sent nothing for a recent period: it has links, so there
// were probes to report. What it was sent then, and what came to it, arrives late.
func (t *cableTrust) recentlySilent(d *device) bool {
	return !d.lastSilentRound.IsZero() && t.now.Sub(d.lastSilentRound) <= 2*t.pace.period
}

// trusted reports whether operators trust all links, or one, in either direction.
func (t *cableTrust) trusted(src, dst *port) bool {
	l := t.settings.Links
	return t.settings.TrustLinks || l[netview.LinkKey{Src: src.at, Dst: dst.at}].Trusted ||
		l[netview.LinkKey{Src: dst.at, Dst: src.at}].Trusted
}

// provenBefore reports whether two ports were joined by a confirmed cable before.
func provenBefore(src, dst *port) bool { return src.provenPeer == dst.at || dst.provenPeer == src.at }

// setProven notes that two ports are joined by a confirmed cable.
func setProven(e *link) {
	e.src.provenPeer, e.dst.provenPeer = e.dst.at, e.src.at
	e.src.edgeSince, e.dst.edgeSince = time.Time{}, time.Time{}
}

// reevaluateTrust re-evaluates unproven links after a change of settings.
func (c *Core) reevaluateTrust() {
	for _, d := range c.sortedDevices() {
		for _, p := range d.ports {
			for _, e := range slices.Clone(p.out) {
				if e.unproven && c.cables.trusted(e.src, e.dst) {
					e.unproven = false
					c.links.updateStates(e.src, e.dst)
				}
			}
		}
	}
}
