package load

import (
	"encoding/binary"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// frameLen is the length of every frame, in bytes, without a frame check sequence and without a
// tag.
const frameLen = 64

// Offsets into the IP header.
const (
	ipChecksumAt = 10
	ipSrcAt      = 12
	ipDstAt      = 16
	payloadAt    = 20 + 8
)

// frameTemplate makes packet-ins of one switch as bytes, from one that was encoded before.
type frameTemplate struct {
	message []byte
	buffer  int // offsets into message
	inPort  int
	port16  bool
	frame   int
	ip      int    // of the IP header in the frame
	sum     uint32 // of the IP header's words without addresses and checksum
}

// newFrameTemplate makes the form of a switch. With a VLAN, packets are such that an entry sends to
// the controller, which has pushed its tag before.
func newFrameTemplate(v openflow.Version, sw uint32, copyVLAN uint16) *frameTemplate {
	k := packet.Key{EtherType: packet.TypeIPv4, IPSrc: packet.AddrFrom4([4]byte{}), IPDst: packet.AddrFrom4([4]byte{}),
		SrcPort: 4000, DstPort: 4000}
	f := &frameTemplate{buffer: 8, ip: 14}
	reason := openflow.ReasonNoMatch
	if copyVLAN != 0 {
		k.VLAN, reason, f.ip = packet.VLANPresent|copyVLAN, openflow.ReasonAction, 14+4
	}
	payload := append([]byte(nil), mark[:]...)
	payload = append(binary.BigEndian.AppendUint32(payload, sw), make([]byte, payloadLen-12)...)
	frame := packet.AppendUDP(nil, &k, payload)
	frame[f.ip+payloadAt-2], frame[f.ip+payloadAt-1] = 0, 0 // no UDP checksum (RFC 768)
	message, err := openflow.Append(nil, v, 0, &openflow.PacketIn{
		Buffer: openflow.NoBuffer, TotalLen: uint16(len(frame)), Reason: reason, Cookie: ^uint64(0), InPort: 1, Data: frame,
	})
	if err != nil {
		panic("bench: own packet-in: " + err.Error())
	}
	f.message, f.frame = message, len(message)-len(frame)
	f.inPort, f.port16 = 14, true
	if v != openflow.V10 {
		f.inPort, f.port16 = f.frame-2-4-4, false // before the pads of the match and of the frame
	}
	for at := 0; at < ipSrcAt; at += 2 {
		if at != ipChecksumAt {
			f.sum += uint32(binary.BigEndian.Uint16(frame[f.ip+at:]))
		}
	}
	return f
}

// append appends the packet-in of a packet from src to dst.
func (f *frameTemplate) append(b []byte, src, dst *loadswitch.Host, token uint32, buffered bool) []byte {
	start := len(b)
	b = append(b, f.message...)
	m := b[start:]
	if buffered {
		binary.BigEndian.PutUint32(m[f.buffer:], token)
	}
	if f.port16 {
		binary.BigEndian.PutUint16(m[f.inPort:], uint16(src.At.Port))
	} else {
		binary.BigEndian.PutUint32(m[f.inPort:], src.At.Port)
	}
	frame := m[f.frame:]
	copy(frame[0:6], dst.MAC[:])
	copy(frame[6:12], src.MAC[:])
	ip := frame[f.ip:]
	copy(ip[ipSrcAt:], src.IP[:])
	copy(ip[ipDstAt:], dst.IP[:])
	sum := f.sum + ipWords(src) + ipWords(dst)
	sum = sum>>16 + sum&0xffff
	sum += sum >> 16
	binary.BigEndian.PutUint16(ip[ipChecksumAt:], ^uint16(sum))
	binary.BigEndian.PutUint32(ip[payloadAt+12:], token)
	return b
}

func ipWords(h *loadswitch.Host) uint32 {
	return uint32(h.IP[0])<<8 + uint32(h.IP[1]) + uint32(h.IP[2])<<8 + uint32(h.IP[3])
}
