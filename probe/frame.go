package probe

import (
	"encoding/binary"
	"time"

	"github.com/weirnet/weir/packet"
)

// Stamp is a time of an interface's clock, in nanoseconds since some moment that is the clock's.
type Stamp int64

// Sub is the time from another stamp of the same clock to this one.
func (s Stamp) Sub(earlier Stamp) time.Duration { return time.Duration(s - earlier) }

// Kind is what a packet is, as far as techniques tell packets apart.
type Kind uint8

// The kinds.
const (
	Other Kind = iota // IP of another protocol
	EchoRequest
	EchoReply
	TCPSyn
	TCPSynAck
	TCPAck     // without payload, SYN, FIN or RST
	TCPSegment // any other
	UDP
	NumberedUDP // with a number of ours (PutNumber)
)

var kindNames = [...]string{"other", "echo-request", "echo-reply", "syn", "syn-ack", "ack", "tcp", "udp", "numbered-udp"}

// String is the kind's name.
func (k Kind) String() string { return kindNames[k] }

// Valid reports whether it is one of the kinds.
func (k Kind) Valid() bool { return int(k) < len(kindNames) }

// Packet is what a packet has at every place that it passes: neither tags, addresses of stations
// nor a TTL. Two packets that are alike are copies of one, or one that was sent again.
type Packet struct {
	Src, Dst packet.Addr
	Kind     Kind
	Proto    uint8
	// SrcPort and DstPort are those of TCP and UDP; of an echo both are its identifier.
	SrcPort, DstPort uint16
	Seq, Ack         uint32 // of TCP; Seq of an echo and of a numbered datagram, too
	// Digest is of the first bytes of UDP's payload, and the length of a TCP segment's.
	Digest uint64
}

// digested is how many bytes of a payload make its digest. What is kept of a frame must hold them.
const digested = 32

// Kept is how many bytes of a frame an observer has to keep: two tags, IPv6 with a fragment header,
// the longest TCP header, and what is digested.
const Kept = 192

// Frame is what a frame says of the packet that it is, or is a part of.
type Frame struct {
	Packet // of a part but the first: only addresses and protocol
	VLAN   uint16
	ID     uint32 // which the parts of a packet share
	Offset int    // of this part in IP's payload, in bytes
	Len    int    // of this part, in bytes
	More   bool   // more parts follow it
}

// Whole reports whether the frame has all of its packet.
func (f *Frame) Whole() bool { return f.Offset == 0 && !f.More }

// Parse reads a frame, of which Kept bytes are enough. ok is false where it is not IP, or at fault.
func Parse(frame []byte) (f Frame, ok bool) {
	_, _, vlan, etherType, at, ok := packet.ParseEthernet(frame)
	if !ok {
		return f, false
	}
	p, ok := packet.ParsePart(etherType, frame[at:])
	if !ok {
		return f, false
	}
	f = Frame{Packet: Packet{Src: p.Src, Dst: p.Dst, Proto: p.Proto}, VLAN: vlan, ID: p.ID, Offset: p.Offset, Len: p.Len,
		More: p.More}
	return f, p.Offset > 0 || f.transport(p.Payload)
}

// transport reads the header after IP's; false if it is cut.
func (f *Frame) transport(b []byte) bool {
	switch f.Proto {
	case packet.ProtoICMPv4:
		return f.icmp(b, packet.ICMPv4EchoRequest, packet.ICMPv4EchoReply)
	case packet.ProtoICMPv6:
		return f.icmp(b, packet.ICMPv6EchoRequest, packet.ICMPv6EchoReply)
	case packet.ProtoTCP:
		return f.tcp(b)
	case packet.ProtoUDP:
		u := packet.UDP(b)
		if !u.Valid() {
			return false
		}
		f.udp(u)
	}
	return true
}

func (f *Frame) udp(u packet.UDP) {
	f.Kind, f.SrcPort, f.DstPort = UDP, u.SrcPort(), u.DstPort()
	if n, ok := number(u.Payload()); ok {
		f.Kind, f.Seq = NumberedUDP, n
		return
	}
	f.Digest = digest(u.Payload())
}

func (f *Frame) icmp(b []byte, request, reply uint8) bool {
	m := packet.ICMP(b)
	if !m.Valid() {
		return false
	}
	switch m.Type() {
	case request:
		f.Kind = EchoRequest
	case reply:
		f.Kind = EchoReply
	default:
		return true
	}
	f.SrcPort, f.DstPort, f.Seq = m.EchoID(), m.EchoID(), uint32(m.EchoSeq())
	return true
}

func (f *Frame) tcp(b []byte) bool {
	t := packet.TCP(b)
	if !t.Valid() {
		return false
	}
	const state = packet.TCPSyn | packet.TCPFin | packet.TCPRst
	n := max(f.Len-t.HeaderLen(), 0)
	switch flags := t.Flags(); {
	case flags&state == packet.TCPSyn && flags&packet.TCPAck == 0:
		f.Kind = TCPSyn
	case flags&state == packet.TCPSyn:
		f.Kind = TCPSynAck
	case flags&state == 0 && flags&packet.TCPAck != 0 && n == 0:
		f.Kind = TCPAck
	default:
		f.Kind = TCPSegment
	}
	f.SrcPort, f.DstPort, f.Seq, f.Ack, f.Digest = t.SrcPort(), t.DstPort(), t.Seq(), t.Ack(), uint64(n)
	return true
}

// digest is FNV-1a over eight bytes at a time of a payload's beginning.
func digest(b []byte) uint64 {
	const basis, prime = 14695981039346656037, 1099511628211
	h := uint64(basis)
	var word [8]byte
	for b = b[:min(len(b), digested)]; len(b) > 0; {
		n := copy(word[:], b)
		clear(word[n:])
		h = (h ^ binary.BigEndian.Uint64(word[:])) * prime
		b = b[n:]
	}
	return h
}

// Answer is the packet that answers an echo request: itself with the ends exchanged.
func (p Packet) Answer() Packet {
	p.Src, p.Dst, p.SrcPort, p.DstPort = p.Dst, p.Src, p.DstPort, p.SrcPort
	if p.Kind == EchoRequest {
		p.Kind = EchoReply
	}
	return p
}
