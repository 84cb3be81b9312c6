package traffic

import (
	"encoding/binary"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
)

// template are the frames of a few datagrams, which differ by their numbers only.
type template struct {
	each   int // frames of a datagram
	frames [][]byte
	at     int // where IP begins
	number int // where the payload begins, in the first frame of each datagram
	six    bool
}

// newTemplate makes the frames of so many datagrams.
func newTemplate(c *Config, count int) *template {
	k := packet.Key{EthDst: c.ToMAC, EthSrc: c.FromMAC, EtherType: packet.TypeIPv4, IPSrc: c.From, IPDst: c.To,
		SrcPort: c.Port, DstPort: c.Port}
	if !c.To.Is4() {
		k.EtherType = packet.TypeIPv6
	}
	if c.VLAN != 0 {
		k.VLAN = packet.VLANPresent | c.VLAN
	}
	payload := make([]byte, c.Size)
	for i := range payload {
		payload[i] = byte(i)
	}
	probe.PutNumber(payload, 0)
	whole := packet.AppendUDP(nil, &k, payload)
	_, _, _, _, at, _ := packet.ParseEthernet(whole)
	t := &template{at: at, six: k.EtherType == packet.TypeIPv6}
	for range count {
		t.frames, _ = packet.AppendFragments(t.frames, append([]byte(nil), whole...), c.MTU, 0)
	}
	t.each = len(t.frames) / count
	t.number = len(whole) - c.Size
	if t.each > 1 && t.six {
		t.number += fragmentLen
	}
	return t
}

// fragmentLen is the length of IPv6's fragment header.
const fragmentLen = 8

// numbered gives the first count datagrams numbers from a first one on, and returns their frames. The
// numbers of their fragments go along.
func (t *template) numbered(first uint64, count int) [][]byte {
	for i := range count {
		n, frames := uint32(first)+uint32(i), t.frames[i*t.each:(i+1)*t.each]
		probe.PutNumber(frames[0][t.number:], n)
		if t.each == 1 {
			continue
		}
		for _, f := range frames {
			t.identify(f[t.at:], n)
		}
	}
	return t.frames[:count*t.each]
}

// identify says which packet a fragment is a part of.
func (t *template) identify(ip []byte, id uint32) {
	if t.six {
		binary.BigEndian.PutUint32(ip[packet.IPv6Len+4:], id)
		return
	}
	binary.BigEndian.PutUint16(ip[4:], uint16(id))
	binary.BigEndian.PutUint16(ip[10:], 0)
	binary.BigEndian.PutUint16(ip[10:], packet.Checksum(ip[:packet.IPv4Len]))
}
