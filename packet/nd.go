package packet

// NDLen is the length of a neighbour solicitation or advertisement before its options, in bytes.
const NDLen = 24

// ICMPv6 types of neighbour discovery (RFC 4861).
const (
	NDRouterSolicit uint8 = 133
	NDRouterAdvert  uint8 = 134
	NDSolicit       uint8 = 135
	NDAdvert        uint8 = 136
)

// Options of neighbour discovery.
const (
	NDOptSLL uint8 = 1 // source link-layer address
	NDOptTLL uint8 = 2 // target link-layer address
)

// Flags of an advertisement.
const (
	NDSolicited uint8 = 0x40
	NDOverride  uint8 = 0x20
)

// ND is a view of a neighbour or router solicitation or advertisement: an ICMPv6 message of one of
// the four types.
type ND []byte

// Valid reports whether the part before the options is there: 24 bytes of a neighbour message, 8 of
// a router solicitation, 16 of a router advertisement.
func (m ND) Valid() bool { return m.optionsAt() != 0 && len(m) >= m.optionsAt() }

// Type is the ICMPv6 type.
func (m ND) Type() uint8 { return m[0] }

// Flags are those of a neighbour advertisement.
func (m ND) Flags() uint8 { return m[4] }

// Target is the target of a neighbour solicitation or advertisement. It panics for router messages,
// which have none.
func (m ND) Target() Addr { return Addr(m[8:24]) }

// Options are the bytes after the fixed part; see NextNDOption.
func (m ND) Options() []byte { return m[m.optionsAt():] }

// optionsAt is the offset of the options, 0 where this is no such message.
func (m ND) optionsAt() int {
	if len(m) < ICMPLen {
		return 0
	}
	switch m[0] {
	case NDSolicit, NDAdvert:
		return NDLen
	case NDRouterSolicit:
		return 8
	case NDRouterAdvert:
		return 16
	}
	return 0
}

// NextNDOption takes the first option off b; value is what follows its type and length. ok is false
// when b is empty or ends inside of it, or when the length is 0, which would never end.
func NextNDOption(b []byte) (typ uint8, value, rest []byte, ok bool) {
	if len(b) < 2 {
		return 0, nil, nil, false
	}
	n := int(b[1]) * 8
	if n == 0 || n > len(b) {
		return 0, nil, nil, false
	}
	return b[0], b[2:n], b[n:], true
}

// NewNDSolicit is the key of a solicitation: who has target, tell src at sll. It goes to the
// target's solicited-node multicast address. Set VLAN where it is to be tagged.
func NewNDSolicit(sll MAC, src, target Addr) Key {
	dst := Addr{0: 0xff, 1: 0x02, 11: 0x01, 12: 0xff, 13: target[13], 14: target[14], 15: target[15]}
	return Key{EthDst: MAC{0x33, 0x33, dst[12], dst[13], dst[14], dst[15]}, EthSrc: sll, EtherType: TypeIPv6,
		IPProto: ProtoICMPv6, TTL: 255,
		IPSrc: src, IPDst: dst, ICMPType: NDSolicit, NDTarget: target, NDSLL: sll,
		Layers: LayerEthernet | LayerIPv6 | LayerICMPv6 | LayerND}
}

// NewNDAdvert is the key of an advertisement to ethDst and dst: target is at tll. Set VLAN where it
// is to be tagged.
func NewNDAdvert(tll MAC, target Addr, ethDst MAC, dst Addr) Key {
	return Key{EthDst: ethDst, EthSrc: tll, EtherType: TypeIPv6, IPProto: ProtoICMPv6, TTL: 255,
		IPSrc: target, IPDst: dst, ICMPType: NDAdvert, NDTarget: target, NDTLL: tll,
		Layers: LayerEthernet | LayerIPv6 | LayerICMPv6 | LayerND}
}

// AppendND appends the neighbour solicitation or advertisement that k describes, by ICMPType;
// options only for link-layer addresses that are not zero. flags are written into an advertisement:
// NDSolicited for an answer. A TTL of 0 becomes 255, which receivers demand.
func AppendND(b []byte, k *Key, flags uint8) []byte {
	v6 := *k
	v6.EtherType = TypeIPv6
	if v6.TTL == 0 {
		v6.TTL = 255
	}
	if v6.ICMPType != NDAdvert {
		flags = 0
	}
	n := NDLen
	for _, ll := range [2]MAC{k.NDSLL, k.NDTLL} {
		if !ll.IsZero() {
			n += 8
		}
	}
	b, at := appendICMP(b, &v6, n)
	b = append(b, flags, 0, 0, 0)
	b = append(b, k.NDTarget[:]...)
	b = appendLLOption(b, NDOptSLL, k.NDSLL)
	b = appendLLOption(b, NDOptTLL, k.NDTLL)
	return sumICMP(b, at, &v6)
}

func appendLLOption(b []byte, typ uint8, ll MAC) []byte {
	if ll.IsZero() {
		return b
	}
	return append(append(b, typ, 1), ll[:]...)
}
