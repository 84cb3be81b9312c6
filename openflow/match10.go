package openflow

// struct ofp_match of OpenFlow 1.0: its length, the offsets of its fields, its bits of wildcards.
const (
	match10Len = 40

	at10InPort   = 4
	at10DLSrc    = 6
	at10DLDst    = 12
	at10VLAN     = 18
	at10PCP      = 20
	at10Pad1     = 21
	at10DLType   = 22
	at10TOS      = 24
	at10Proto    = 25
	at10Pad2     = 26
	at10NWSrc    = 28
	at10NWDst    = 32
	at10TPSrc    = 36
	at10TPDst    = 38
	vlan10None   = 0xffff // OFP10_VLAN_NONE: untagged
	shift10Src   = 8      // of the six bits that say how many low bits of nw_src are wildcarded
	shift10Dst   = 14
	wild10InPort = 1 << 0
	wild10VLAN   = 1 << 1
	wild10DLSrc  = 1 << 2
	wild10DLDst  = 1 << 3
	wild10DLType = 1 << 4
	wild10Proto  = 1 << 5
	wild10TPSrc  = 1 << 6
	wild10TPDst  = 1 << 7
	wild10PCP    = 1 << 20
	wild10TOS    = 1 << 21
	// wild10All wildcards every field; 32 bits of an address are all of it.
	wild10All = 0xff | 32<<shift10Src | 32<<shift10Dst | wild10PCP | wild10TOS
)

// match10 is a struct ofp_match as it came, and what it means. The zero match10 means nothing.
type match10 struct {
	fixed []byte // the 40 bytes
	meant []byte // the TLVs: whoever has others than this very slice has changed the match
}

// parse takes a match at the beginning of b, of which it stays a view. What it means is made in a.
func (m *match10) parse(b []byte, a *arena) error {
	if len(b) < match10Len {
		return refuse(BadRequestBadLen, "%d bytes, too short for a match of %d", len(b), match10Len)
	}
	m.fixed = view(b, 0, match10Len)
	start := len(a.bytes)
	a.bytes = appendMeaning10(a.bytes, m.fixed)
	m.meant = view(a.bytes, start, len(a.bytes))
	return nil
}

// means reports whether a match with these TLVs still is the one that came.
func (m *match10) means(list []byte) bool {
	if m.fixed == nil || len(list) != len(m.meant) {
		return false
	}
	return len(list) == 0 || &list[0] == &m.meant[0]
}

// exact reports whether there is no wildcard.
func (m *match10) exact() bool { return m.fixed != nil && be32(m.fixed)&wild10Any == 0 }

// wild10Any are the bits of all wildcards; of the counts of wildcarded address bits any is one.
const wild10Any = 0xff | 63<<shift10Src | 63<<shift10Dst | wild10PCP | wild10TOS

