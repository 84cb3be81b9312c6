package conflict

import "github.com/weirnet/weir/openflow"

// Shape is which bits a match looks at. Two matches of one shape are equal, or have no packet in
// common.
type Shape struct {
	fields uint64 // by number
	masks  uint64 // hash of the fields with masks and of these; 0 without any
	Source bool   // it fixes the sender; follows from the other two
}

const sourceFields = 1<<openflow.FieldEthSrc | 1<<openflow.FieldIPv4Src | 1<<openflow.FieldIPv6Src | 1<<openflow.FieldARPSPA

// ShapeOf returns the shape of a canonical match.
func ShapeOf(match []byte) (s Shape) {
	for rest := match; len(rest) > 0; {
		n := 4 + int(rest[3])
		field := uint64(1) << (rest[2] >> 1 & 63)
		s.fields |= field
		if rest[2]&1 == 0 {
			s.Source = s.Source || field&sourceFields != 0
		} else {
			s.masks = mix(s.masks, uint64(rest[2]))
			for _, b := range rest[4+(n-4)/2 : n] {
				s.masks = mix(s.masks, uint64(b))
			}
		}
		rest = rest[n:]
	}
	return s
}

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}
