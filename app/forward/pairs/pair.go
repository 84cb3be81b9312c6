package pairs

import (
	"cmp"

	"github.com/weirnet/weir/app/forward/places"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// Pair is what a unicast rule matches: VLAN, source and destination.
type Pair struct {
	src uint64 // MAC<<16 | vlan_vid
	dst uint64
}

// Of returns the pair of two MAC addresses, in the low 48 bits, and a VLAN as vlan_vid matches it: 0 untagged,
// else the id with openflow.VLANPresent.
func Of(src, dst uint64, vlan uint16) Pair { return Pair{src: src<<16 | uint64(vlan), dst: dst} }

// OfMatch reads a pair back from the match of its rule.
func OfMatch(m openflow.Match) (Pair, bool) {
	vlan, ok1 := m.Uint(openflow.FieldVLANVID)
	src, ok2 := m.Uint(openflow.FieldEthSrc)
	dst, ok3 := m.Uint(openflow.FieldEthDst)
	return Of(src, dst, uint16(vlan)), ok1 && ok2 && ok3
}

func (p Pair) vlan() uint16 { return uint16(p.src) }

// Src is the source as a key of places.
func (p Pair) Src() places.Key { return places.KeyOf(p.src>>16, p.vlan()) }

// Dst is the destination as a key of places.
func (p Pair) Dst() places.Key { return places.KeyOf(p.dst, p.vlan()) }

// SrcHost is the source as the view names it.
func (p Pair) SrcHost() netview.HostID {
	return netview.HostID{MAC: packet.MACFromUint64(p.src >> 16), VLAN: p.vlan() &^ openflow.VLANPresent}
}

// Compare orders pairs.
func (p Pair) Compare(q Pair) int {
	return cmp.Or(cmp.Compare(p.src, q.src), cmp.Compare(p.dst, q.dst))
}

// Hash is the same for both directions of a pair: it chooses among paths of equal cost.
func (p Pair) Hash() uint64 {
	h := (p.src>>16 ^ p.dst) * 0x9e3779b97f4a7c15
	h ^= (p.src>>16 + p.dst) * 0xc2b2ae3d27d4eb4f
	h ^= h >> 29
	return h * 0xbf58476d1ce4e5b9
}

// AppendMatch appends the OXM TLVs of the pair: vlan_vid, eth_src, eth_dst.
func (p Pair) AppendMatch(b []byte) []byte {
	var src, dst = packet.MACFromUint64(p.src >> 16), packet.MACFromUint64(p.dst)
	b = append(b, 0x80, 0x00, byte(openflow.FieldVLANVID)<<1, 2, byte(p.vlan()>>8), byte(p.vlan()))
	b = append(append(b, 0x80, 0x00, byte(openflow.FieldEthSrc)<<1, 6), src[:]...)
	return append(append(b, 0x80, 0x00, byte(openflow.FieldEthDst)<<1, 6), dst[:]...)
}
