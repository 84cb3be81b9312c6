package controller

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/session"
)

// Exact is what makes packets those of one flow.
type Exact uint8

const (
	// MACPair is the port at which they come, and both MAC addresses.
	MACPair Exact = iota
	// FiveTuple is besides the EtherType, both IP addresses, the transport protocol and both ports;
	// of packets other than IP it is MACPair and the EtherType.
	FiveTuple
)

// Forwarding is how flows are set up.
type Forwarding struct {
	// Out is by which port a packet leaves that came by another; false drops it, and sets nothing
	// up. openflow.PortAll floods it, and sets nothing up either. It is called by the session's
	// reader, under the controller's lock: it must neither block nor call the controller.
	Out func(in uint32, k *packet.Key) (port uint32, ok bool)
	// By says what a flow is.
	By Exact
}

// Between forwards between two ports: what comes by one leaves by the other.
func Between(a, b uint32) func(in uint32, _ *packet.Key) (uint32, bool) {
	return func(in uint32, _ *packet.Key) (uint32, bool) {
		switch in {
		case a:
			return b, true
		case b:
			return a, true
		}
		return 0, false
	}
}

// Answer is what the controller did for a new flow. Where several packets of it came before its entry
// was in force, such as the fragments of one, each came to the controller and was sent on.
type Answer struct {
	InPort   uint32
	Src, Dst packet.MAC
	Arrived  time.Time // when the first packet-in had come to this machine, or this process (conn_linux.go)
	Written  time.Time // when the last answer had been written to the socket; zero: none yet
	// Share is how long the controller had packet-ins that it had not answered yet: of one packet,
	// from its packet-in to the writing of flow-mod and packet-out.
	Share     time.Duration
	PacketIns int // that were answered
}

// Span is from the first packet-in to the last answer. Of several packets, the switch's time between
// them is in it.
func (a *Answer) Span() time.Duration { return a.Written.Sub(a.Arrived) }

// written adds an answer to a packet-in. They are written in their order.
func (a *Answer) written(arrived, now time.Time) {
	if a.Written.After(arrived) { // the one before was under way still
		arrived = a.Written
	}
	a.Share += now.Sub(arrived)
	a.Written = now
	a.PacketIns++
}

// reactive is the state of Forwarding, under the controller's lock.
type reactive struct {
	Forwarding
	delay     time.Duration
	known     map[flow]*Answer
	answers   []*Answer
	packetIns uint64
}

// flow is what entries are told apart by: fields that By does not name are 0.
type flow struct {
	in             uint32
	dst, src       packet.MAC
	etherType      uint16
	proto          uint8
	from, to       packet.Addr
	sport, dport   uint16
	exactTransport bool
}

// maxFlows bounds the flows that are known at a time, and the answers that are kept: above it flows
// are set up anew with every packet.
const maxFlows = 1 << 20

// React has flows be set up from now on, and hands up whatever no entry takes. Forget comes first
// if the switch may hold entries.
func (c *Controller) React(f Forwarding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reactive.Forwarding, c.reactive.known = f, map[flow]*Answer{}
	if c.session != nil {
		_, _ = c.session.Send(tableMiss())
	}
}

// SetDelay has the controller wait before it answers a packet-in.
func (c *Controller) SetDelay(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reactive.delay = d
}

// PacketIns is how many packets have come up to be forwarded.
func (c *Controller) PacketIns() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reactive.packetIns
}

// Answers are those to new flows since the last call, in their order, as far as they have been
// written.
func (c *Controller) Answers() (list []Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		c.conn.mu.Lock()
		defer c.conn.mu.Unlock()
	}
	c.reactive.answers = slices.DeleteFunc(c.reactive.answers, func(a *Answer) bool {
		if a.Written.IsZero() {
			return false
		}
		list = append(list, *a)
		return true
	})
	return list
}

// Forget deletes entries, all or those of flows between any of some stations, and waits until the
// switch confirms it. The flows are new from then on.
func (c *Controller) Forget(ctx context.Context, stations ...packet.MAC) error {
	c.mu.Lock()
	s := c.session
	messages := c.reactive.forget(stations)
	c.mu.Unlock()
	if s == nil {
		return session.ErrClosed
	}
	if _, err := s.Send(messages...); err != nil {
		return err
	}
	_, err := s.RequestContext(ctx, &openflow.BarrierRequest{})
	return err
}

