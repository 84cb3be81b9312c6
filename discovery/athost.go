package discovery

import (
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
)

// checkLinkAllowed returns an error if two ports between which a probe was heard cannot be the ends
// of a link: one is configured as edge, or has a live host. Then one of the two is blocked, so that
// whatever carries the probe does not close a loop, and the hosts are queried. If they are gone, a
// link may be made.
func (l *links) checkLinkAllowed(src, dst *inventory.Port) error {
	switch {
	case dst.ConfiguredEdge || src.ConfiguredEdge:
		at := dst
		if !dst.ConfiguredEdge {
			at = src
		}
		l.RaiseAlarm(netview.AlarmLinkAtHost, at.At, "a probe of %s was heard at %s, and %s is configured as edge",
			src.At, dst.At, at.At)
	case !l.hosts.Occupancy.ProbeHeard(src, dst):
		return nil
	}
	l.roles.blockOne(src, dst)
	return probes.ErrAtHost
}
