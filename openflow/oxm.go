package openflow

// An OXM TLV begins with 32 bits: class (16), field (7), whether a mask follows (1), length of the
// rest in bytes (8).
const (
	oxmHeaderLen    = 4
	oxmClassBasic   = 0x8000 // OFPXMC_OPENFLOW_BASIC
	oxmClassExp     = 0xffff // OFPXMC_EXPERIMENTER: the experimenter's id is the first four bytes of the rest
	oxmHasMask      = 1 << 8
	matchTypeOXM    = 1 // OFPMT_OXM
	matchHeaderLen  = 4
	vlanVIDMask     = 0x0fff
	etherTypeIPv4   = 0x0800
	etherTypeARP    = 0x0806
	etherTypeIPv6   = 0x86dd
	etherTypeMPLS   = 0x8847
	etherTypeMPLSMC = 0x8848
	etherTypePBB    = 0x88e7
	protoICMP       = 1
	protoTCP        = 6
	protoUDP        = 17
	protoICMPv6     = 58
	protoSCTP       = 132
	icmpv6Solicit   = 135 // neighbour solicitation
	icmpv6Advertise = 136 // neighbour advertisement
)

// fieldForm is how a field's value is written in text.
type fieldForm uint8

const (
	formDec       fieldForm = iota // decimal; with a mask both in hexadecimal
	formHex                        // hexadecimal
	formEtherType                  // hexadecimal, four digits
	formPort                       // number or name
	formMAC
	formIP // IPv4 or IPv6, masks as prefix length where they are one
	formVLAN
)

// oxmField describes a field of class OFPXMC_OPENFLOW_BASIC.
type oxmField struct {
	name     string
	size     uint8 // of the value, in bytes
	bits     uint8 // of the value that count
	maskable bool
	form     fieldForm
	needs    packetKind // one of these must be matched before; 0 for no prerequisite
}

// packetKind is a set of kinds of packet: what the fields matched so far say of the packet. Fields
// have kinds as prerequisites.
type packetKind uint16

const (
	kindInPort packetKind = 1 << iota // the ingress port is matched
	kindTagged
	kindIPv4
	kindIPv6
	kindARP
	kindMPLS
	kindPBB
	kindTCP
	kindUDP
	kindSCTP
	kindICMPv4
	kindICMPv6
	kindSolicit
	kindAdvertise
	kindAny // of every packet

	kindIP = kindIPv4 | kindIPv6
	kindND = kindSolicit | kindAdvertise
)

// numFields is how many fields OpenFlow 1.3 has; they are numbered from 0.
const numFields = int(FieldIPv6ExtHdr) + 1

// oxmFields is the table of fields: widths, masks and prerequisites as in Open vSwitch's
// include/openvswitch/meta-flow.h and os-ken's oxm_fields.py; which are maskable, as OpenFlow 1.3
// has it.
var oxmFields = [numFields]oxmField{
	FieldInPort:       {"in_port", 4, 32, false, formPort, 0},
	FieldInPhyPort:    {"in_phy_port", 4, 32, false, formPort, kindInPort},
	FieldMetadata:     {"metadata", 8, 64, true, formHex, 0},
	FieldEthDst:       {"eth_dst", 6, 48, true, formMAC, 0},
	FieldEthSrc:       {"eth_src", 6, 48, true, formMAC, 0},
	FieldEthType:      {"eth_type", 2, 16, false, formEtherType, 0},
	FieldVLANVID:      {"vlan_vid", 2, 13, true, formVLAN, 0},
	FieldVLANPCP:      {"vlan_pcp", 1, 3, false, formDec, kindTagged},
	FieldIPDSCP:       {"ip_dscp", 1, 6, false, formDec, kindIP},
	FieldIPECN:        {"ip_ecn", 1, 2, false, formDec, kindIP},
	FieldIPProto:      {"ip_proto", 1, 8, false, formDec, kindIP},
	FieldIPv4Src:      {"ipv4_src", 4, 32, true, formIP, kindIPv4},
	FieldIPv4Dst:      {"ipv4_dst", 4, 32, true, formIP, kindIPv4},
	FieldTCPSrc:       {"tcp_src", 2, 16, false, formDec, kindTCP},
	FieldTCPDst:       {"tcp_dst", 2, 16, false, formDec, kindTCP},
	FieldUDPSrc:       {"udp_src", 2, 16, false, formDec, kindUDP},
	FieldUDPDst:       {"udp_dst", 2, 16, false, formDec, kindUDP},
	FieldSCTPSrc:      {"sctp_src", 2, 16, false, formDec, kindSCTP},
	FieldSCTPDst:      {"sctp_dst", 2, 16, false, formDec, kindSCTP},
	FieldICMPv4Type:   {"icmpv4_type", 1, 8, false, formDec, kindICMPv4},
	FieldICMPv4Code:   {"icmpv4_code", 1, 8, false, formDec, kindICMPv4},
	FieldARPOp:        {"arp_op", 2, 16, false, formDec, kindARP},
	FieldARPSPA:       {"arp_spa", 4, 32, true, formIP, kindARP},
	FieldARPTPA:       {"arp_tpa", 4, 32, true, formIP, kindARP},
	FieldARPSHA:       {"arp_sha", 6, 48, true, formMAC, kindARP},
	FieldARPTHA:       {"arp_tha", 6, 48, true, formMAC, kindARP},
	FieldIPv6Src:      {"ipv6_src", 16, 128, true, formIP, kindIPv6},
	FieldIPv6Dst:      {"ipv6_dst", 16, 128, true, formIP, kindIPv6},
	FieldIPv6FLabel:   {"ipv6_flabel", 4, 20, true, formHex, kindIPv6},
	FieldICMPv6Type:   {"icmpv6_type", 1, 8, false, formDec, kindICMPv6},
	FieldICMPv6Code:   {"icmpv6_code", 1, 8, false, formDec, kindICMPv6},
	FieldIPv6NDTarget: {"ipv6_nd_target", 16, 128, false, formIP, kindND},
	FieldIPv6NDSLL:    {"ipv6_nd_sll", 6, 48, false, formMAC, kindSolicit},
	FieldIPv6NDTLL:    {"ipv6_nd_tll", 6, 48, false, formMAC, kindAdvertise},
	FieldMPLSLabel:    {"mpls_label", 4, 20, false, formDec, kindMPLS},
	FieldMPLSTC:       {"mpls_tc", 1, 3, false, formDec, kindMPLS},
	FieldMPLSBOS:      {"mpls_bos", 1, 1, false, formDec, kindMPLS},
	FieldPBBISID:      {"pbb_isid", 3, 24, true, formDec, kindPBB},
	FieldTunnelID:     {"tunnel_id", 8, 64, true, formHex, 0},
	FieldIPv6ExtHdr:   {"ipv6_exthdr", 2, 9, true, formHex, kindIPv6},
}

