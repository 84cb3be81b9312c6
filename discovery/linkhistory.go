package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// linkHistory is why a silent port may be a link's all the same. Silence alone is no evidence: the
// switch at the other end may forward while disconnected, and probes may be lost.
type linkHistory uint8

const (
	historyNone        linkHistory = iota // no link was ever here, or it is known to be gone
	historyRestored                       // the restored view, or rules on the switch, had a link; the other end is unknown
	historyCarrier                        // a link was heard, and the carrier has been up ever since
	historyUnobserved                     // a link was heard, and the session was lost since: the carrier was not observed
	historyCarrierLost                    // a link was heard, and the carrier was lost since: the cable may lead elsewhere
)

// pastLink is the last link of a port.
type pastLink struct {
	history linkHistory
	peer    netview.Point // its other end; zero for historyNone and historyRestored
}

// noteLink notes that a link between two ports was heard.
func noteLink(p, q *port) {
	p.pastLink, q.pastLink = pastLink{historyCarrier, q.at}, pastLink{historyCarrier, p.at}
}

// noteCarrierLost and noteSessionLost note what happened to a port since its link was heard.
func (p *pastLink) noteCarrierLost() {
	if p.history == historyCarrier || p.history == historyUnobserved {
		p.history = historyCarrierLost
	}
}

func (p *pastLink) noteSessionLost() {
	if p.history == historyCarrier {
		p.history = historyUnobserved
	}
}

// FormerLinkPorts notes which ports of a switch led to other switches before the restart. Only the
// first call counts: later rules are from this process.
func (c *Core) FormerLinkPorts(dpid netview.DPID, ports []uint32) {
	d := c.devices[dpid]
	if d == nil || !d.connected || d.formerLinksKnown {
		return
	}
	d.formerLinksKnown = true
	for _, number := range ports {
		p := d.port(number)
		if p == nil || p.history != historyNone {
			continue
		}
		if p.role == netview.PortEdge {
			if c.now.Sub(p.quietSince) >= unobservedSilence {
				continue
			}
			c.hosts.setUnconfirmed(p)
			c.setUnknown(p)
			c.prober.start(p)
		}
		p.history = historyRestored
	}
}

// awaitsFormerLink reports whether a port is still unknown that led to another switch before the
// restart.
func (d *device) awaitsFormerLink() bool {
	for _, p := range d.ports {
		if p.up && p.role == netview.PortUnknown && p.history == historyRestored {
			return true
		}
	}
	return false
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
