package packet

import "encoding/binary"

// Lengths of headers, in bytes.
const (
	UDPLen  = 8
	SCTPLen = 12
)

// UDP is a view of a UDP datagram.
type UDP []byte

// Valid reports whether the header is there.
func (u UDP) Valid() bool { return len(u) >= UDPLen }

// SrcPort is the source port.
func (u UDP) SrcPort() uint16 { return binary.BigEndian.Uint16(u[0:2]) }

// DstPort is the destination port.
func (u UDP) DstPort() uint16 { return binary.BigEndian.Uint16(u[2:4]) }

// Len is the length of header and payload as the header has it, in bytes.
func (u UDP) Len() uint16 { return binary.BigEndian.Uint16(u[4:6]) }

// Payload is what follows the header, as far as it is there; empty where Len is less than the
// header.
func (u UDP) Payload() []byte { return u[UDPLen:max(UDPLen, min(int(u.Len()), len(u)))] }

// AppendUDP appends the frame with this payload that k describes: its Ethernet, VLAN, IP and port
// fields. k.EtherType chooses IPv4 or IPv6; a TTL of 0 becomes 64. Payloads that do not fit into
// 65,535 bytes of IP are a mistake of the caller.
func AppendUDP(b []byte, k *Key, payload []byte) []byte {
	n := UDPLen + len(payload)
	b = appendIP(b, k, ProtoUDP, n)
	at := len(b)
	b = binary.BigEndian.AppendUint16(b, k.SrcPort)
	b = binary.BigEndian.AppendUint16(b, k.DstPort)
	b = binary.BigEndian.AppendUint16(b, uint16(n))
	b = append(b, 0, 0)
	b = append(b, payload...)
	sum := fold(sumBytes(k.pseudo(ProtoUDP, n), b[at:]))
	if sum == 0 {
		sum = 0xffff // RFC 768: 0 says that there is none
	}
	binary.BigEndian.PutUint16(b[at+6:], sum)
	return b
}
