package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
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
	*inventory.Transaction
	pace *probes.Pace
}

// notPluggedIn reports whether a link that is heard for the first time may not be a cable just
// plugged in.
func (t *cableTrust) notPluggedIn(src, dst *inventory.Port) bool {
	if t.trusted(src, dst) || provenBefore(src, dst) {
		return false
	}
	if back := dst.LinkTo(src); back != nil {
		return back.Unproven
	}
	return t.longEdge(src) && t.longEdge(dst)
}

// longEdge reports whether a port has been an edge for so long that a new link was not just plugged
// in.
func (t *cableTrust) longEdge(p *inventory.Port) bool {
	return !p.EdgeSince.IsZero() && t.Now.Sub(p.EdgeSince) >= max(minEdgeTime, 5*t.pace.Period) &&
		p.Device.ActiveRounds-p.EdgeRounds >= minEdgeRounds
}

// startEdgeTime starts the time for which a port has been observed as an edge, if it has not
// started.
func (t *cableTrust) startEdgeTime(p *inventory.Port) {
	if p.EdgeSince.IsZero() && p.Device.Connected {
		p.EdgeSince, p.EdgeRounds = t.Now, p.Device.ActiveRounds
	}
}

// restoreEdge makes a port that lost an unproven link an edge again, as one that has been one all
// the time: intermittent relaying gains nothing.
func (t *cableTrust) restoreEdge(p *inventory.Port) {
	p.PastLink = inventory.PastLink{}
	p.EdgeSince, p.EdgeRounds = t.Now.Add(-max(minEdgeTime, 5*t.pace.Period)), p.Device.ActiveRounds-minEdgeRounds
}

// countRound counts a period in which a switch has sent something.
func (t *cableTrust) countRound(d *inventory.Device) {
	if !d.SentSince(d.BytesAtRound) {
		d.LastSilentRound = t.Now
		return
	}
	d.BytesAtRound = d.Bytes()
	d.ActiveRounds++
}

// recentlySilent reports whether a switch sent nothing for a recent period: it has links, so there
// were probes to report. What it was sent then, and what came to it, arrives late.
func (t *cableTrust) recentlySilent(d *inventory.Device) bool {
	return !d.LastSilentRound.IsZero() && t.Now.Sub(d.LastSilentRound) <= 2*t.pace.Period
}

// trusted reports whether operators trust all links, or one, in either direction.
func (t *cableTrust) trusted(src, dst *inventory.Port) bool {
	l := t.Settings.Links
	return t.Settings.TrustLinks || l[netview.LinkKey{Src: src.At, Dst: dst.At}].Trusted ||
		l[netview.LinkKey{Src: dst.At, Dst: src.At}].Trusted
}

// provenBefore reports whether two ports were joined by a confirmed cable before.
func provenBefore(src, dst *inventory.Port) bool {
	return src.ProvenPeer == dst.At || dst.ProvenPeer == src.At
}

// setProven notes that two ports are joined by a confirmed cable.
func setProven(e *inventory.Link) {
	e.Src.ProvenPeer, e.Dst.ProvenPeer = e.Dst.At, e.Src.At
	e.Src.EdgeSince, e.Dst.EdgeSince = time.Time{}, time.Time{}
}

// reevaluateTrust re-evaluates unproven links after a change of settings.
func (l *links) reevaluateTrust() {
	for _, d := range l.Sorted() {
		for _, p := range d.Ports {
			for _, e := range slices.Clone(p.Out) {
				if e.Unproven && l.cables.trusted(e.Src, e.Dst) {
					e.Unproven = false
					l.table.updateStates(e.Src, e.Dst)
				}
			}
		}
	}
}
