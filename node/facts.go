package node

import (
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/netview"
)

// discoveryConfig is how discovery works here.
func (n *node) discoveryConfig(as boot) discovery.Config {
	return discovery.Config{
		Domain: uint16(n.cfg.Domain), Key: as.key, Seed: as.seed, Now: as.now,
		Period: n.cfg.Discovery.LLDPPeriod, Alarms: n.alarms, InUse: n.inUse, RoundTrip: n.switches.RoundTrip,
		Changed: n.intents.onFailure,
		Limits:  discovery.Limits{OfSwitch: int(n.cfg.Limits.SwitchPorts), Ports: int(n.cfg.Limits.Ports)},
	}
}

// inUse tells discovery that a host's packets are forwarded though it sees none of them.
func (n *node) inUse(id netview.HostID, at netview.Point) bool {
	return n.apps.Forward != nil && n.apps.Forward.HostActive(id, at)
}
