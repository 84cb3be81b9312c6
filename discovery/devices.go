package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// deviceTable finds what is kept of switches and their ports.
type deviceTable struct {
	*transaction
	devices       map[netview.DPID]*device
	connected     int       // number of them
	settled       int       // number of connected ones that have settled
	lastNewSwitch time.Time // when one was added by its handshake
	nextSlot      int       // of the next new one
}

// port returns a port, or nil.
func (t *deviceTable) port(at netview.Point) *port {
	if d := t.devices[at.DPID]; d != nil {
		return d.port(at.Port)
	}
	return nil
}

// newDevice creates the device of an unknown switch.
func (t *deviceTable) newDevice(dpid netview.DPID) *device {
	d := &device{dpid: dpid, slot: t.nextSlot, created: t.now}
	t.nextSlot = (t.nextSlot + 1) % roundSlots
	t.devices[dpid] = d
	return d
}

// sortedDevices returns the devices sorted by datapath id.
func (t *deviceTable) sortedDevices() []*device {
	all := make([]*device, 0, len(t.devices))
	for _, d := range t.devices {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *device) int {
		return netview.Point{DPID: a.dpid}.Compare(netview.Point{DPID: b.dpid})
	})
	return all
}

// isConfigured reports whether operators have configured a switch: it is kept.
func (t *deviceTable) isConfigured(d *device) bool {
	_, ok := t.settings.Switches[d.dpid]
	return ok
}
