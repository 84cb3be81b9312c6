package flowtable_test

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
)

// twinStation is where an address of a VLAN was seen last, and when.
type twinStation struct {
	vlan uint16
	mac  [6]byte
	port uint32
	at   time.Duration
}

// normal is the learning bridge of IEEE 802.1Q, with one table for all VLANs.
func (p *twinPacket) normal() {
	dst, src := [6]byte(p.frame), [6]byte(p.frame[6:])
	if p.w.port[p.in] != nil && [5]byte(dst[:5]) == [5]byte{1, 0x80, 0xc2, 0, 0} && dst[5] < 16 {
		return
	}
	vlan := uint16(0)
	if t := binary.BigEndian.Uint16(p.frame[12:]); t == 0x8100 || t == 0x88a8 {
		vlan = binary.BigEndian.Uint16(p.frame[14:]) & 0xfff
	}
	if p.w.port[p.in] != nil && src[0]&1 == 0 {
		p.w.seen = slices.DeleteFunc(p.w.seen, func(s twinStation) bool { return s.vlan == vlan && s.mac == src })
		p.w.seen = append(p.w.seen, twinStation{vlan, src, p.in, p.w.now})
	}
	to := openflow.PortFlood
	for _, s := range p.w.seen {
		if s.vlan == vlan && s.mac == dst && p.w.now-s.at < 300*time.Second {
			to = s.port
		}
	}
	frame := p.frame
	if binary.BigEndian.Uint32(frame[12:])&^0x1000 == 0x81000000 {
		p.frame = slices.Delete(slices.Clone(frame), 12, 16)
	}
	p.output(openflow.Output(to))
	p.frame = frame
}
