package discovery_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/session/pipe"
)

// plane is two switches with a cable between their ports 1, sessions to a controller that has
// nothing but discovery, and known delays.
type plane struct {
	t      *testing.T
	view   *netview.View
	d      *discovery.Discovery
	server *session.Server
	dialer *session.Dialer

	mu     sync.Mutex
	cable  time.Duration
	jitter time.Duration // of the cable, at most
	random *rand.Rand
	ends   [3]*session.Session
}

// controller and edge are the two ends' handlers.
type controller struct{ *plane }

type link struct {
	*plane
	n int
}

func (c controller) Connected(s *session.Session) {
	f := s.Features()
	c.d.SwitchUp(discovery.SwitchFacts{DPID: netview.DPID(f.Datapath), Epoch: 1, Version: f.Version, Ports: f.Ports, Out: out{s}})
}
func (c controller) PacketIn(s *session.Session, _ openflow.Header, pin *openflow.PacketIn) {
	c.d.LLDP(netview.DPID(s.Features().Datapath), pin.InPort, pin.Data)
}
func (controller) BatchEnd(*session.Session)                                   {}
func (controller) Message(*session.Session, openflow.Header, openflow.Message) {}
func (c controller) Disconnected(s *session.Session, _ error) {
	c.d.SwitchDown(netview.DPID(s.Features().Datapath), 1)
}

// out is discovery's way to a switch.
type out struct{ s *session.Session }

func (out) Barrier(func()) {}

func (o out) PacketOut(port uint32, frame []byte) bool {
	_, err := o.s.Send(&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
		Actions: []openflow.Action{openflow.Output(port)}, Data: frame})
	return err == nil
}

func (e link) Connected(s *session.Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ends[e.n] = s
}
func (e link) Features(*session.Session) openflow.FeaturesReply {
	return openflow.FeaturesReply{DatapathID: uint64(e.n), Tables: 1, Ports: e.ports()}
}
func (e link) ports() []openflow.Port {
	return []openflow.Port{{Number: 1, HWAddr: [6]byte{2, 0, 0, 0, 0, byte(e.n)}}}
}
func (link) FlowMod(*session.Session, openflow.Header, *openflow.FlowMod) {}
func (link) BatchEnd(*session.Session)                                    {}
func (link) Disconnected(*session.Session, error)                         {}
func (e link) Message(s *session.Session, h openflow.Header, m openflow.Message) {
	if r, ok := m.(*openflow.MultipartRequest); ok {
		switch r.Body.(type) {
		case *openflow.PortDescRequest:
			_ = s.Reply(h.XID, &openflow.MultipartReply{Body: &openflow.PortDescList{Ports: e.ports()}})
		case *openflow.DescRequest:
			_ = s.Reply(h.XID, &openflow.MultipartReply{Body: &openflow.Desc{}})
		}
	}
}

// PacketOut sends a frame over the cable.
func (e link) PacketOut(_ *session.Session, _ openflow.Header, po *openflow.PacketOut) {
	e.mu.Lock()
	defer e.mu.Unlock()
	data, delay := bytes.Clone(po.Data), e.cable
	if e.jitter > 0 {
		delay += time.Duration(e.random.Int64N(int64(e.jitter)))
	}
	time.AfterFunc(delay, func() {
		e.mu.Lock()
		far := e.ends[3-e.n]
		e.mu.Unlock()
		if far == nil {
			return // not connected yet
		}
		_, _ = far.Send(&openflow.PacketIn{Buffer: openflow.NoBuffer, TotalLen: uint16(len(data)), InPort: 1, Data: data})
	})
}

// latency runs discovery between two switches that are so far away from it for a while, and returns
// what it says of the link each way.
func latency(t *testing.T, control [2]pipe.Options, change func(*plane)) (there, back *netview.Link) {
	p := &plane{t: t, view: netview.New(netview.Limits{}), random: rand.New(rand.NewPCG(1, 2))}
	p.server = session.NewServer(session.Config{}, controller{p})
	p.dialer = session.NewDialer(session.Config{EchoInterval: -1, Versions: []openflow.Version{openflow.V13}})
	p.d = discovery.New(p.view.Facts(),
		discovery.Config{Key: bytes.Repeat([]byte("k"), 16), RoundTrip: func(d netview.DPID) time.Duration {
			if s := p.server.Session(uint64(d)); s != nil {
				return s.MinRoundTrip()
			}
			return 0
		}})
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() { p.d.Run(ctx) })
	for n := 1; n <= 2; n++ {
		ours, theirs := pipe.New(control[n-1])
		if _, err := p.dialer.ServeConn(theirs, nil, link{p, n}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.server.ServeConn(ours); err != nil {
			t.Fatal(err)
		}
	}
	change(p)
	synctest.Wait()
	there, _ = p.view.Snapshot().Link(netview.LinkKey{Src: netview.Point{DPID: 1, Port: 1}, Dst: netview.Point{DPID: 2, Port: 1}})
	back, _ = p.view.Snapshot().Link(netview.LinkKey{Src: netview.Point{DPID: 2, Port: 1}, Dst: netview.Point{DPID: 1, Port: 1}})
	if there == nil || back == nil || !there.Up || !back.Up {
		t.Fatalf("links %+v and %+v", there, back)
	}
	_ = p.dialer.Close(context.Background())
	_ = p.server.Close(context.Background())
	cancel()
	ended.Wait()
	return there, back
}

