package host

import (
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

// receive counts a datagram, and echoes it if it asks for that. A checksum of 0 means none over
// IPv4 (RFC 768), over IPv6 it is wrong (RFC 8200, 8.1).
func (g *datagrams) receive(d *datagram, now time.Duration, out Output) {
	u, l := packet.UDP(d.body), g.via.link
	if !u.Valid() || int(u.Len()) < packet.UDPLen || int(u.Len()) > len(u) {
		l.counters.Malformed++
		return
	}
	d.body = d.body[:u.Len()]
	unchecked := u[6] == 0 && u[7] == 0
	if unchecked && !d.src.Is4() || !unchecked && !d.checksumOK() {
		l.counters.BadChecksum++
		return
	}
	if f := g.flows[u.DstPort()]; f != nil && f.receive(d.src, u.SrcPort(), u.Payload(), now) {
		return
	}
	l.counters.UDPIn++
	g.sink(d, u, now)
	if u.DstPort() == EchoPort && u.SrcPort() != EchoPort && l.own(d.dst) { // two echo ports would never stop
		g.echo(d, u, now, out)
	}
}

// sink counts a datagram in its flow.
func (g *datagrams) sink(d *datagram, u packet.UDP, now time.Duration) {
	key := sinkKey{d.src, d.dst, u.SrcPort(), u.DstPort()}
	s := g.sinks[key]
	if s == nil {
		if s = g.newSink(key, now); s == nil {
			g.via.link.counters.UDPUnsunk++
			return
		}
	}
	s.last = now
	s.bytes += uint64(len(u.Payload()))
	m, ok := readStamp(u.Payload())
	if !ok || m.sent > now+maxSkew {
		g.via.link.counters.UDPUnmarked++
		s.unmarked++
		return
	}
	if s.seen.Record(m.seq) {
		s.latency.record(now - m.sent)
	}
}

// newSink adds a sink for a flow. With MaxSinks of them it evicts one that was silent for
// sinkSilence, if there is one among the next sinkTries; else the result is nil.
func (g *datagrams) newSink(key sinkKey, now time.Duration) *Sink {
	s := &Sink{key: key, first: now}
	if len(g.sinkRow) < MaxSinks {
		g.sinkRow = append(g.sinkRow, s)
		put(&g.sinks, key, s)
		return s
	}
	for range sinkTries {
		at := g.sinkNext
		g.sinkNext = (g.sinkNext + 1) % len(g.sinkRow)
		if old := g.sinkRow[at]; now-old.last >= sinkSilence {
			delete(g.sinks, old.key)
			g.sinkRow[at] = s
			g.sinks[key] = s
			return s
		}
	}
	return nil
}

// echo sends a datagram back where it came from.
func (g *datagrams) echo(d *datagram, u packet.UDP, now time.Duration, out Output) {
	g.via.link.counters.UDPEchoed++
	k := g.via.link.key(d.src)
	k.SrcPort, k.DstPort = EchoPort, u.SrcPort()
	g.via.link.buf = packet.AppendUDP(g.via.link.frame(), &k, u.Payload())
	g.via.deliver(d.src, g.via.link.buf, nil, now, out)
}
