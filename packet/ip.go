package packet

import "cmp"

// Protocol numbers (IANA).
const (
	ProtoHopByHop uint8 = 0 // IPv6 extension
	ProtoICMPv4   uint8 = 1
	ProtoIGMP     uint8 = 2
	ProtoTCP      uint8 = 6
	ProtoUDP      uint8 = 17
	ProtoRouting  uint8 = 43 // IPv6 extension
	ProtoFragment uint8 = 44 // IPv6 extension
	ProtoAH       uint8 = 51 // IPv6 extension
	ProtoICMPv6   uint8 = 58
	ProtoNone     uint8 = 59
	ProtoDstOpts  uint8 = 60 // IPv6 extension
	ProtoSCTP     uint8 = 132
)

// defaultTTL is what builders write where the key's TTL is 0, as Linux does.
const defaultTTL = 64

// ttl is the key's, or the default.
func (k *Key) ttl() uint8 { return cmp.Or(k.TTL, defaultTTL) }

// appendIP appends Ethernet and IP headers of k for n bytes of protocol proto. The version is that
// of k.EtherType; anything but TypeIPv6 is IPv4.
func appendIP(b []byte, k *Key, proto uint8, n int) []byte {
	if k.EtherType == TypeIPv6 {
		b = AppendEthernet(b, k.EthDst, k.EthSrc, k.VLAN, k.PCP, TypeIPv6)
		return appendIPv6(b, k, proto, n)
	}
	b = AppendEthernet(b, k.EthDst, k.EthSrc, k.VLAN, k.PCP, TypeIPv4)
	return appendIPv4(b, k, proto, n)
}

// pseudo is the sum of the pseudo-header that TCP, UDP and ICMPv6 check with their n bytes.
func (k *Key) pseudo(proto uint8, n int) uint64 {
	sum := uint64(n) + uint64(proto)
	if k.EtherType == TypeIPv6 {
		return sumBytes(sumBytes(sum, k.IPSrc[:]), k.IPDst[:])
	}
	return sumBytes(sumBytes(sum, k.IPSrc[12:]), k.IPDst[12:])
}
