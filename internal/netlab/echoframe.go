package netlab

import (
	"encoding/binary"
	"maps"
	"net/netip"
	"slices"
	"time"
)

// echoFrame is one frame of an echo request or reply over IPv4 as an interface saw it, whole or a
// fragment.
type echoFrame struct {
	at    time.Time
	src   netip.Addr
	ipID  uint16 // IP's identification, which the fragments of one packet share
	first bool   // has the packet's beginning
	last  bool   // has its end
	seq   uint16 // of ICMP; valid where first
}

const (
	ethernetHeader = 14
	ipv4Header     = 20
	icmpHeader     = 8
	protocolICMP   = 1
)

// see reads a frame; false if it is of no echo.
func parseEchoFrame(at time.Time, frame []byte) (s echoFrame, ok bool) {
	if len(frame) < ethernetHeader+ipv4Header || binary.BigEndian.Uint16(frame[12:]) != 0x0800 {
		return s, false
	}
	ip := frame[ethernetHeader:]
	header := int(ip[0]&15) * 4
	if ip[9] != protocolICMP || header < ipv4Header || len(ip) < header+icmpHeader {
		return s, false
	}
	piece := binary.BigEndian.Uint16(ip[6:])
	s = echoFrame{at: at, src: netip.AddrFrom4([4]byte(ip[12:16])), ipID: binary.BigEndian.Uint16(ip[4:]),
		first: piece&0x1fff == 0, last: piece&0x2000 == 0}
	if s.first {
		if icmp := ip[header:]; icmp[0] != 8 && icmp[0] != 0 {
			return s, false
		}
		s.seq = binary.BigEndian.Uint16(ip[header+6:])
	}
	return s, true
}

// transit is when one packet passed an interface: the first of its fragments, and the last, in
// whatever order they went.
type transit struct {
	first, last time.Time
	head, tail  bool // the fragments with its beginning and its end were among them
}

// passages are those of a sender's packets, by the sequence numbers of their echoes; whole ones
// only.
func transits(seen []echoFrame, src netip.Addr) map[uint16]transit {
	trains := map[uint16]uint16{} // sequence numbers, of those in fragments
	for _, s := range seen {
		if s.src == src && s.first && !s.last {
			trains[s.ipID] = s.seq
		}
	}
	found := map[uint16]transit{}
	for _, s := range seen {
		seq, known := s.seq, s.first
		if !s.first {
			seq, known = trains[s.ipID]
		}
		if s.src != src || !known {
			continue
		}
		p := found[seq]
		if p.first.IsZero() || s.at.Before(p.first) {
			p.first = s.at
		}
		if s.at.After(p.last) {
			p.last = s.at
		}
		p.head, p.tail = p.head || s.first, p.tail || s.last
		found[seq] = p
	}
	maps.DeleteFunc(found, func(_ uint16, p transit) bool { return !p.head || !p.tail })
	return found
}

// Echo is one echo request and its reply, as the interfaces of both hosts saw them.
type Echo struct {
	Seq int // from 1
	// RTT is what ping said; 0 if it said nothing.
	RTT time.Duration
	// Path is the two-way path latency: from the request's leaving the sender to the reply's coming
	// back there, less the time from the request's coming to the receiver to the reply's leaving
	// there. No clocks need to agree. Of a packet in fragments the first counts where it is sent
	// and the last where it comes.
	Path time.Duration
}

// echoes puts together what two interfaces saw of the same echoes. Those of which a packet is
// missing are left out.
func echoes(atSender, atReceiver []echoFrame, sender, receiver netip.Addr) (list []Echo) {
	sent, back := transits(atSender, sender), transits(atSender, receiver)
	came, answered := transits(atReceiver, sender), transits(atReceiver, receiver)
	for _, seq := range slices.Sorted(maps.Keys(sent)) {
		_, arrived := came[seq]
		_, replied := answered[seq]
		if _, returned := back[seq]; !arrived || !replied || !returned {
			continue
		}
		there := back[seq].last.Sub(sent[seq].first) // with the receiver's time
		list = append(list, Echo{Seq: int(seq), Path: there - answered[seq].first.Sub(came[seq].last)})
	}
	return list
}