// String is the field's name: "eth_dst".
func (f Field) String() string {
	if int(f) < numFields {
		return oxmFields[f].name
	}
	return "field_" + string(appendDec(nil, f))
}

// Bits is how many bits of the field's value count, the lowest ones; 0 for a field that is not of the table.
func (f Field) Bits() int {
	if int(f) < numFields {
		return int(oxmFields[f].bits)
	}
	return 0
}

// FieldByName is the field of a name.
func FieldByName(name string) (Field, bool) {
	f, ok := fieldsByName[name]
	return f, ok
}

var fieldsByName = func() map[string]Field {
	m := make(map[string]Field, numFields)
	for i := range oxmFields {
		m[oxmFields[i].name] = Field(i)
	}
	return m
}()

// oxm is one TLV taken apart: views of its parts.
type oxm struct {
	header uint32
	value  []byte // of an experimenter's class, its id first
	mask   []byte // nil if there is none
	size   int    // of the whole TLV
}

func (o oxm) class() uint16 { return uint16(o.header >> 16) }

// basic is the field, if it is one of the table.
func (o oxm) basic() (Field, bool) {
	f := Field(o.header >> 9 & 0x7f)
	return f, o.class() == oxmClassBasic && int(f) < numFields
}

// nextOXM takes the first TLV of b apart; ok is false if it does not fit or a mask is not as long
// as its value.
func nextOXM(b []byte) (o oxm, ok bool) {
	if len(b) < oxmHeaderLen {
		return oxm{}, false
	}
	o.header = be32(b)
	o.size = oxmHeaderLen + int(o.header&0xff)
	if len(b) < o.size {
		return oxm{}, false
	}
	o.value = view(b, oxmHeaderLen, o.size)
	id := 0
	if o.class() == oxmClassExp {
		if id = 4; len(o.value) < id {
			return oxm{}, false
		}
	}
	if o.header&oxmHasMask != 0 {
		n := len(o.value) - id
		if n%2 != 0 {
			return oxm{}, false
		}
		o.mask = view(o.value, id+n/2, len(o.value))
		o.value = view(o.value, 0, id+n/2)
	}
	return o, true
}

// key tells TLVs of different fields apart; the mask does not count.
func (o oxm) key() uint64 {
	k := uint64(o.header>>9) << 32
	if o.class() == oxmClassExp {
		k |= uint64(be32(o.value))
	}
	return k
}

// kindOf is what matching a field with this value, besides have, says of the packet.
func kindOf(f Field, value []byte, have packetKind) packetKind {
	switch f {
	case FieldInPort:
		return kindInPort
	case FieldVLANVID:
		if be16(value)&VLANPresent != 0 {
			return kindTagged
		}
	case FieldEthType:
		return etherTypeKind(be16(value))
	case FieldIPProto:
		return protoKind(value[0], have)
	case FieldICMPv6Type:
		switch value[0] {
		case icmpv6Solicit:
			return kindSolicit
		case icmpv6Advertise:
			return kindAdvertise
		}
	}
	return 0
}

func etherTypeKind(t uint16) packetKind {
	switch t {
	case etherTypeIPv4:
		return kindIPv4
	case etherTypeIPv6:
		return kindIPv6
	case etherTypeARP:
		return kindARP
	case etherTypeMPLS, etherTypeMPLSMC:
		return kindMPLS
	case etherTypePBB:
		return kindPBB
	}
	return 0
}

func protoKind(proto uint8, have packetKind) packetKind {
	switch {
	case proto == protoTCP:
		return kindTCP
	case proto == protoUDP:
		return kindUDP
	case proto == protoSCTP:
		return kindSCTP
	case proto == protoICMP && have&kindIPv4 != 0:
		return kindICMPv4
	case proto == protoICMPv6 && have&kindIPv6 != 0:
		return kindICMPv6
	}
	return 0
}
