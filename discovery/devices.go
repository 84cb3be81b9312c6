package discovery

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// device is what is kept of a switch besides its row. The embedded structs are what sub-states
// keep of it; what concerns several of them the core changes.
type device struct {
	dpid              netview.DPID
	created           time.Time // when it was first connected, or loaded
	connected         bool
	connectedAt       time.Time // time of the last handshake
	disconnectedAt    time.Time // time of the last loss of its session
	settled           bool
	established       bool    // it once had a session for establishedAfter, or was loaded
	formerLinksKnown  bool    // FormerLinkPorts was called
	ports             []*port // sorted by number
	handshakePorts    int     // number of ports in its last handshake
	scheduledSegments int     // segments of them that have rounds
	slot              int     // in the period, of its first segment
	removed           map[uint32]removedPort
	activity
	barriers
	succession
}

// removedPort is what is kept of a deleted port, in case it is added again.
type removedPort struct {
	port netview.Port
	pastLink
}

// port is what is kept of a port besides its row, as device of a switch.
type port struct {
	at             netview.Point
	device         *device
	name           string
	mac            packet.MAC
	up             bool
	role           netview.PortRole
	configuredEdge bool          // configured as edge: never a link's
	appeared       time.Duration // since the core's start, if it was added during a session; 0: it was in the handshake
	hosts          int           // rows at it
	probing
	linkEnds
	pastLink
	silence
	edgeTime
	vacancy
	stray strayProbe // the last probe here that was probably misforwarded
}

func searchPort(ports []*port, number uint32) (int, bool) {
	return slices.BinarySearchFunc(ports, number, func(p *port, n uint32) int { return cmp.Compare(p.at.Port, n) })
}

// sortPorts sorts a row's ports by number; of several with one number the first stays.
func sortPorts(row *netview.Switch) {
	slices.SortFunc(row.Ports, func(a, b netview.Port) int { return cmp.Compare(a.Number, b.Number) })
	row.Ports = slices.CompactFunc(row.Ports, func(a, b netview.Port) bool { return a.Number == b.Number })
}

func (d *device) port(number uint32) *port {
	if i, ok := searchPort(d.ports, number); ok {
		return d.ports[i]
	}
	return nil
}

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
	return slices.SortedFunc(maps.Values(t.devices), func(a, b *device) int { return cmp.Compare(a.dpid, b.dpid) })
}

// isConfigured reports whether operators have configured a switch: it is kept.
func (t *deviceTable) isConfigured(d *device) bool {
	_, ok := t.settings.Switches[d.dpid]
	return ok
}

// neighbourHasCarrier reports whether a neighbour of a switch has carrier on a link to it.
func neighbourHasCarrier(d *device) bool {
	for _, p := range d.ports {
		for _, e := range p.out {
			if e.dst.device.connected {
				return true
			}
		}
	}
	return false
}
