package host

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"

	"github.com/weirnet/weir/arrivals"
	"github.com/weirnet/weir/packet"
)

// PingSpec describes a ping.
type PingSpec struct {
	Dst      netip.Addr
	Count    int           // requests; 0: until Stop
	Interval time.Duration // between two of them; 0: one second
	Size     int           // bytes of payload, at least 24; 0: 56
	Timeout  time.Duration // of the last request; later answers count as Late; 0: 5 s
}

// Defaults of PingSpec.
const (
	DefaultPingInterval = time.Second
	DefaultPingSize     = 56
	DefaultPingTimeout  = 5 * time.Second
)

// maxPings is how many pings a host has at once: one per identifier, with some to spare.
const maxPings = 1 << 15

// Ping is a series of echo requests. Its fields change only during calls of its host.
type Ping struct {
	timer
	of     *echo
	spec   PingSpec
	dst    packet.Addr
	id     uint16
	issued uint64
	tally  tally
	seen   arrivals.Numbers
	late   uint64
	rtt    latency
	stage  stage
}

// echo is ICMP's: it answers requests, and has the host's pings.
type echo struct {
	via   *neighbours
	pings map[uint16]*Ping // by echo identifier
	last  uint16           // identifier given out
}

// answer answers a request, unless it was sent to a group, as Linux does for IPv4.
func (e *echo) answer(d *datagram, m packet.ICMP, now time.Duration, out Output) {
	if !e.via.link.own(d.dst) || m.Code() != 0 {
		e.via.link.counters.Foreign++
		return
	}
	e.via.link.counters.Echoed++
	k := e.via.link.key(d.src)
	k.ICMPType = packet.ICMPv4EchoReply
	if !d.src.Is4() {
		k.ICMPType = packet.ICMPv6EchoReply
	}
	e.via.link.buf = packet.AppendICMPEcho(e.via.link.frame(), &k, m.EchoID(), m.EchoSeq(), m.Payload())
	e.via.deliver(d.src, e.via.link.buf, nil, now, out)
}

// receive hands a reply to its ping.
func (e *echo) receive(src packet.Addr, m packet.ICMP, now time.Duration) {
	p := e.pings[m.EchoID()]
	if p == nil || p.dst != src || m.Code() != 0 || !p.receive(m, now) {
		e.via.link.counters.Unmatched++
	}
}

// begin begins a ping, the first request at now.
func (e *echo) begin(spec PingSpec, now time.Duration) (*Ping, error) {
	dst, err := e.via.link.destination(spec.Dst, false)
	if err != nil {
		return nil, err
	}
	spec.Interval = cmp.Or(spec.Interval, DefaultPingInterval)
	spec.Size = cmp.Or(spec.Size, DefaultPingSize)
	spec.Timeout = cmp.Or(spec.Timeout, DefaultPingTimeout)
	if room := e.via.link.maxPayload(dst) - packet.ICMPLen; spec.Size < stampLen || spec.Size > room {
		return nil, fmt.Errorf("size %d: want %d to %d bytes", spec.Size, stampLen, room)
	}
	if spec.Count < 0 || spec.Interval < 0 || spec.Timeout < 0 {
		return nil, fmt.Errorf("count %d, interval %s, timeout %s: none may be negative", spec.Count, spec.Interval, spec.Timeout)
	}
	if len(e.pings) >= maxPings {
		return nil, fmt.Errorf("%d pings at once are as many as a host can tell apart", maxPings)
	}
	e.last++
	for e.pings[e.last] != nil {
		e.last++
	}
	p := &Ping{of: e, spec: spec, dst: dst, id: e.last}
	put(&e.pings, p.id, p)
	e.via.link.timers.set(&p.timer, p, now)
	return p, nil
}

// wake sends the next request, ends the wait for answers, or forgets the ping.
func (p *Ping) wake(now time.Duration, out Output) {
	switch p.stage {
	case sending:
		p.send(now, out)
	case waiting:
		p.finish(now)
	default:
		p.stage = forgotten
		delete(p.of.pings, p.id)
	}
}

func (p *Ping) send(now time.Duration, out Output) {
	intended := p.at
	s := stamp{id: uint32(p.id), seq: p.issued, sent: intended}
	k := p.of.via.link.key(p.dst)
	k.ICMPType = packet.ICMPv4EchoRequest
	if !p.dst.Is4() {
		k.ICMPType = packet.ICMPv6EchoRequest
	}
	payload := p.of.via.link.stamped(s, p.spec.Size)
	p.of.via.link.buf = packet.AppendICMPEcho(p.of.via.link.buf[:0], &k, p.id, uint16(p.issued), payload)
	p.issued++
	if p.issued == uint64(p.spec.Count) {
		p.stage = waiting
		p.of.via.link.timers.set(&p.timer, p, now+p.spec.Timeout)
	} else {
		p.of.via.link.timers.set(&p.timer, p, intended+p.spec.Interval)
	}
	p.of.via.deliver(p.dst, p.of.via.link.buf, &p.tally, now, out)
}

// receive counts a reply; ok is false if it answers no request of this ping.
func (p *Ping) receive(m packet.ICMP, now time.Duration) (ok bool) {
	s, ok := readStamp(m.Payload())
	if !ok || s.id != uint32(p.id) || s.seq >= p.issued || uint16(s.seq) != m.EchoSeq() || s.sent > now+maxSkew {
		return false
	}
	if !p.seen.Record(s.seq) {
		return true
	}
	rtt := now - s.sent
	p.rtt.record(rtt)
	if rtt > p.spec.Timeout {
		p.late++
	}
	if p.stage == waiting && p.seen.Received == p.issued {
		p.finish(now)
	}
	return true
}

// finish ends the ping. Replies are still counted for the time linger.
func (p *Ping) finish(now time.Duration) {
	p.stage = done
	p.of.via.link.timers.set(&p.timer, p, now+linger)
}

// Stop ends the requests and waits for answers as after the last one.
func (p *Ping) Stop(now time.Duration) {
	if p.stage != sending {
		return
	}
	p.stage = waiting
	if p.seen.Received == p.issued {
		p.finish(now)
		return
	}
	p.of.via.link.timers.set(&p.timer, p, now+p.spec.Timeout)
}
