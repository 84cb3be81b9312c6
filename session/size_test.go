package session

import (
	"context"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
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
	s := newSession(newGroup(), &sink{}, &cfg, nil, c, &Roles{})
	s.core.Start(time.Now())
	give := func(m openflow.Message) {
		b, err := openflow.Append(nil, openflow.V13, 1, m)
		if err != nil {
			t.Fatal(err)
		}
		s.receive(b)
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
	if c.frames != 2 || s.Stats().Refused != 1 {
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

// TestAnIdleSessionIsSmall connects switches to a listener that only says hello, and weighs them: heap and stacks, the
// handler and the runtime's part of the socket included.
func TestAnIdleSessionIsSmall(t *testing.T) {
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
			if _, err := d.Dial(context.Background(), ln.Addr().String(), &Roles{}, &idle{connected: &connected, ended: &ended}); err != nil {
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
