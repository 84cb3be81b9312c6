package packet

// TransportChecksum is the checksum of b, a whole TCP segment, UDP datagram or ICMPv6 message of
// protocol proto, with the pseudo-header of a packet from src to dst: what is written into a
// checksum field that is 0 in b; and 0 where b holds a right one. src and dst are both IPv4 or both
// IPv6 addresses.
func TransportChecksum(src, dst Addr, proto uint8, b []byte) uint16 {
	k := Key{EtherType: TypeIPv6, IPSrc: src, IPDst: dst}
	if src.Is4() && dst.Is4() {
		k.EtherType = TypeIPv4
	}
	return fold(sumBytes(k.pseudo(proto, len(b)), b))
}
