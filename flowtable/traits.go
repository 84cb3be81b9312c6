package flowtable

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// The kinds of packet that fields belong to.
const (
	etherTypeIPv4 = uint64(packet.TypeIPv4)
	etherTypeIPv6 = uint64(packet.TypeIPv6)
	etherTypeARP  = uint64(packet.TypeARP)
	protoTCP      = uint64(packet.ProtoTCP)
	protoUDP      = uint64(packet.ProtoUDP)
	protoSCTP     = uint64(packet.ProtoSCTP)
	protoICMPv4   = uint64(packet.ProtoICMPv4)
	protoICMPv6   = uint64(packet.ProtoICMPv6)
)

// traits are the types of a packet's headers, as far as they are known: they decide which fields it
// has, VLAN tags aside.
type traits struct {
	etherType, proto uint64
	icmpv6           uint64 // type
}

// traitsOf are those of a packet with these fields.
func traitsOf(w *words) traits {
	t := traits{etherType: w.get(openflow.FieldEthType), proto: w.get(openflow.FieldIPProto)}
	if t.etherType == etherTypeIPv6 && t.proto == protoICMPv6 {
		t.icmpv6 = w.get(openflow.FieldICMPv6Type)
	}
	return t
}

func (t *traits) ip() bool { return t.etherType == etherTypeIPv4 || t.etherType == etherTypeIPv6 }

// have reports whether such packets have a field.
func (t *traits) have(f openflow.Field) bool {
	switch f {
	case openflow.FieldIPDSCP, openflow.FieldIPECN, openflow.FieldIPProto:
		return t.ip()
	case openflow.FieldIPv4Src, openflow.FieldIPv4Dst:
		return t.etherType == etherTypeIPv4
	case openflow.FieldIPv6Src, openflow.FieldIPv6Dst, openflow.FieldIPv6FLabel, openflow.FieldIPv6ExtHdr:
		return t.etherType == etherTypeIPv6
	case openflow.FieldTCPSrc, openflow.FieldTCPDst:
		return t.ip() && t.proto == protoTCP
	case openflow.FieldUDPSrc, openflow.FieldUDPDst:
		return t.ip() && t.proto == protoUDP
	case openflow.FieldSCTPSrc, openflow.FieldSCTPDst:
		return t.ip() && t.proto == protoSCTP
	case openflow.FieldICMPv4Type, openflow.FieldICMPv4Code:
		return t.etherType == etherTypeIPv4 && t.proto == protoICMPv4
	case openflow.FieldICMPv6Type, openflow.FieldICMPv6Code:
		return t.etherType == etherTypeIPv6 && t.proto == protoICMPv6
	case openflow.FieldARPOp, openflow.FieldARPSPA, openflow.FieldARPTPA, openflow.FieldARPSHA, openflow.FieldARPTHA:
		return t.etherType == etherTypeARP
	case openflow.FieldIPv6NDTarget:
		return t.icmpv6 == uint64(packet.NDSolicit) || t.icmpv6 == uint64(packet.NDAdvert)
	case openflow.FieldIPv6NDSLL:
		return t.icmpv6 == uint64(packet.NDSolicit)
	case openflow.FieldIPv6NDTLL:
		return t.icmpv6 == uint64(packet.NDAdvert)
	case openflow.FieldMPLSLabel, openflow.FieldMPLSTC, openflow.FieldMPLSBOS:
		return isMPLS(uint16(t.etherType))
	}
	return true
}
