package host

import (
	"net/netip"
	"time"

	"github.com/weirnet/weir/packet"
)

// ClosePort has streams to a port be refused. All ports below the dynamic range are open in a new
// host.
func (h *Host) ClosePort(port uint16) { put(&h.closedPorts, port, true) }

// AcceptedFrom is the stream from a port of src to this host's port, or nil.
func (h *Host) AcceptedFrom(src netip.Addr, srcPort, port uint16) *Stream {
	s := h.streams[streamKey{packet.AddrFrom(src), srcPort, port}]
	if s == nil || s.active {
		return nil
	}
	return s
}

// receiveTCP hands a segment to its stream, opens a stream, or refuses the segment.
func (h *Host) receiveTCP(d *datagram, now time.Duration, out Output) {
	t := packet.TCP(d.body)
	switch {
	case !t.Valid():
		h.counters.Malformed++
		return
	case !d.checksumOK():
		h.counters.BadChecksum++
		return
	case !h.own(d.dst):
		h.counters.Foreign++
		return
	}
	h.counters.TCPIn++
	key := streamKey{d.src, t.SrcPort(), t.DstPort()}
	s := h.streams[key]
	const syn, rst, ack = packet.TCPSyn, packet.TCPRst, packet.TCPAck
	opens := t.Flags()&(syn|rst|ack) == syn
	if s != nil && s.stage == closed && opens { // the peer uses its port again
		h.dropStream(s)
		s = nil
	}
	switch {
	case s != nil:
		s.receive(h, t, now, out)
	case t.Flags()&rst != 0:
		h.counters.Unmatched++
	case opens && t.DstPort() < firstPort && !h.closedPorts[t.DstPort()]:
		h.accept(key, t, now, out)
	default:
		h.refuse(key, t, now, out)
	}
}

// accept answers a SYN.
func (h *Host) accept(key streamKey, t packet.TCP, now time.Duration, out Output) {
	if len(h.streams) >= MaxStreams {
		h.counters.TCPDropped++
		return
	}
	s := h.newStream(key, now)
	s.stage, s.irs, s.rcv, s.place = accepting, t.Seq(), 1, len(h.accepted)
	h.accepted = append(h.accepted, s)
	h.counters.TCPAccepted++
	s.readOptions(h, t)
	s.window = int64(t.Window())
	s.sendSYN(h, now, out)
}

// refuse answers a segment of no stream with a reset (RFC 9293, 3.10.7.1).
func (h *Host) refuse(key streamKey, t packet.TCP, now time.Duration, out Output) {
	h.counters.TCPRefused++
	seq, ack, flags := t.Ack(), uint32(0), packet.TCPRst
	if t.Flags()&packet.TCPAck == 0 {
		seq, ack, flags = 0, t.Seq()+uint32(segmentLen(t)), packet.TCPRst|packet.TCPAck
	}
	k := h.key(key.peer)
	k.SrcPort, k.DstPort, k.TCPFlags = key.local, key.peerPort, flags
	h.buf = packet.AppendTCP(h.frame(), &k, seq, ack, 0, nil)
	h.deliver(key.peer, h.buf, nil, now, out)
}

// segmentLen is how many sequence numbers a segment takes.
func segmentLen(t packet.TCP) int64 {
	n := int64(len(t.Payload()))
	if t.Flags()&packet.TCPSyn != 0 {
		n++
	}
	if t.Flags()&packet.TCPFin != 0 {
		n++
	}
	return n
}

// readOptions applies the options of a SYN. The default segment size is that of RFC 9293, 3.7.1.
func (s *Stream) readOptions(h *Host, t packet.TCP) {
	mss := 536
	if !s.key.peer.Is4() {
		mss = 1220
	}
	for rest := t.Options(); ; {
		kind, value, next, ok := packet.NextTCPOption(rest)
		if !ok {
			break
		}
		switch {
		case kind == packet.TCPOptMSS && len(value) == 2:
			mss = max(int(value[0])<<8|int(value[1]), 64)
		case kind == packet.TCPOptWindowScale && len(value) == 1:
			s.scaled, s.shift = true, min(value[0], 14) // RFC 7323, 2.3
		}
		rest = next
	}
	s.congestion.begin(min(mss, h.mss(s.key.peer)))
}
