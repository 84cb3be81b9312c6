package inventory

import (
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// PortRow returns a port's row, with its configuration; its role is unknown.
func (t *Transaction) PortRow(dpid netview.DPID, p *openflow.Port) netview.Port {
	configured := t.Settings.Ports[netview.Point{DPID: dpid, Port: p.Number}]
	return netview.Port{
		Label: configured.Label, Edge: configured.Edge, Draining: configured.Drained,
		Number: p.Number, Name: p.Name, MAC: p.HWAddr, SpeedMbps: speed(p),
		Up: Up(p),
	}
}

// Up reports whether a port has carrier and is not switched off.
func Up(p *openflow.Port) bool {
	return p.Config&openflow.PortConfigDown == 0 && p.State&openflow.PortStateDown == 0
}

// speed returns a port's speed in Mbit/s: curr_speed of OpenFlow 1.3, else the highest bit of its
// current features (enum ofp_port_features: half and full duplex of 10, 100, 1000 Mbit/s, then 10,
// 40, 100, 1000 Gbit/s).
func speed(p *openflow.Port) uint64 {
	if p.CurrSpeed != 0 {
		return uint64(p.CurrSpeed) / 1000
	}
	for bit, mbps := range slices.Backward([]uint64{10, 10, 100, 100, 1000, 1000, 10_000, 40_000, 100_000, 1_000_000}) {
		if p.Curr&(1<<bit) != 0 {
			return mbps
		}
	}
	return 0
}
