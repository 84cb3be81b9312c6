package session

import (
	"context"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// counting is a datapath that counts frames it is given as bytes.
type counting struct {
	datapath
	frames int
}

func (c *counting) Frame(_ *Session, h openflow.Header, frame []byte) bool {
	c.frames++
	return h.Type == openflow.TypePacketOut
}

func TestFrameHandlerGetsBytesFirst(t *testing.T) {
	cfg := Config{}.withDefaults()
	c := &counting{}
	r := newSession(newGroup(nil), &sink{}, &cfg, nil, c, &Roles{})
	r.core.Start(time.Now())
	give := func(m openflow.Message) {
		b, err := openflow.Append(nil, openflow.V13, 1, m)
		if err != nil {
			t.Fatal(err)
		}
		r.receive(b)
	}
	give(&openflow.Hello{})
	give(&openflow.BarrierRequest{})
	give(&openflow.PacketOut{Buffer: 1})
	give(&openflow.FlowMod{Cookie: 2})
	if c.frames != 2 {
		t.Errorf("%d frames given", c.frames)
	}
	give(&openflow.RoleRequest{Role: openflow.RoleSlave})
	give(&openflow.FlowMod{Cookie: 3})
	if c.frames != 2 || r.s.Stats().Refused != 1 {
		t.Errorf("a slave's flow-mod was given to the handler")
	}
	expect(t, c.notes(), "connected 1.3", "flow_mod 0x2")
}

// idle is a switch of which nobody wants anything.
type idle struct {
	datapath
	connected, ended *atomic.Int64
}

func (i *idle) Connected(*Session)           { i.connected.Add(1) }
func (i *idle) Disconnected(*Session, error) { i.ended.Add(1) }

// TestMemoryBudgetOfAnIdleSession connects switches to a listener that only says hello, and weighs
// them: heap and stacks, the handler and the runtime's part of the socket included.
func TestMemoryBudgetOfAnIdleSession(t *testing.T) {
	need.NoRace(t)
	const n, limit = 200, 12 << 10
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	accepted := make(chan net.Conn, n)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			hello, _ := openflow.Append(nil, openflow.V13, 1, &openflow.Hello{})
			conn.Write(hello)
			accepted <- conn
		}
	}()
	d := NewDialer(Config{})
	var connected, ended atomic.Int64
	var peers []net.Conn // kept open: a session whose peer has gone weighs nothing
	connect := func(n int64) {
		target := connected.Load() + n
		for range n {
			if _, err := d.Dial(context.Background(), ln.Addr().String(), &Roles{},
				&idle{connected: &connected, ended: &ended}); err != nil {
				t.Fatal(err)
			}
			peers = append(peers, <-accepted)
		}
		for connected.Load() < target {
			runtime.Gosched()
		}
	}
	connect(20)
	before := weigh()
	connect(n)
	each := (weigh() - before) / n
	if ended.Load() != 0 {
		t.Fatalf("%d sessions had ended when they were weighed", ended.Load())
	}
	t.Logf("%d bytes for an idle session", each)
	if each < minReadBuffer || each > limit {
		t.Errorf("%d bytes for an idle session, not between its buffer's %d and %d", each, minReadBuffer, limit)
	}
	for _, conn := range peers {
		conn.Close()
	}
	d.Close(context.Background())
}

// weigh is the memory in use by heap and stacks.
func weigh() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// TestBuffersAreLetGoWhenIdle keeps two ends busy and then leaves them alone, with echo and
// without.
func TestBuffersAreLetGoWhenIdle(t *testing.T) {
	for _, echo := range []time.Duration{-1, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			p := newPair(t, Config{EchoInterval: echo}, pipe.Options{})
			p.handler.packetIn = func(*Session, openflow.Header, *openflow.PacketIn) {}
			sw, ctl, _ := p.connect(&datapath{id: 1})
			for range 100 {
				if err := sw.SendBytes(packetIns(openflow.V13, 2000)); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			if !ctl.large.Load() || !sw.out.queue.large() {
				t.Error("the buffers did not grow")
			}
			time.Sleep(2*restTicks*tickInterval + 2*time.Second)
			synctest.Wait()
			if ctl.large.Load() || sw.out.queue.large() {
				t.Errorf("a large buffer kept for reading: %v; %d bytes for writing", ctl.large.Load(), cap(sw.out.queue.buf)+cap(sw.out.queue.spare))
			}
			p.close()
		})
	}
}

// TestARequestThatWaitsLongHoldsUpNoMemory answers many requests after one that is not answered.
func TestARequestThatWaitsLongHoldsUpNoMemory(t *testing.T) {
	cfg := Config{}.withDefaults()
	c := NewCore(SwitchEnd, &cfg, &Roles{})
	c.out.version, c.state = openflow.V13, stateReady
	for range 10000 {
		xid := c.NextXID()
		if err := c.Expect(xid, openflow.TypeBarrierRequest, time.Unix(0, 0), nil); err != nil {
			t.Fatal(err)
		}
		if xid > 1 {
			c.Forget(xid)
		}
	}
	if n := len(c.requests.order); n > 2*keepRequests {
		t.Errorf("%d requests kept for one that is open", n)
	}
}

// ownAnswers is a controller that takes the answers to what it sends as bytes.
type ownAnswers struct{ *controller }

func (a *ownAnswers) Answer(s *Session, h openflow.Header, frame []byte) bool {
	if h.XID < 1<<31 {
		return false
	}
	a.note("%s %#x, %d bytes", h.Type, h.XID, len(frame))
	return true
}

// TestAnswerHandlerGetsBytesFirst: what it takes is not taken for an answer that nobody waits for.
func TestAnswerHandlerGetsBytesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{Versions: []openflow.Version{openflow.V13}}, pipe.Options{})
		p.server = NewServer(p.server.cfg, &ownAnswers{p.handler})
		_, ctl, _ := p.connect(&datapath{id: 7})
		p.handler.notes()
		var b []byte
		for i, m := range []openflow.Message{&openflow.EchoRequest{}, &openflow.BarrierRequest{}, &openflow.FeaturesRequest{},
			&openflow.MultipartRequest{Body: &openflow.PortDescRequest{}}, &openflow.BarrierRequest{}} {
			b, _ = openflow.Append(b, openflow.V13, 1<<31+uint32(i), m)
			if i == 4 {
				b[len(b)-4] = 0 // an answer that is left to the session
			}
		}
		if err := ctl.SendBytes(b); err != nil {
			t.Fatal(err)
		}
		_ = ctl.Barrier(func(err error) { p.handler.note("barrier: %v", err) })
		time.Sleep(time.Millisecond)
		synctest.Wait()
		expect(t, p.handler.notes(), "echo_reply 0x80000000, 8 bytes", "barrier_reply 0x80000001, 8 bytes",
			"features_reply 0x80000002, 32 bytes", "multipart_reply 0x80000003, 80 bytes", "barrier: <nil>")
		if got := ctl.Stats().Unmatched; got != 1 {
			t.Errorf("%d answers that nobody waits for, want the one that was left", got)
		}
		p.close()
	})
}
