package hub

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Reactive is a controller of one switch with two ports. It sets a flow up when the first packet of
// it comes: what comes in at the one port with a pair of MAC addresses leaves by the other, and so
// does what brought it there. It runs until its test ends.
type Reactive struct {
	Address string // HOST:PORT
	ports   [2]uint32

	mu      sync.Mutex
	delay   time.Duration
	session *session.Session
	known   map[flow]bool
}

type flow struct {
	port uint32
	pair [12]byte // destination and source
}

// StartReactive runs one that answers at once, for a switch whose hosts are at two ports.
func StartReactive(t testing.TB, ports [2]uint32) *Reactive {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Reactive{Address: l.Addr().String(), ports: ports, known: map[flow]bool{}}
	serve(t, l, r)
	return r
}

// Connected has the switch send the controller whatever no flow takes.
func (r *Reactive) Connected(s *session.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session = s
	_, _ = s.Send(toController())
}

func toController() openflow.Message {
	return &openflow.FlowMod{Command: openflow.FlowAdd, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup:     openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.OutputController(openflow.ControllerNoCut))}}
}

// PacketIn sets the packet's flow up, if it is the first of it, and sends the packet on.
func (r *Reactive) PacketIn(s *session.Session, _ openflow.Header, p *openflow.PacketIn) {
	if len(p.Data) < 14 || p.InPort != r.ports[0] && p.InPort != r.ports[1] {
		return
	}
	f, to := flow{p.InPort, [12]byte(p.Data)}, r.ports[0]
	if p.InPort == to {
		to = r.ports[1]
	}
	out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: p.InPort, Data: append([]byte(nil), p.Data...),
		Actions: []openflow.Action{openflow.Output(to)}}
	r.mu.Lock()
	first, delay := !r.known[f], r.delay
	r.known[f] = true
	r.mu.Unlock()
	answer := func() {
		if !first {
			_, _ = s.Send(out)
			return
		}
		_, _ = s.Send(entry(f, to), out)
	}
	if delay == 0 {
		answer()
		return
	}
	time.AfterFunc(delay, answer)
}

// SetDelay has the controller answer packet-ins after a time.
func (r *Reactive) SetDelay(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.delay = d
}

func entry(f flow, to uint32) openflow.Message {
	var m openflow.Match
	m.SetUint(openflow.FieldInPort, uint64(f.port))
	m.Set(openflow.FieldEthDst, f.pair[:6], nil)
	m.Set(openflow.FieldEthSrc, f.pair[6:], nil)
	return &openflow.FlowMod{Command: openflow.FlowAdd, Priority: 10, Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Match: m, Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(to))}}
}

// BatchEnd implements session.Handler.
func (r *Reactive) BatchEnd(*session.Session) {}

// Message implements session.Handler.
func (r *Reactive) Message(*session.Session, openflow.Header, openflow.Message) {}

// Disconnected implements session.Handler.
func (r *Reactive) Disconnected(*session.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session = nil
}

// Ready reports whether the switch is connected, and has confirmed all that it was told.
func (r *Reactive) Ready(ctx context.Context) bool {
	r.mu.Lock()
	s := r.session
	r.mu.Unlock()
	if s == nil {
		return false
	}
	_, err := s.RequestContext(ctx, &openflow.BarrierRequest{})
	return err == nil
}

// Forget takes all flows away, and waits until the switch confirms it.
func (r *Reactive) Forget(ctx context.Context) error {
	r.mu.Lock()
	s := r.session
	r.known = map[flow]bool{}
	r.mu.Unlock()
	if s == nil {
		return session.ErrClosed
	}
	remove := &openflow.FlowMod{Command: openflow.FlowDelete, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny}
	if _, err := s.Send(remove, toController()); err != nil {
		return err
	}
	_, err := s.RequestContext(ctx, &openflow.BarrierRequest{})
	return err
}
