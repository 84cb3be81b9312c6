package emu

import "sync/atomic"

// Cause is the reason why a frame or a packet-in was lost.
type Cause uint8

// The causes of losses.
const (
	LostByChance       Cause = iota // the link's loss
	LostInQueue                     // the link's queue was full
	LostWithLink                    // in flight when the link was cut
	LostOnDownLink                  // for a link that is down
	LostByOverload                  // too many frames on one link or in the whole network: see MaxOnLink and MaxFrames
	LostAtDeadSwitch                // arrived at a switch without power
	LostPacketIn                    // no controller took the packet-in: its queue was full
	LostUnattended                  // no controller was connected that gets such packet-ins
	LostByMisbehaviour              // what a switch was made to drop: flow-mods, not frames
	LostToRate                      // packet-ins faster than a switch's profile lets them to the controllers
	LostFromRate                    // packet-outs faster than a switch's profile takes them
	LostToForwarding                // faster than a switch's profile lets it forward
	LostAtDevice                    // the outside of an attachment did not take it
	LostToMTU                       // longer than the link takes: see topo.LinkSpec
	causes
)

var causeNames = [causes]string{
	"loss", "queue", "cut", "down", "overload", "dead_switch", "packet_in_queue", "unattended", "lie",
	"packet_in_rate", "packet_out_rate", "forwarding", "device", "mtu",
}

// String is the cause in a word: "queue".
func (c Cause) String() string {
	if c < causes {
		return causeNames[c]
	}
	return "?"
}

// Causes are all causes in their order.
func Causes() []Cause {
	all := make([]Cause, causes)
	for i := range all {
		all[i] = Cause(i)
	}
	return all
}

// Drops count losses by their cause.
type Drops [causes]uint64

// Total is the sum.
func (d *Drops) Total() (n uint64) {
	for _, x := range d {
		n += x
	}
	return n
}

// counts are what happens to the switches and hosts of one engine; whoever it happens to adds.
type counts struct {
	hops       atomic.Uint64
	delivered  atomic.Uint64
	packetIns  atomic.Uint64
	packetOuts atomic.Uint64
	flowMods   atomic.Uint64
	entries    atomic.Int64
	drops      [causes]atomic.Uint64
	_          [64]byte // another engine's counts are in other lines of the cache
}

// Totals are what happened in a network since it was made, and how it is now.
type Totals struct {
	Switches, Links, Hosts int    // as the topology has them; Links without those of hosts
	On                     int    // switches that have power
	LinksUp                int    // links between switches that carry frames
	Connected              int    // switches that are connected to a controller at least
	Sessions               int    // connections to controllers
	PacketHops             uint64 // frames that switches took from links
	Delivered              uint64 // frames that hosts and attachments took
	PacketIns              uint64 // sent, once for each controller
	PacketOuts             uint64
	FlowMods               uint64 // that were not refused
	Entries                int64  // flow entries in all switches
	Frames                 int64  // in flight now
	Drops                  Drops
}

// Totals are cheap enough to be read ten times a second: they take no lock.
func (n *Network) Totals() Totals {
	t := Totals{Switches: len(n.switches), Links: len(n.links), Hosts: len(n.hosts), On: int(n.on.Load()),
		LinksUp: int(n.linksUp.Load()), Connected: int(n.connected.Load()), Sessions: int(n.sessions.Load())}
	for _, e := range n.engines {
		c := &e.counts
		t.PacketHops += c.hops.Load()
		t.Delivered += c.delivered.Load()
		t.PacketIns += c.packetIns.Load()
		t.PacketOuts += c.packetOuts.Load()
		t.FlowMods += c.flowMods.Load()
		t.Entries += c.entries.Load()
		t.Frames += e.held.Load()
		for i := range t.Drops {
			t.Drops[i] += c.drops[i].Load()
		}
	}
	return t
}
