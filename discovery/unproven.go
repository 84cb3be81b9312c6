package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// A cable that is plugged in raises the carrier at its ends. A link that appears between two ports that both were edges with
// carrier, for some time, was not plugged in there: two hosts may have begun to relay our frames. It is shown as indirect, with an
// alarm, until the carrier is lost at an end, or an operator says that it is a cable (docs/design/0011-new-links.md).
//
// What this cannot tell: hosts that relay from the first seconds on, that take their carriers down before they begin, or that begin
// where the session of a switch was just lost. Nothing that can be measured tells these from a cable for sure.

const (
	idleAfter = 10 * time.Second // so long an edge with carrier, and a link there is not one that was just plugged in
	idleTurns = 3                // periods in which its switch said something meanwhile: probes to one that stands still prove nothing
)

// unplugged reports whether a link that is heard for the first time may be one that nobody plugged in.
func (c *Core) unplugged(src, dst *port) bool {
	if c.settings.TrustLinks || c.trusted(src, dst) || joined(src, dst) {
		return false
	}
	if back := dst.edgeTo(src); back != nil {
		return back.unproven
	}
	return c.idle(src) && c.idle(dst)
}

// idle is true of a port that has been an edge for so long that what is there was there before.
func (c *Core) idle(p *port) bool {
	return !p.idle.IsZero() && c.now.Sub(p.idle) >= max(idleAfter, 5*c.cfg.Period) && p.device.turns-p.turns >= idleTurns
}

// idles begins the time for which a port has been an edge under our eyes, if it has not begun.
func (c *Core) idles(p *port) {
	if p.idle.IsZero() && p.device.connected {
		p.idle, p.turns = c.now, p.device.turns
	}
}

// disbelieve has a port that lost a link which was not believed be an edge again, as one that has been one all the time: whoever relays
// now and then gains nothing by it.
func (c *Core) disbelieve(p *port) {
	p.past, p.peer = pastNone, netview.Point{}
	p.idle, p.turns = c.now.Add(-max(idleAfter, 5*c.cfg.Period)), p.device.turns-idleTurns
}

// turn counts a period in which a switch has said something.
func (c *Core) turn(d *device) {
	if c.cfg.Received != nil {
		heard := c.cfg.Received(d.dpid)
		if heard == d.heard {
			d.still = c.now
			return
		}
		d.heard = heard
	}
	d.turns++
}

// stoodStill is true of a switch that said nothing for a period, lately: it has links, so there were probes to report. What it was sent then, and
// what came to it, comes late.
func (c *Core) stoodStill(d *device) bool {
	return !d.still.IsZero() && c.now.Sub(d.still) <= 2*c.cfg.Period
}

// trusted is true of a link of which an operator says that it is one, in either direction.
func (c *Core) trusted(src, dst *port) bool {
	l := c.settings.Links
	return l[netview.LinkKey{Src: src.at, Dst: dst.at}].Trusted || l[netview.LinkKey{Src: dst.at, Dst: src.at}].Trusted
}

// joined is true of two ports that a cable was known to join before.
func joined(src, dst *port) bool { return src.proved == dst.at || dst.proved == src.at }

// prove notes that two ports are joined by a cable that is believed.
func prove(e *edge) {
	e.src.proved, e.dst.proved = e.dst.at, e.src.at
	e.src.idle, e.dst.idle = time.Time{}, time.Time{}
}

// reprove looks again at links that were not believed, after something was configured.
func (c *Core) reprove() {
	for _, d := range c.inOrder() {
		for _, p := range d.ports {
			for _, e := range slices.Clone(p.out) {
				if e.unproven && (c.settings.TrustLinks || c.trusted(e.src, e.dst)) {
					e.unproven = false
					c.restate(e.src, e.dst)
				}
			}
		}
	}
}
