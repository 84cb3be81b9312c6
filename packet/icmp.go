package packet

import "encoding/binary"

// ICMPLen is the length of type, code, checksum and the four bytes after them, in ICMP of either
// version.
const ICMPLen = 8

// Types of echo messages.
const (
	ICMPv4EchoReply   uint8 = 0
	ICMPv4EchoRequest uint8 = 8
	ICMPv6EchoRequest uint8 = 128
	ICMPv6EchoReply   uint8 = 129
)

// ICMP is a view of an ICMP message for IPv4 or IPv6.
type ICMP []byte

// Valid reports whether the first eight bytes are there.
func (m ICMP) Valid() bool { return len(m) >= ICMPLen }

// Type is the type, numbered by the version of IP.
func (m ICMP) Type() uint8 { return m[0] }

// Code is the code.
func (m ICMP) Code() uint8 { return m[1] }

// EchoID is the identifier of an echo message.
func (m ICMP) EchoID() uint16 { return binary.BigEndian.Uint16(m[4:6]) }

// EchoSeq is the sequence number of an echo message.
func (m ICMP) EchoSeq() uint16 { return binary.BigEndian.Uint16(m[6:8]) }

// Payload is what follows the first eight bytes.
func (m ICMP) Payload() []byte { return m[ICMPLen:] }

// AppendICMPEcho appends the echo message that k describes: its Ethernet, VLAN and IP fields and
// ICMPType, a request or reply of the version of k.EtherType. A TTL of 0 becomes 64.
func AppendICMPEcho(b []byte, k *Key, id, seq uint16, payload []byte) []byte {
	b, at := appendICMP(b, k, ICMPLen+len(payload))
	b = binary.BigEndian.AppendUint16(b, id)
	b = binary.BigEndian.AppendUint16(b, seq)
	b = append(b, payload...)
	return sumICMP(b, at, k)
}

// appendICMP appends all up to an empty checksum, for an ICMP message of n bytes, and returns where
// that begins.
func appendICMP(b []byte, k *Key, n int) ([]byte, int) {
	proto := ProtoICMPv4
	if k.EtherType == TypeIPv6 {
		proto = ProtoICMPv6
	}
	b = appendIP(b, k, proto, n)
	at := len(b)
	return append(b, k.ICMPType, k.ICMPCode, 0, 0), at
}

// sumICMP fills the checksum of the message at b[at:]. Only that of ICMPv6 covers a pseudo-header.
func sumICMP(b []byte, at int, k *Key) []byte {
	var sum uint64
	if k.EtherType == TypeIPv6 {
		sum = k.pseudo(ProtoICMPv6, len(b)-at)
	}
	binary.BigEndian.PutUint16(b[at+2:], fold(sumBytes(sum, b[at:])))
	return b
}