// forget forgets flows, and returns what tells the switch.
func (r *reactive) forget(stations []packet.MAC) (messages []openflow.Message) {
	if len(stations) == 0 {
		r.known = map[flow]*Answer{}
		if messages = append(messages, deleteAll()); r.Out != nil {
			messages = append(messages, tableMiss())
		}
		return messages
	}
	maps.DeleteFunc(r.known, func(f flow, _ *Answer) bool {
		return slices.Contains(stations, f.src) && slices.Contains(stations, f.dst)
	})
	for _, src := range stations {
		for _, dst := range stations {
			if src != dst {
				messages = append(messages, deleteBetween(src, dst))
			}
		}
	}
	return messages
}

// answer sets up the flow of a packet, if it is the first of it, and sends the packet on.
func (c *Controller) answer(s *session.Session, p *openflow.PacketIn) {
	var k packet.Key
	packet.ParseKey(p.Data, &k)
	t := task{in: p.InPort}
	if !c.decide(&t, &k) {
		return
	}
	t.arrived = t.conn.arrival()
	out := &openflow.PacketOut{Buffer: p.Buffer, InPort: p.InPort, Actions: []openflow.Action{openflow.Output(t.port)}}
	if p.Buffer == openflow.NoBuffer {
		out.Data = p.Data
	}
	if t.delay == 0 {
		c.send(s, &t, out)
		return
	}
	out.Data = bytes.Clone(out.Data)
	time.AfterFunc(t.delay, func() { c.send(s, &t, out) })
}

// task is a packet that has to be sent on.
type task struct {
	in, port uint32
	arrived  time.Time
	flow     flow
	first    bool    // its flow has to be set up
	answer   *Answer // nil: it is flooded
	delay    time.Duration
	conn     *conn
}

// decide finds what is to be done with a packet; false drops it.
func (c *Controller) decide(t *task, k *packet.Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.reactive
	if r.Out == nil || c.conn == nil || !k.Layers.Has(packet.LayerEthernet) {
		return false
	}
	r.packetIns++
	var ok bool
	if t.port, ok = r.Out(t.in, k); !ok {
		return false
	}
	t.conn, t.delay = c.conn, r.delay
	if t.port == openflow.PortAll {
		return true
	}
	t.flow = r.By.flow(t.in, k)
	if t.answer = r.known[t.flow]; t.answer == nil {
		t.first, t.answer = true, &Answer{InPort: t.in, Src: k.EthSrc, Dst: k.EthDst}
		if len(r.known) < maxFlows {
			r.known[t.flow] = t.answer
		}
	}
	return true
}

// send sends the answer to a packet-in, and notes it where it is one of a flow.
func (c *Controller) send(s *session.Session, t *task, out *openflow.PacketOut) {
	messages := []openflow.Message{out}
	if t.first {
		messages = []openflow.Message{t.flow.entry(t.port), out}
	}
	if _, err := s.Send(messages...); err != nil || t.answer == nil {
		return
	}
	if t.first {
		t.answer.Arrived = t.arrived
		c.mu.Lock()
		if len(c.reactive.answers) < maxFlows {
			c.reactive.answers = append(c.reactive.answers, t.answer)
		}
		c.mu.Unlock()
	}
	t.conn.await(pending{t.answer, t.arrived, s.Stats().OutBytes})
}

// flow is that of a packet.
func (e Exact) flow(in uint32, k *packet.Key) flow {
	f := flow{in: in, dst: k.EthDst, src: k.EthSrc}
	if e == MACPair {
		return f
	}
	f.etherType, f.exactTransport = k.EtherType, true
	if k.Layers.Has(packet.LayerIPv4) || k.Layers.Has(packet.LayerIPv6) {
		f.proto, f.from, f.to, f.sport, f.dport = k.IPProto, k.IPSrc, k.IPDst, k.SrcPort, k.DstPort
	}
	return f
}
