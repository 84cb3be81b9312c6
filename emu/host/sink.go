package host

import (
	"net/netip"
	"time"

	"github.com/weirnet/weir/arrivals"
	"github.com/weirnet/weir/packet"
)

// sinkKey is a flow as its receiver sees it. The destination belongs to it because it may be a
// group's address.
type sinkKey struct {
	src, dst         packet.Addr
	srcPort, dstPort uint16
}

// Sink counts the datagrams of one flow at its receiver. Its fields change only during calls of its
// host.
type Sink struct {
	key         sinkKey
	seen        arrivals.Numbers
	bytes       uint64
	unmarked    uint64
	first, last time.Duration
	latency     latency
}

// Limits of the eviction of sinks.
const (
	sinkSilence = 10 * time.Second
	sinkTries   = 8
)

// Sink counts the flow from src and its port to this host's address dst and its port; nil if
// nothing arrived of it.
func (h *Host) Sink(src netip.Addr, srcPort uint16, dst netip.Addr, dstPort uint16) *Sink {
	return h.sinks[sinkKey{packet.AddrFrom(src), packet.AddrFrom(dst), srcPort, dstPort}]
}

// receiveUDP counts a datagram, and echoes it if it asks for that. A checksum of 0 means none over
// IPv4 (RFC 768), over IPv6 it is wrong (RFC 8200, 8.1).
func (h *Host) receiveUDP(d *datagram, now time.Duration, out Output) {
	u := packet.UDP(d.body)
	if !u.Valid() || int(u.Len()) < packet.UDPLen || int(u.Len()) > len(u) {
		h.counters.Malformed++
		return
	}
	d.body = d.body[:u.Len()]
	unchecked := u[6] == 0 && u[7] == 0
	if unchecked && !d.src.Is4() || !unchecked && !d.checksumOK() {
		h.counters.BadChecksum++
		return
	}
	if f := h.flows[u.DstPort()]; f != nil && f.receive(d.src, u.SrcPort(), u.Payload(), now) {
		return
	}
	h.counters.UDPIn++
	h.sink(d, u, now)
	if u.DstPort() == EchoPort && u.SrcPort() != EchoPort && h.own(d.dst) { // two echo ports would never stop
		h.echoUDP(d, u, now, out)
	}
}

// sink counts a datagram in its flow.
func (h *Host) sink(d *datagram, u packet.UDP, now time.Duration) {
	key := sinkKey{d.src, d.dst, u.SrcPort(), u.DstPort()}
	s := h.sinks[key]
	if s == nil {
		if s = h.newSink(key, now); s == nil {
			h.counters.UDPUnsunk++
			return
		}
	}
	s.last = now
	s.bytes += uint64(len(u.Payload()))
	m, ok := readStamp(u.Payload())
	if !ok || m.sent > now+maxSkew {
		h.counters.UDPUnmarked++
		s.unmarked++
		return
	}
	if s.seen.Record(m.seq) {
		s.latency.record(now - m.sent)
	}
}

// newSink adds a sink for a flow. With MaxSinks of them it evicts one that was silent for
// sinkSilence, if there is one among the next sinkTries; else the result is nil.
func (h *Host) newSink(key sinkKey, now time.Duration) *Sink {
	s := &Sink{key: key, first: now}
	if len(h.sinkRow) < MaxSinks {
		h.sinkRow = append(h.sinkRow, s)
		put(&h.sinks, key, s)
		return s
	}
	for range sinkTries {
		at := h.sinkNext
		h.sinkNext = (h.sinkNext + 1) % len(h.sinkRow)
		if old := h.sinkRow[at]; now-old.last >= sinkSilence {
			delete(h.sinks, old.key)
			h.sinkRow[at] = s
			h.sinks[key] = s
			return s
		}
	}
	return nil
}

// echoUDP sends a datagram back where it came from.
func (h *Host) echoUDP(d *datagram, u packet.UDP, now time.Duration, out Output) {
	h.counters.UDPEchoed++
	k := h.key(d.src)
	k.SrcPort, k.DstPort = EchoPort, u.SrcPort()
	h.buf = packet.AppendUDP(h.frame(), &k, u.Payload())
	h.deliver(d.src, h.buf, nil, now, out)
}