// appendMeaning10 appends what a match of OpenFlow 1.0 means as TLVs. A field counts only if the
// fields before it make it one of the packet's, as Open vSwitch normalises (ofputil_normalize_match
// in its lib/ofp-match.c).
func appendMeaning10(b, f []byte) []byte {
	w := be32(f)
	if w&wild10InPort == 0 {
		p := portFrom10(be16(f[at10InPort:]))
		b = appendOXM(b, FieldInPort, []byte{uint8(p >> 24), uint8(p >> 16), uint8(p >> 8), uint8(p)}, nil)
	}
	if w&wild10DLDst == 0 {
		b = appendOXM(b, FieldEthDst, f[at10DLDst:at10DLDst+6], nil)
	}
	if w&wild10DLSrc == 0 {
		b = appendOXM(b, FieldEthSrc, f[at10DLSrc:at10DLSrc+6], nil)
	}
	if w&wild10DLType == 0 {
		b = appendOXM(b, FieldEthType, f[at10DLType:at10DLType+2], nil)
	}
	b = appendVLAN10(b, f, w)
	if w&wild10DLType != 0 {
		return b
	}
	switch be16(f[at10DLType:]) {
	case etherTypeIPv4:
		b = appendIP10(b, f, w)
		b = appendAddr10(b, FieldIPv4Src, f[at10NWSrc:at10NWSrc+4], w>>shift10Src)
		b = appendAddr10(b, FieldIPv4Dst, f[at10NWDst:at10NWDst+4], w>>shift10Dst)
		return appendTransport10(b, f, w, protoICMP, FieldICMPv4Type)
	case etherTypeIPv6:
		b = appendIP10(b, f, w)
		return appendTransport10(b, f, w, protoICMPv6, FieldICMPv6Type)
	case etherTypeARP:
		if w&wild10Proto == 0 {
			b = appendOXM(b, FieldARPOp, []byte{0, f[at10Proto]}, nil)
		}
		b = appendAddr10(b, FieldARPSPA, f[at10NWSrc:at10NWSrc+4], w>>shift10Src)
		b = appendAddr10(b, FieldARPTPA, f[at10NWDst:at10NWDst+4], w>>shift10Dst)
	}
	return b
}

// appendVLAN10 appends the VLAN. A priority without an id is that of any tag; a priority of
// untagged packets is nothing.
func appendVLAN10(b, f []byte, w uint32) []byte {
	vid := be16(f[at10VLAN:])
	switch {
	case w&wild10VLAN == 0 && vid == vlan10None:
		return appendOXM(b, FieldVLANVID, zeros[:2], nil)
	case w&wild10VLAN == 0:
		vid = vid&vlanVIDMask | VLANPresent
		b = appendOXM(b, FieldVLANVID, []byte{uint8(vid >> 8), uint8(vid)}, nil)
	case w&wild10PCP == 0:
		any := [2]byte{uint8(VLANPresent >> 8)}
		b = appendOXM(b, FieldVLANVID, any[:], any[:])
	}
	if w&wild10PCP == 0 {
		b = appendOXM(b, FieldVLANPCP, []byte{f[at10PCP] & 7}, nil)
	}
	return b
}

func appendIP10(b, f []byte, w uint32) []byte {
	if w&wild10TOS == 0 {
		b = appendOXM(b, FieldIPDSCP, []byte{f[at10TOS] >> 2}, nil)
	}
	if w&wild10Proto == 0 {
		b = appendOXM(b, FieldIPProto, f[at10Proto:at10Proto+1], nil)
	}
	return b
}

// appendAddr10 appends an address of which the low bits (the lower six bits of wild) are
// wildcarded; 32 and more are all.
func appendAddr10(b []byte, field Field, addr []byte, wild uint32) []byte {
	wild &= 63
	switch {
	case wild == 0:
		return appendOXM(b, field, addr, nil)
	case wild >= 32:
		return b
	}
	mask := ^uint32(0) << wild
	v := be32(addr) & mask
	return appendOXM(b, field, []byte{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)},
		[]byte{uint8(mask >> 24), uint8(mask >> 16), uint8(mask >> 8), uint8(mask)})
}

// appendTransport10 appends the ports, which are type and code of ICMP.
func appendTransport10(b, f []byte, w uint32, icmp uint8, icmpType Field) []byte {
	if w&wild10Proto != 0 {
		return b
	}
	var field Field
	size := 2
	switch f[at10Proto] {
	case protoTCP:
		field = FieldTCPSrc
	case protoUDP:
		field = FieldUDPSrc
	case protoSCTP:
		field = FieldSCTPSrc
	case icmp:
		field, size = icmpType, 1
	default:
		return b
	}
	if w&wild10TPSrc == 0 {
		b = appendOXM(b, field, f[at10TPSrc+2-size:at10TPSrc+2], nil)
	}
	if w&wild10TPDst == 0 {
		b = appendOXM(b, field+1, f[at10TPDst+2-size:at10TPDst+2], nil)
	}
	return b
}
