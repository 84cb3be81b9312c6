package openflow

// Match is what a flow entry matches, in the form of OpenFlow 1.3: a list of OXM TLVs (type,
// length, value, mask), one after the other without the ofp_match header and without padding. The
// zero Match matches everything.
//
// A Match that was parsed is a view into the message's bytes. A Match of an OpenFlow 1.0 message
// carries, besides the TLVs it means, the 40 bytes it came as, so that it is written again as it
// was.
//
// Copies of a Match share memory: change a copy only after Clone.
type Match struct {
	OXM  []byte
	as10 match10 // as OpenFlow 1.0 wrote it, if it did: counts only while it means OXM
}

// oxmList is the TLVs of a match, one after the other. What does not look like a TLV ends it. A list
// that is made of another one is in memory of its own, but where something is only appended.
type oxmList []byte

// Field is a field of class OFPXMC_OPENFLOW_BASIC (enum oxm_ofb_match_fields).
type Field uint8

// The match fields of OpenFlow 1.3, section 7.2.3.7.
const (
	FieldInPort Field = iota
	FieldInPhyPort
	FieldMetadata
	FieldEthDst
	FieldEthSrc
	FieldEthType
	FieldVLANVID // with the bit VLANPresent
	FieldVLANPCP
	FieldIPDSCP
	FieldIPECN
	FieldIPProto
	FieldIPv4Src
	FieldIPv4Dst
	FieldTCPSrc
	FieldTCPDst
	FieldUDPSrc
	FieldUDPDst
	FieldSCTPSrc
	FieldSCTPDst
	FieldICMPv4Type
	FieldICMPv4Code
	FieldARPOp
	FieldARPSPA
	FieldARPTPA
	FieldARPSHA
	FieldARPTHA
	FieldIPv6Src
	FieldIPv6Dst
	FieldIPv6FLabel
	FieldICMPv6Type
	FieldICMPv6Code
	FieldIPv6NDTarget
	FieldIPv6NDSLL
	FieldIPv6NDTLL
	FieldMPLSLabel
	FieldMPLSTC
	FieldMPLSBOS
	FieldPBBISID
	FieldTunnelID
	FieldIPv6ExtHdr
)

// VLANPresent is the bit OFPVID_PRESENT of FieldVLANVID: the packet has a tag. FieldVLANVID equal
// to 0 without a mask matches untagged packets only.
const VLANPresent uint16 = 0x1000
