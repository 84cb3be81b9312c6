//go:build real

package openflow

import (
	"math/bits"
	"strconv"
)

// fields10 are the fields of struct ofp_match of OpenFlow 1.0 in its order, with the wildcard bit
// of each; the addresses have a number of bits instead.
var fields10 = []struct {
	name     string
	wildcard uint32
	from     []Field
}{
	{"in_port", 1 << 0, []Field{FieldInPort}},
	{"dl_src", 1 << 2, []Field{FieldEthSrc}},
	{"dl_dst", 1 << 3, []Field{FieldEthDst}},
	{"dl_vlan", 1 << 1, []Field{FieldVLANVID}},
	{"dl_vlan_pcp", 1 << 20, []Field{FieldVLANPCP}},
	{"dl_type", 1 << 4, []Field{FieldEthType}},
	{"nw_tos", 1 << 21, []Field{FieldIPDSCP}},
	{"nw_proto", 1 << 5, []Field{FieldIPProto, FieldARPOp}},
	{"nw_src", 0, []Field{FieldIPv4Src, FieldARPSPA}},
	{"nw_dst", 0, []Field{FieldIPv4Dst, FieldARPTPA}},
	{"tp_src", 1 << 6, []Field{FieldTCPSrc, FieldUDPSrc, FieldICMPv4Type}},
	{"tp_dst", 1 << 7, []Field{FieldTCPDst, FieldUDPDst, FieldICMPv4Code}},
}

// match10 gives the leaves of a match as OpenFlow 1.0 writes it.
func (w *walker) match10(m Match) {
	wildcards := uint32(0)
	var out []leaf
	for _, f := range fields10 {
		value, mask, ok := []byte(nil), []byte(nil), false
		for _, from := range f.from {
			if !ok {
				value, mask, ok = m.Lookup(from)
			}
		}
		n := uint64(0)
		if ok {
			n = number(value)
		}
		wild := f.wildcard
		if ok {
			wild = 0
		}
		switch f.name {
		case "nw_src", "nw_dst":
			wild = 32
			if ok {
				wild = 0
			}
			if mask != nil {
				wild = uint32(32 - bits.OnesCount64(number(mask)))
			}
			wild <<= map[string]int{"nw_src": 8, "nw_dst": 14}[f.name]
		case "nw_tos":
			n <<= 2
		case "dl_vlan":
			if n &= 0x0fff; ok && be16(value) == 0 {
				n = 0xffff
			}
		case "dl_vlan_pcp":
			if vid, _, tagged := m.Lookup(FieldVLANVID); tagged && be16(vid) == 0 {
				wild = 0 // of untagged packets: it counts for nothing, and is written as Open vSwitch does
			}
		}
		wildcards |= wild
		out = append(out, leaf{"Match10." + f.name, strconv.FormatUint(n, 10)})
	}
	w.add("Match10.wildcards", strconv.Itoa(int(wildcards)))
	w.out = append(w.out, out...)
}
