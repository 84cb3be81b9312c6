package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// strayProbe is a probe that came in at a port, or from one, that has a link elsewhere.
type strayProbe struct {
	from netview.Point
	at   time.Time
}

// misforwarded reports whether a probe was probably misforwarded. A switch that has lost its rule
// for probes, and not yet its others, forwards them along the broadcast tree like any frame to a
// group: for a moment they come in where no cable leads. So if one of the two ports has a link
// along which near probes pass, another link is made only when it is heard again, in another round.
// A cable that was moved is not delayed: its carrier was lost, and with it the old link.
func (t *cableTrust) misforwarded(src, dst *port) bool {
	if !src.hasOtherLink(dst) && !dst.hasOtherLink(src) {
		return false
	}
	last, wait := dst.stray, t.now.Sub(dst.stray.at)
	if last.from == src.at && wait < t.pace.period/2 {
		return true
	}
	dst.stray = strayProbe{src.at, t.now}
	return last.from != src.at || wait > missedProbes*t.pace.period
}

// hasOtherLink reports whether a port has a link to or from another port than q whose ends are
// connected, and that has been heard more than once by near probes since.
func (p *port) hasOtherLink(q *port) bool {
	for _, e := range p.links() {
		if e.near && e.heardCount > 1 && e.bothConnected() && e.src != q && e.dst != q {
			return true
		}
	}
	return false
}
