package inventory

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// Device is what is kept of a switch besides its row. The embedded structs are what sub-states
// keep of it; what concerns several of them the core changes.
type Device struct {
	DPID              netview.DPID
	Created           time.Time // when it was first connected, or loaded
	Connected         bool
	ConnectedAt       time.Time // time of the last handshake
	DisconnectedAt    time.Time // time of the last loss of its session
	Settled           bool
	Established       bool    // it once had a session for establishedAfter, or was loaded
	FormerLinksKnown  bool    // FormerLinkPorts was called
	Ports             []*Port // sorted by number
	HandshakePorts    int     // number of ports in its last handshake
	ScheduledSegments int     // segments of them that have rounds
	Slot              int     // in the period, of its first segment
	Removed           map[uint32]RemovedPort
	Activity
	Succession
}

// RemovedPort is what is kept of a deleted port, in case it is added again.
type RemovedPort struct {
	Port netview.Port
	PastLink
}

// Port is what is kept of a port besides its row, as device of a switch.
type Port struct {
	At             netview.Point
	Device         *Device
	Name           string
	MAC            packet.MAC
	Up             bool
	Role           netview.PortRole
	ConfiguredEdge bool          // configured as edge: never a link's
	Appeared       time.Duration // since the core's start, if it was added during a session; 0: it was in the handshake
	Hosts          int           // rows at it
	Probing
	LinkEnds
	PastLink
	Silence
	EdgeTime
	Vacancy
	Stray StrayProbe // the last probe here that was probably misforwarded
}

// Is reports whether a row is of this port.
func (p *Port) Is(r *netview.Port) bool {
	own := netview.Port{Number: p.At.Port, Name: p.Name, MAC: p.MAC}
	return own.SamePort(r)
}

// Other returns the one of two ports that p is not.
func (p *Port) Other(a, b *Port) *Port {
	if p == a {
		return b
	}
	return a
}

// SearchPort returns where a port is among ports sorted by number, or would be.
func SearchPort(ports []*Port, number uint32) (int, bool) {
	return slices.BinarySearchFunc(ports, number, func(p *Port, n uint32) int { return cmp.Compare(p.At.Port, n) })
}

// SortPorts sorts a row's ports by number; of several with one number the first stays.
func SortPorts(row *netview.Switch) {
	slices.SortFunc(row.Ports, func(a, b netview.Port) int { return cmp.Compare(a.Number, b.Number) })
	row.Ports = slices.CompactFunc(row.Ports, func(a, b netview.Port) bool { return a.Number == b.Number })
}

// Port returns a port by its number, or nil.
func (d *Device) Port(number uint32) *Port {
	if i, ok := SearchPort(d.Ports, number); ok {
		return d.Ports[i]
	}
	return nil
}

// RoundSlots is in how many slots of a period the rounds of switches are spread.
const RoundSlots = 20

// Table finds what is kept of switches and their ports.
type Table struct {
	*Transaction
	Devices       map[netview.DPID]*Device
	Connected     int       // number of them
	Settled       int       // number of connected ones that have settled
	LastNewSwitch time.Time // when one was added by its handshake
	nextSlot      int       // of the next new one
}

// NewTable returns an empty table.
func NewTable(t *Transaction) *Table {
	return &Table{Transaction: t, Devices: make(map[netview.DPID]*Device)}
}

// Port returns a port, or nil.
func (t *Table) Port(at netview.Point) *Port {
	if d := t.Devices[at.DPID]; d != nil {
		return d.Port(at.Port)
	}
	return nil
}

// Add creates the device of an unknown switch.
func (t *Table) Add(dpid netview.DPID) *Device {
	d := &Device{DPID: dpid, Slot: t.nextSlot, Created: t.Now}
	t.nextSlot = (t.nextSlot + 1) % RoundSlots
	t.Devices[dpid] = d
	return d
}

// Sorted returns the devices sorted by datapath id.
func (t *Table) Sorted() []*Device {
	return slices.SortedFunc(maps.Values(t.Devices), func(a, b *Device) int { return cmp.Compare(a.DPID, b.DPID) })
}

// IsConfigured reports whether operators have configured a switch: it is kept.
func (t *Table) IsConfigured(d *Device) bool {
	_, ok := t.Settings.Switches[d.DPID]
	return ok
}

// NeighbourHasCarrier reports whether a neighbour of a switch has carrier on a link to it.
func NeighbourHasCarrier(d *Device) bool {
	for _, p := range d.Ports {
		for _, e := range p.Out {
			if e.Dst.Device.Connected {
				return true
			}
		}
	}
	return false
}
