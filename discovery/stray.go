package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// stray is a probe that came in at a port, or from one, that has a link elsewhere.
type stray struct {
	from netview.Point
	at   time.Time
}

// astray says whether a probe between two ports is one that went astray. A switch that has lost its rule for probes, and not
// yet its others, forwards them along the tree like any frame to a group: for a moment they come in where no cable leads.
// So where one of the two ports has a link along which near probes pass, another link is believed only when it is heard
// again, in another round. A cable that was moved is not kept waiting: its carrier was lost, and with it the old link.
func (c *Core) astray(src, dst *port) bool {
	if !src.elsewhere(dst) && !dst.elsewhere(src) {
		return false
	}
	last, wait := dst.stray, c.now.Sub(dst.stray.at)
	if last.from == src.at && wait < c.cfg.Period/2 {
		return true
	}
	dst.stray = stray{src.at, c.now}
	return last.from != src.at || wait > missedProbes*c.cfg.Period
}

// elsewhere says whether a port has a link to or from another port than q that was heard more than once, by near probes,
// since both ends are connected, and they are.
func (p *port) elsewhere(q *port) bool {
	for _, e := range p.edges() {
		if e.near && e.heard > 1 && e.live() && e.src != q && e.dst != q {
			return true
		}
	}
	return false
}
