package packet

// Layers is the set of headers that a Key holds; a field is valid when the bit of its header is
// set, and 0 otherwise.
type Layers uint16

// The headers of a Key.
const (
	LayerEthernet Layers = 1 << iota
	LayerVLAN
	LayerARP
	LayerIPv4
	LayerIPv6
	LayerTCP
	LayerUDP
	LayerSCTP
	LayerICMPv4
	LayerICMPv6
	LayerND        // neighbour solicitation or advertisement with its target
	LayerTruncated // the IP header promises more bytes than the frame has, as in a packet-in cut at miss_send_len
)

// Has reports whether all bits of want are set.
func (l Layers) Has(want Layers) bool { return l&want == want }

// Fragment states of a Key.
const (
	FragAny   uint8 = 1 // part of a fragmented packet
	FragLater uint8 = 2 // not the first part: it has no transport header
)

// Key is the flow key of a frame: every field that an OpenFlow 1.3 match can name except ports,
// tunnels, MPLS and PBB. It is comparable, has no pointers, and the zero Key is the key of no
// frame.
type Key struct {
	EthDst, EthSrc MAC
	EtherType      uint16 // after the tags; TypeNone for an 802.3 frame without SNAP
	VLAN           uint16 // outer tag: 0 untagged, else VLANPresent plus the id
	InnerVLAN      uint16 // second tag in the same form
	PCP            uint8  // priority of the outer tag, 0 to 7
	Layers         Layers

	// IPv4 and IPv6.
	IPProto      uint8 // transport, after IPv6 extension headers; 44 in later IPv6 fragments; 0 where an extension header is cut
	DSCP         uint8 // 6 bits
	ECN          uint8 // 2 bits
	TTL          uint8 // hop limit in IPv6
	Frag         uint8 // 0, FragAny, or FragAny|FragLater
	FlowLabel    uint32
	IPSrc, IPDst Addr

	// TCP, UDP, SCTP; ICMP of either version.
	SrcPort, DstPort   uint16
	TCPFlags           uint16 // 12 bits
	ICMPType, ICMPCode uint8

	// ARP for IPv4 over Ethernet, and RARP.
	ARPOp          uint16
	ARPSPA, ARPTPA [4]byte
	ARPSHA, ARPTHA MAC

	// Neighbour solicitation and advertisement. Whoever learns from them checks TTL == 255 (RFC
	// 4861, 7.1).
	NDSLL, NDTLL MAC // link-layer address options, zero without
	NDTarget     Addr
}

// Fault says where ParseKey stopped for a malformed frame.
type Fault uint8

// Faults, in the order of the headers.
const (
	FaultNone      Fault = iota
	FaultEthernet        // fewer than 14 bytes
	FaultVLAN            // ends inside a VLAN tag
	FaultARP             // short, or not IPv4 over Ethernet
	FaultIPv4            // short, wrong version, or lengths that contradict each other
	FaultIPv6            // short, or wrong version
	FaultExtension       // an IPv6 extension header is cut, or there are more than MaxExtensions
	FaultTransport       // TCP, UDP, SCTP or ICMP header is cut, or its length is wrong
	FaultND              // no target, an option of wrong length, or one twice
)

var faultNames = [...]string{"none", "ethernet", "vlan", "arp", "ipv4", "ipv6", "ipv6-extension", "transport", "nd"}

// String is the name of the header at fault, "none" without one.
func (f Fault) String() string {
	if int(f) < len(faultNames) {
		return faultNames[f]
	}
	return "unknown"
}
