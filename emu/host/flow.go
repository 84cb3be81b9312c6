package host

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/weirnet/weir/arrivals"
	"github.com/weirnet/weir/packet"
)

// FlowSpec describes a flow of UDP.
type FlowSpec struct {
	Dst      netip.Addr // of a host, or a broadcast or multicast address
	Port     uint16     // of the destination; 0: DefaultFlowPort. Port 7 sends all back
	Rate     float64    // datagrams a second, on average while on
	Size     int        // bytes of payload, at least 24; 0: 64
	Pattern  Pattern
	On, Off  time.Duration // of the pattern OnOff
	Count    uint64        // datagrams; 0: no limit
	Duration time.Duration // 0: no limit; without both, until Stop
}

// Defaults of FlowSpec, and its limits.
const (
	DefaultFlowPort = 9 // discard
	DefaultFlowSize = 64
	MaxRate         = 1e7 // datagrams a second
	MinRate         = 1e-6
	EchoPort        = 7 // datagrams to this port are sent back
	maxFlows        = 1 << 13
	firstPort       = 49152 // of the dynamic ports (RFC 6335, section 6)
)

// Flow sends datagrams at a rate (open loop). Its fields change only during calls of its host.
type Flow struct {
	timer
	of     *datagrams
	spec   FlowSpec
	dst    packet.Addr
	port   uint16
	pace   pace
	issued uint64
	end    time.Duration // 0: none
	ended  time.Duration // when it was done
	tally  tally
	seen   arrivals.Numbers // of the echoes
	rtt    latency
	stage  stage
}

// datagrams is UDP: the host's flows, and what it counts of those of others.
type datagrams struct {
	via      *neighbours
	flows    map[uint16]*Flow // by source port
	port     uint16           // the last source port given out
	sinks    map[sinkKey]*Sink
	sinkRow  []*Sink // in order of arrival
	sinkNext int     // index in sinkRow of the next that may be evicted
}

// begin begins a flow, the first datagram at now.
func (g *datagrams) begin(spec FlowSpec, now time.Duration) (*Flow, error) {
	dst, err := g.via.link.destination(spec.Dst, true)
	if err != nil {
		return nil, err
	}
	spec.Port = cmp.Or(spec.Port, DefaultFlowPort)
	spec.Size = cmp.Or(spec.Size, DefaultFlowSize)
	if err := spec.check(g.via.link.maxPayload(dst) - packet.UDPLen); err != nil {
		return nil, err
	}
	port, ok := g.takePort()
	if !ok {
		return nil, fmt.Errorf("%d flows at once are as many as a host may have", maxFlows)
	}
	f := &Flow{of: g, spec: spec, dst: dst, port: port}
	f.pace = pace{pattern: spec.Pattern, interval: float64(time.Second) / spec.Rate, on: spec.On, off: spec.Off, start: now}
	if spec.Duration > 0 {
		f.end = now + spec.Duration
	}
	put(&g.flows, port, f)
	g.via.link.timers.set(&f.timer, f, now)
	return f, nil
}

// check returns what is wrong with a spec; room is the largest payload.
func (s *FlowSpec) check(room int) error {
	switch {
	case s.Size < stampLen || s.Size > room:
		return fmt.Errorf("size %d: want %d to %d bytes", s.Size, stampLen, room)
	case !(s.Rate >= MinRate && s.Rate <= MaxRate):
		return fmt.Errorf("rate %g: want %g to %g datagrams a second", s.Rate, MinRate, float64(MaxRate))
	case s.Pattern > OnOff:
		return fmt.Errorf("%s: want constant, poisson or on-off", s.Pattern)
	case s.Pattern == OnOff && (s.On <= 0 || s.Off <= 0):
		return fmt.Errorf("on %s, off %s: the pattern on-off needs both, such as 100ms and 900ms", s.On, s.Off)
	case s.Duration < 0:
		return fmt.Errorf("duration %s: want a positive one, or 0 for no limit", s.Duration)
	}
	return nil
}

// takePort finds a free port of the dynamic range.
func (g *datagrams) takePort() (port uint16, ok bool) {
	if len(g.flows) >= maxFlows {
		return 0, false
	}
	for {
		if g.port = max(g.port+1, firstPort); g.flows[g.port] == nil {
			return g.port, true
		}
	}
}

// wake sends the next datagram.
func (f *Flow) wake(now time.Duration, out Output) {
	switch {
	case f.stage >= done:
		f.stage = forgotten
		delete(f.of.flows, f.port)
	case f.end != 0 && f.at >= f.end:
		f.Stop(now)
	default:
		f.send(now, out)
	}
}

func (f *Flow) send(now time.Duration, out Output) {
	l := f.of.via.link
	s := stamp{id: uint32(f.port), seq: f.issued, sent: f.at}
	k := l.key(f.dst)
	k.SrcPort, k.DstPort = f.port, f.spec.Port
	payload := l.stamped(s, f.spec.Size)
	l.buf = packet.AppendUDP(l.buf[:0], &k, payload)
	if f.issued++; f.issued == f.spec.Count {
		f.Stop(now)
	} else {
		random := rand.New(&l.random)
		l.timers.set(&f.timer, f, f.pace.after(random))
	}
	f.of.via.deliver(f.dst, l.buf, &f.tally, now, out)
}

// Stop ends the flow. Echoes are still counted for the time linger.
func (f *Flow) Stop(now time.Duration) {
	if f.stage >= done {
		return
	}
	f.stage, f.ended = done, now
	f.of.via.link.timers.set(&f.timer, f, now+linger)
}

// receive counts an echoed datagram; ok is false if this flow did not send it.
func (f *Flow) receive(src packet.Addr, srcPort uint16, payload []byte, now time.Duration) (ok bool) {
	s, ok := readStamp(payload)
	if !ok || srcPort != f.spec.Port || src != f.dst || s.id != uint32(f.port) || s.seq >= f.issued || s.sent > now+maxSkew {
		return false
	}
	if f.seen.Record(s.seq) {
		f.rtt.record(now - s.sent)
	}
	return true
}

// SrcPort is the port that the flow sends from.
func (f *Flow) SrcPort() uint16 { return f.port }
