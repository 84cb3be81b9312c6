package plan

// Band is a range of priorities that one kind of owner has for itself, both ends included.
type Band struct{ Low, High uint16 }

// Holds reports whether a priority is in the band.
func (b Band) Holds(priority uint16) bool { return b.Low <= priority && priority <= b.High }

// The bands, in falling order.
var (
	BandDiscovery  = Band{65000, 65099} // infrastructure: discovery frames
	BandProtection = Band{60100, 64999} // guards
	BandTag        = Band{60000, 60099} // intents: packets known by their tag
	BandOperator   = Band{40000, 59999}
	BandIntent     = Band{20000, 39999}
	BandTenant     = Band{12000, 19999} // in the single-table form
	BandApp        = Band{10001, 11999} // applications' own rules
	BandPair       = Band{10000, 10000} // unicast pairs, soft
	BandTree       = Band{5000, 5999}
	BandMiss       = Band{0, 0}
)

// The priorities of the rows of this version.
const (
	PriorityDiscovery uint16 = 65000 // eth_type=0x88cc
	PriorityTag       uint16 = 60001 // in_port, vlan_vid: a packet on its way, in table 0
	PriorityTagGuard  uint16 = 60000 // vlan_vid: any other packet with an id that is a tag, in table 0
	PriorityPair      uint16 = 10000 // vlan_vid, eth_src, eth_dst
	PriorityBroadcast uint16 = 5004  // eth_dst=ff:ff:ff:ff:ff:ff
	PriorityMulticast uint16 = 5003  // eth_dst=01:00:00:00:00:00/01:00:00:00:00:00
	PriorityARP       uint16 = 5002  // eth_type=0x0806
	PriorityND        uint16 = 5001  // ICMPv6 neighbour discovery, or all IPv6
	PriorityUnknown   uint16 = 5000  // everything, with forward.unknown=flood
	PriorityMiss      uint16 = 0

	PriorityTransit   uint16 = 10 // added, in the single-table form, to a tree row for packets from another switch
	PriorityOffTree   uint16 = 20 // added to a tree row for packets from a link outside the tree
	PriorityCopySkip  uint16 = 1  // table 2: packets from another switch are not copied
	PriorityCopyMeter uint16 = 0  // table 2: the metered copy
)
