package controller

import (
	"bytes"
	"context"
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
	// up. It is called by the session's reader, and must not block.
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

// Answer is what the controller did for the first packet of a flow.
type Answer struct {
	InPort  uint32
	Arrived time.Time // when the packet-in had come to this machine, or this process (conn_linux.go)
	Written time.Time // when flow-mod and packet-out had been written to the socket; zero: not yet

	end uint64 // how much the connection has written by then
}

// Took is the controller's share of the flow's set-up.
func (a *Answer) Took() time.Duration { return a.Written.Sub(a.Arrived) }

// reactive is the state of Forwarding, under the controller's lock.
type reactive struct {
	Forwarding
	delay   time.Duration
	known   map[flow]bool
	answers []*Answer
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
	c.reactive.Forwarding, c.reactive.known = f, map[flow]bool{}
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

// Answers are those to the first packets of flows since the last call, in their order, as far as
// they have been written.
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

// Forget deletes all entries, and waits until the switch confirms it. Flows are new from then on.
func (c *Controller) Forget(ctx context.Context) error {
	c.mu.Lock()
	s := c.session
	c.reactive.known = map[flow]bool{}
	miss := c.reactive.Out != nil
	c.mu.Unlock()
	if s == nil {
		return session.ErrClosed
	}
	all := []openflow.Message{deleteAll()}
	if miss {
		all = append(all, tableMiss())
	}
	if _, err := s.Send(all...); err != nil {
		return err
	}
	_, err := s.RequestContext(ctx, &openflow.BarrierRequest{})
	return err
}

// answer sets up the flow of a packet, if it is the first of it, and sends the packet on.
func (c *Controller) answer(s *session.Session, p *openflow.PacketIn) {
	var k packet.Key
	packet.ParseKey(p.Data, &k)
	c.mu.Lock()
	r := &c.reactive
	if r.Out == nil || !k.Layers.Has(packet.LayerEthernet) {
		c.mu.Unlock()
		return
	}
	f := r.By.flow(p.InPort, &k)
	port, ok := r.Out(p.InPort, &k)
	first, delay := ok && !r.known[f], r.delay
	if first && len(r.known) < maxFlows {
		r.known[f] = true
	}
	inner := c.conn
	c.mu.Unlock()
	if !ok {
		return
	}
	arrived := inner.arrival()
	out := &openflow.PacketOut{Buffer: p.Buffer, InPort: p.InPort, Actions: []openflow.Action{openflow.Output(port)}}
	if p.Buffer == openflow.NoBuffer {
		out.Data = p.Data
	}
	if delay == 0 {
		c.send(s, inner, arrived, first, f, port, out)
		return
	}
	out.Data = bytes.Clone(out.Data)
	time.AfterFunc(delay, func() { c.send(s, inner, arrived, first, f, port, out) })
}

// send sends the answer to a packet-in, and notes it where it sets a flow up.
func (c *Controller) send(s *session.Session, inner *conn, arrived time.Time, first bool, f flow, port uint32,
	out *openflow.PacketOut) {
	if !first {
		_, _ = s.Send(out)
		return
	}
	if _, err := s.Send(f.entry(port), out); err != nil {
		return
	}
	a := &Answer{InPort: f.in, Arrived: arrived}
	c.mu.Lock()
	if len(c.reactive.answers) < maxFlows {
		c.reactive.answers = append(c.reactive.answers, a)
	}
	c.mu.Unlock()
	inner.await(a, s.Stats().OutBytes)
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