// away are switches at the ends of control connections that take so long.
func away(one, two time.Duration) [2]pipe.Options {
	return [2]pipe.Options{{Delay: one}, {Delay: two}}
}

// near reports whether a latency is within a tenth, or 50 µs, of what is true.
func near(l *netview.Link, want time.Duration) bool {
	got := time.Duration(l.MeasuredUS) * time.Microsecond
	return got != 0 && (got-want).Abs() <= max(want/10, 50*time.Microsecond)
}

func wait(cable, jitter, for_ time.Duration) func(*plane) {
	return func(p *plane) {
		p.set(cable, jitter)
		time.Sleep(for_)
	}
}

func (p *plane) set(cable, jitter time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cable, p.jitter = cable, jitter
}

// The measured latency is the cable's, however far away the switches are, within a tenth or 50 µs.
func TestLatencyIsThatOfTheCable(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		control       [2]pipe.Options
		cable, jitter time.Duration
	}{
		{away(0, 0), ms, 0},
		{away(ms, ms), 5 * ms, 0},
		{away(10*ms, 300*time.Microsecond), 200 * time.Microsecond, 0},
		{away(2*ms, 80*ms), 20 * ms, 5 * ms},
		{away(40*ms, 3*ms), 100 * time.Microsecond, 100 * time.Microsecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			there, back := latency(t, c.control, wait(c.cable, c.jitter, 2*time.Minute))
			for _, l := range []*netview.Link{there, back} {
				if !near(l, c.cable) || l.LatencyUS != l.MeasuredUS || l.LatencySource != netview.SourceMeasured {
					t.Errorf("control %v, cable %s (+%s): measured %d µs, shown %d (%s)", c.control, c.cable, c.jitter,
						l.MeasuredUS, l.LatencyUS, l.LatencySource)
				}
			}
		})
	}
}

// It is not shown before twenty probes, and follows a change, and only a change, within twenty
// more.
func TestLatencyNeedsTwentyProbesAndFollowsChanges(t *testing.T) {
	const ms = time.Millisecond
	control := away(ms, 2*ms)
	synctest.Test(t, func(t *testing.T) {
		if there, back := latency(t, control, wait(5*ms, 0, 15*time.Second)); there.MeasuredUS != 0 || back.MeasuredUS != 0 {
			t.Errorf("shown after a few probes: %d, %d µs", there.MeasuredUS, back.MeasuredUS)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		there, _ := latency(t, control, func(p *plane) {
			wait(5*ms, 0, time.Minute)(p)
			synctest.Wait()
			before := p.view.Snapshot().Revision()
			wait(5400*time.Microsecond, 0, time.Minute)(p)
			synctest.Wait()
			if after := p.view.Snapshot().Revision(); after != before {
				t.Errorf("the view changed from revision %d to %d for a twelfth", before, after)
			}
			wait(9*ms, 0, time.Minute)(p)
		})
		if !near(there, 9*ms) {
			t.Errorf("%d µs after it became 9 ms", there.MeasuredUS)
		}
	})
}

// A limit: of a control connection that is slower one way than the other, half of the difference is
// taken for the link's.
func TestLatencyCannotKnowWhichWayControlIsSlow(t *testing.T) {
	const ms = time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		there, back := latency(t, [2]pipe.Options{{Delay: ms, DelayBack: 5 * ms}, {Delay: 3 * ms}},
			wait(10*ms, 0, 2*time.Minute))
		if !near(there, 8*ms) || !near(back, 12*ms) {
			t.Errorf("%d µs there, %d µs back, want 8 ms and 12 ms: the true 10 ms, and 2 ms less and more",
				there.MeasuredUS, back.MeasuredUS)
		}
	})
}
