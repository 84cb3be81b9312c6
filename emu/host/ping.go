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

// Ping begins a series of echo requests, the first at now. The error names the part of the spec
// that is invalid.
func (h *Host) Ping(spec PingSpec, now time.Duration) (*Ping, error) {
	dst, err := h.destination(spec.Dst, false)
	if err != nil {
		return nil, err
	}
	spec.Interval = cmp.Or(spec.Interval, DefaultPingInterval)
	spec.Size = cmp.Or(spec.Size, DefaultPingSize)
	spec.Timeout = cmp.Or(spec.Timeout, DefaultPingTimeout)
	if room := h.maxPayload(dst) - packet.ICMPLen; spec.Size < stampLen || spec.Size > room {
		return nil, fmt.Errorf("size %d: want %d to %d bytes", spec.Size, stampLen, room)
	}
	if spec.Count < 0 || spec.Interval < 0 || spec.Timeout < 0 {
		return nil, fmt.Errorf("count %d, interval %s, timeout %s: none may be negative", spec.Count, spec.Interval, spec.Timeout)
	}
	if len(h.pings) >= maxPings {
		return nil, fmt.Errorf("%d pings at once are as many as a host can tell apart", maxPings)
	}
	h.pingID++
	for h.pings[h.pingID] != nil {
		h.pingID++
	}
	p := &Ping{spec: spec, dst: dst, id: h.pingID}
	put(&h.pings, p.id, p)
	h.timers.set(&p.timer, p, now)
	return p, nil
}

// wake sends the next request, ends the wait for answers, or forgets the ping.
func (p *Ping) wake(h *Host, now time.Duration, out Output) {
	switch p.stage {
	case sending:
		p.send(h, now, out)
	case waiting:
		p.finish(h, now)
	default:
		p.stage = forgotten
		delete(h.pings, p.id)
	}
}

func (p *Ping) send(h *Host, now time.Duration, out Output) {
	intended := p.at
	s := stamp{id: uint32(p.id), seq: p.issued, sent: intended}
	k := h.key(p.dst)
	k.ICMPType = packet.ICMPv4EchoRequest
	if !p.dst.Is4() {
		k.ICMPType = packet.ICMPv6EchoRequest
	}
	payload := h.stamped(s, p.spec.Size)
	h.buf = packet.AppendICMPEcho(h.buf[:0], &k, p.id, uint16(p.issued), payload)
	p.issued++
	if p.issued == uint64(p.spec.Count) {
		p.stage = waiting
		h.timers.set(&p.timer, p, now+p.spec.Timeout)
	} else {
		h.timers.set(&p.timer, p, intended+p.spec.Interval)
	}
	h.deliver(p.dst, h.buf, &p.tally, now, out)
}

// receive counts a reply; ok is false if it answers no request of this ping.
func (p *Ping) receive(h *Host, m packet.ICMP, now time.Duration) (ok bool) {
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
		p.finish(h, now)
	}
	return true
}

// finish ends the ping. Replies are still counted for the time linger.
func (p *Ping) finish(h *Host, now time.Duration) {
	p.stage = done
	h.timers.set(&p.timer, p, now+linger)
}

// Stop ends the requests and waits for answers as after the last one.
func (p *Ping) Stop(h *Host, now time.Duration) {
	if p.stage != sending {
		return
	}
	p.stage = waiting
	if p.seen.Received == p.issued {
		p.finish(h, now)
		return
	}
	h.timers.set(&p.timer, p, now+p.spec.Timeout)
}
