package topo

import (
	"encoding/binary"
	"hash/crc32"
)

// Sum is a checksum of what is cabled how: equal for equal topologies, and most likely different
// for others. Names, places and the qualities of links do not count.
func (t *Topology) Sum() uint32 {
	sum := crc32.NewIEEE()
	var b []byte
	flush := func() {
		sum.Write(b)
		b = b[:0]
	}
	for _, sw := range t.Switches {
		b = binary.BigEndian.AppendUint64(b, sw.DPID)
		flush()
	}
	for _, l := range t.Links {
		for _, e := range [...]End{l.A, l.B} {
			b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(b, t.Switches[e.Switch].DPID), e.Port)
		}
		flush()
	}
	for i := range t.Hosts {
		h := &t.Hosts[i]
		b = append(b, h.MAC[:]...)
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(b, t.Switches[h.At.Switch].DPID), h.At.Port)
		flush()
	}
	return sum.Sum32()
}
