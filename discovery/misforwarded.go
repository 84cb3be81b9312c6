package discovery

import (
	"github.com/weirnet/weir/discovery/inventory"
)

// misforwarded reports whether a probe was probably misforwarded. A switch that has lost its rule
// for probes, and not yet its others, forwards them along the broadcast tree like any frame to a
// group: for a moment they come in where no cable leads. So if one of the two ports has a link
// along which near probes pass, another link is made only when it is heard again, in another round.
// A cable that was moved is not delayed: its carrier was lost, and with it the old link.
func (t *cableTrust) misforwarded(src, dst *inventory.Port) bool {
	if !hasOtherLink(src, dst) && !hasOtherLink(dst, src) {
		return false
	}
	last, wait := dst.Stray, t.Now.Sub(dst.Stray.At)
	if last.From == src.At && wait < t.pace.Period/2 {
		return true
	}
	dst.Stray = inventory.StrayProbe{From: src.At, At: t.Now}
	return last.From != src.At || wait > inventory.MissedProbes*t.pace.Period
}

// hasOtherLink reports whether a port has a link to or from another port than q whose ends are
// connected, and that has been heard more than once by near probes since.
func hasOtherLink(p, q *inventory.Port) bool {
	for _, e := range p.Links() {
		if e.Near && e.HeardCount > 1 && e.BothConnected() && e.Src != q && e.Dst != q {
			return true
		}
	}
	return false
}
