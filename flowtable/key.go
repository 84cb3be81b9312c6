package flowtable

import (
	"encoding/binary"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// words are all fields that a match can name, packed into machine words. Fields that no packet has
// together share bits: ports of the transports and type and code of ICMP, the addresses of IPv4 and
// ARP, the link-layer addresses of ARP and neighbour discovery. That is safe because a match must
// name the kind of packet before such a field.
type words [numWords]uint64

// The words; from the highest bit to the lowest.
const (
	wordPort      = iota // in_port 32, eth_type 16, vlan_pcp 3, vlan_vid 13
	wordDst              // eth_dst 48, ip_proto 8, ip_dscp 6, ip_ecn 2
	wordSrc              // eth_src 48, arp_op 16
	wordIPv4             // source 32, destination 32
	wordTransport        // source port or ICMP type 16, destination port or ICMP code 16, 12 unused, ipv6_flabel 20
	wordMetadata
	wordMPLS    // in_phy_port 32, 8 unused, label 20, tc 3, bos 1
	wordIPv6Src // two words
	wordIPv6Dst = wordIPv6Src + 2
	wordNDTgt   = wordIPv6Dst + 2
	wordSHA     = wordNDTgt + 2 // arp_sha or ipv6_nd_sll 48, 7 unused, ipv6_exthdr 9
	wordTHA     = wordSHA + 1   // arp_tha or ipv6_nd_tll 48, 16 unused
	wordTunnel  = wordTHA + 1
	numWords    = wordTunnel + 1
)

// place is where a field of up to 64 bits is in the words: at bit shift of a word, or, with 128
// bits, in that word and the next. A field without bits is none that this switch matches.
type place struct {
	word, shift, bits uint8
}

var places = [...]place{
	openflow.FieldInPort:       {wordPort, 32, 32},
	openflow.FieldInPhyPort:    {wordMPLS, 32, 32},
	openflow.FieldMetadata:     {wordMetadata, 0, 64},
	openflow.FieldEthDst:       {wordDst, 16, 48},
	openflow.FieldEthSrc:       {wordSrc, 16, 48},
	openflow.FieldEthType:      {wordPort, 16, 16},
	openflow.FieldVLANVID:      {wordPort, 0, 13},
	openflow.FieldVLANPCP:      {wordPort, 13, 3},
	openflow.FieldIPDSCP:       {wordDst, 2, 6},
	openflow.FieldIPECN:        {wordDst, 0, 2},
	openflow.FieldIPProto:      {wordDst, 8, 8},
	openflow.FieldIPv4Src:      {wordIPv4, 32, 32},
	openflow.FieldIPv4Dst:      {wordIPv4, 0, 32},
	openflow.FieldTCPSrc:       {wordTransport, 48, 16},
	openflow.FieldTCPDst:       {wordTransport, 32, 16},
	openflow.FieldUDPSrc:       {wordTransport, 48, 16},
	openflow.FieldUDPDst:       {wordTransport, 32, 16},
	openflow.FieldSCTPSrc:      {wordTransport, 48, 16},
	openflow.FieldSCTPDst:      {wordTransport, 32, 16},
	openflow.FieldICMPv4Type:   {wordTransport, 48, 8},
	openflow.FieldICMPv4Code:   {wordTransport, 32, 8},
	openflow.FieldARPOp:        {wordSrc, 0, 16},
	openflow.FieldARPSPA:       {wordIPv4, 32, 32},
	openflow.FieldARPTPA:       {wordIPv4, 0, 32},
	openflow.FieldARPSHA:       {wordSHA, 16, 48},
	openflow.FieldARPTHA:       {wordTHA, 16, 48},
	openflow.FieldIPv6Src:      {wordIPv6Src, 0, 128},
	openflow.FieldIPv6Dst:      {wordIPv6Dst, 0, 128},
	openflow.FieldIPv6FLabel:   {wordTransport, 0, 20},
	openflow.FieldICMPv6Type:   {wordTransport, 48, 8},
	openflow.FieldICMPv6Code:   {wordTransport, 32, 8},
	openflow.FieldIPv6NDTarget: {wordNDTgt, 0, 128},
	openflow.FieldIPv6NDSLL:    {wordSHA, 16, 48},
	openflow.FieldIPv6NDTLL:    {wordTHA, 16, 48},
	openflow.FieldMPLSLabel:    {wordMPLS, 4, 20},
	openflow.FieldMPLSTC:       {wordMPLS, 1, 3},
	openflow.FieldMPLSBOS:      {wordMPLS, 0, 1},
	openflow.FieldTunnelID:     {wordTunnel, 0, 64},
	openflow.FieldIPv6ExtHdr:   {wordSHA, 0, 9},
}

// get is the value of a field of up to 64 bits.
func (w *words) get(f openflow.Field) uint64 {
	p := places[f]
	return w[p.word] >> p.shift & lowBits(p.bits)
}

// lowBits is a number whose n low bits are ones.
func lowBits(n uint8) uint64 { return 1<<n - 1 }

// fill packs the fields k of a frame that came in at port. Metadata and tunnel are left as they
// are.
func (w *words) fill(frame []byte, k *packet.Key, end int, port uint32) {
	metadata, tunnel := w[wordMetadata], w[wordTunnel]
	*w = words{
		wordPort: uint64(port)<<32 | uint64(k.EtherType)<<16 | uint64(k.PCP)<<13 | uint64(k.VLAN),
		wordDst:  mac(k.EthDst)<<16 | uint64(k.IPProto)<<8 | uint64(k.DSCP)<<2 | uint64(k.ECN),
		wordSrc:  mac(k.EthSrc)<<16 | uint64(k.ARPOp),
		wordMPLS: uint64(port) << 32,
	}
	w[wordMetadata], w[wordTunnel] = metadata, tunnel
	switch {
	case k.Layers&packet.LayerIPv4 != 0:
		w[wordIPv4] = uint64(binary.BigEndian.Uint32(k.IPSrc[12:]))<<32 | uint64(binary.BigEndian.Uint32(k.IPDst[12:]))
		w.fillTransport(k)
	case k.Layers&packet.LayerIPv6 != 0:
		w[wordIPv6Src], w[wordIPv6Src+1] = pair(&k.IPSrc)
		w[wordIPv6Dst], w[wordIPv6Dst+1] = pair(&k.IPDst)
		w.fillTransport(k)
		w[wordTransport] |= uint64(k.FlowLabel)
		_, _, _, _, at, _ := packet.ParseEthernet(frame)
		w[wordSHA] |= extensionBits(packet.IPv6(frame[at:]))
	case k.Layers&packet.LayerARP != 0:
		w[wordIPv4] = uint64(binary.BigEndian.Uint32(k.ARPSPA[:]))<<32 | uint64(binary.BigEndian.Uint32(k.ARPTPA[:]))
		w[wordSHA], w[wordTHA] = mac(k.ARPSHA)<<16, mac(k.ARPTHA)<<16
	case isMPLS(k.EtherType) && len(frame) >= end+mplsLen:
		shim := uint64(binary.BigEndian.Uint32(frame[end:]))
		w[wordMPLS] |= shim >> 8 // label, traffic class and bottom of stack are in the order of the wire
	}
}

// fillTransport packs the fields of the transport. Fragments have none, the first one neither.
func (w *words) fillTransport(k *packet.Key) {
	if k.Frag != 0 {
		return
	}
	const icmp = packet.LayerICMPv4 | packet.LayerICMPv6
	if k.Layers&icmp == 0 {
		w[wordTransport] = uint64(k.SrcPort)<<48 | uint64(k.DstPort)<<32
		return
	}
	w[wordTransport] = uint64(k.ICMPType)<<48 | uint64(k.ICMPCode)<<32
	if k.Layers&packet.LayerND != 0 {
		w[wordNDTgt], w[wordNDTgt+1] = pair(&k.NDTarget)
		w[wordSHA], w[wordTHA] = mac(k.NDSLL)<<16, mac(k.NDTLL)<<16
	}
}

// mac is an address as a number: two overlapping loads are quicker than six.
func mac(m packet.MAC) uint64 {
	return uint64(binary.BigEndian.Uint32(m[:4]))<<16 | uint64(binary.BigEndian.Uint16(m[4:]))
}

func pair(a *packet.Addr) (high, low uint64) {
	return binary.BigEndian.Uint64(a[:8]), binary.BigEndian.Uint64(a[8:])
}

// isMPLS reports whether a label stack follows.
func isMPLS(etherType uint16) bool { return etherType == typeMPLS || etherType == typeMPLSMulticast }

const (
	typeMPLS          = packet.TypeMPLS
	typeMPLSMulticast = 0x8848
	mplsLen           = 4 // of a label with its traffic class, bottom of stack and TTL
)
