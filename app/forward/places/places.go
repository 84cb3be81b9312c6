package places

import (
	"maps"

	"github.com/weirnet/weir/app/forward/index"
	"github.com/weirnet/weir/netview"
)

// MaxForgotten is how many places of deleted hosts are remembered, so that pairs follow when they are learned
// elsewhere.
const MaxForgotten = 1 << 16

// Key is a host's address and VLAN id, 0 for untagged, packed.
type Key uint64

// KeyOf returns the key of an address, in the low 48 bits, and a VLAN id.
func KeyOf(mac uint64, vlan uint16) Key { return Key(mac<<12 | uint64(vlan&0xfff)) }

// KeyOfHost returns the key of a host.
func KeyOfHost(id netview.HostID) Key { return KeyOf(id.MAC.Uint64(), id.VLAN) }

// Places has where hosts are. The zero Places knows none.
type Places struct {
	hosts     index.Index[netview.Point]
	forgotten map[Key]netview.Point // of hosts that were deleted and not learned again
}

// At returns where a host is. Any goroutine may call it.
func (p *Places) At(host Key) (at netview.Point, known bool) { return p.hosts.Get(uint64(host)) }

// Last returns where a host is or, if that is not known, where it was; the zero Point if that is not remembered.
func (p *Places) Last(host Key) netview.Point {
	if at, known := p.At(host); known {
		return at
	}
	return p.forgotten[host]
}

// Take applies the change of a host; it reports whether a known one has moved, and where it was. One whose port
// is gone has no place until it is seen again.
func (p *Places) Take(c *netview.Change, snap *netview.Snapshot) (was netview.Point, elsewhere bool) {
	key := KeyOfHost(c.Host.HostID)
	if c.Deleted || c.Host.State == netview.HostUnconfirmed && portGone(snap, c.Host.At) {
		p.forget(key)
		return netview.Point{}, false
	}
	old, known := p.At(key)
	had := known
	if !known {
		old, had = p.forgotten[key]
		delete(p.forgotten, key)
	}
	if !known || old != c.Host.At {
		p.hosts.Put(uint64(key), c.Host.At)
	}
	return old, had && old != c.Host.At
}

// Forget takes the hosts away whose place is unknown, since these ports of theirs are gone.
func (p *Places) Forget(gone map[netview.Point]bool, snap *netview.Snapshot) {
	for at := range gone {
		for h := range snap.HostsAt(at) {
			if h.State == netview.HostUnconfirmed {
				p.forget(KeyOfHost(h.HostID))
			}
		}
	}
}

// forget takes a host away, and remembers where it was.
func (p *Places) forget(host Key) {
	old, had := p.At(host)
	p.hosts.Remove(uint64(host))
	if had && len(p.forgotten) < MaxForgotten {
		if p.forgotten == nil {
			p.forgotten = make(map[Key]netview.Point)
		}
		p.forgotten[host] = old
	}
}

// Keep takes all hosts away but those of a snapshot.
func (p *Places) Keep(snap *netview.Snapshot) {
	known := make(map[uint64]bool)
	for h := range snap.Hosts() {
		known[uint64(KeyOfHost(h.HostID))] = true
	}
	p.hosts.Keep(known)
}

// ForgetSwitch forgets which deleted hosts were at a switch.
func (p *Places) ForgetSwitch(dpid netview.DPID) {
	maps.DeleteFunc(p.forgotten, func(_ Key, was netview.Point) bool { return was.DPID == dpid })
}
