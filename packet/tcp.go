package packet

import "encoding/binary"

// TCPLen is the length of a TCP header without options, in bytes.
const TCPLen = 20

// Flags of TCP.
const (
	TCPFin uint16 = 1 << iota
	TCPSyn
	TCPRst
	TCPPsh
	TCPAck
	TCPUrg
)

// TCP is a view of a TCP segment.
type TCP []byte

// Valid reports whether the header is there with its options.
func (t TCP) Valid() bool {
	return len(t) >= TCPLen && t.HeaderLen() >= TCPLen && t.HeaderLen() <= len(t)
}

// SrcPort is the source port.
func (t TCP) SrcPort() uint16 { return binary.BigEndian.Uint16(t[0:2]) }

// DstPort is the destination port.
func (t TCP) DstPort() uint16 { return binary.BigEndian.Uint16(t[2:4]) }

// Seq is the sequence number.
func (t TCP) Seq() uint32 { return binary.BigEndian.Uint32(t[4:8]) }

// Ack is the acknowledgment number.
func (t TCP) Ack() uint32 { return binary.BigEndian.Uint32(t[8:12]) }

// HeaderLen is the length of header and options, in bytes.
func (t TCP) HeaderLen() int { return int(t[12]>>4) * 4 }

// Flags are the 12 bits after the header's length.
func (t TCP) Flags() uint16 { return binary.BigEndian.Uint16(t[12:14]) & 0x0fff }

// Window is the receive window, not scaled.
func (t TCP) Window() uint16 { return binary.BigEndian.Uint16(t[14:16]) }

// Options are the bytes after the fixed header; see NextTCPOption.
func (t TCP) Options() []byte { return t[TCPLen:t.HeaderLen()] }

// Payload is what follows the options.
func (t TCP) Payload() []byte { return t[t.HeaderLen():] }

// AppendTCP appends the segment with this payload that k describes, without options: its Ethernet,
// VLAN, IP, port and flag fields. k.EtherType chooses IPv4 or IPv6; a TTL of 0 becomes 64.
func AppendTCP(b []byte, k *Key, seq, ack uint32, window uint16, payload []byte) []byte {
	return AppendTCPOptions(b, k, seq, ack, window, nil, payload)
}

// AppendTCPOptions is AppendTCP with options: at most 40 bytes, a multiple of 4 (see TCPOptNop).
// Others are a mistake of the caller.
func AppendTCPOptions(b []byte, k *Key, seq, ack uint32, window uint16, options, payload []byte) []byte {
	header := TCPLen + len(options)
	n := header + len(payload)
	b = appendIP(b, k, ProtoTCP, n)
	at := len(b)
	b = binary.BigEndian.AppendUint16(b, k.SrcPort)
	b = binary.BigEndian.AppendUint16(b, k.DstPort)
	b = binary.BigEndian.AppendUint32(b, seq)
	b = binary.BigEndian.AppendUint32(b, ack)
	b = binary.BigEndian.AppendUint16(b, uint16(header/4)<<12|k.TCPFlags&0x0fff)
	b = binary.BigEndian.AppendUint16(b, window)
	b = append(b, 0, 0, 0, 0)
	b = append(b, options...)
	b = append(b, payload...)
	binary.BigEndian.PutUint16(b[at+16:], fold(sumBytes(k.pseudo(ProtoTCP, n), b[at:])))
	return b
}
