package topo

import (
	"encoding/binary"
	"hash/crc32"
)

// Sum is a checksum of what is cabled how: equal for equal topologies, and most likely different
// for others. Names, places and the qualities of links do not count.
func (t *Topology) Sum() uint32 {
	var b []byte
	add := func(e End) {
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(b, t.Switches[e.Switch].DPID), e.Port)
	}
	for _, sw := range t.Switches {
		b = binary.BigEndian.AppendUint64(b, sw.DPID)
	}
	for _, l := range t.Links {
		add(l.A)
		add(l.B)
	}
	for i := range t.Hosts {
		b = append(b, t.Hosts[i].MAC[:]...)
		add(t.Hosts[i].At)
	}
	return crc32.ChecksumIEEE(b)
}
