package emu

import (
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// TestCutInHandshake: a connection that was cut just before its session tells that it stands, does
// not stand.
func TestCutInHandshake(t *testing.T) {
	n := start(t, Config{Topology: parse(t, "linear:1")})
	ch := newChannel(n.Switches()[0], 0, "c")
	ch.state = dialling
	n.attempts.mu.Lock()
	n.attempts.starting++
	n.attempts.mu.Unlock()
	near, _ := pipe.New(pipe.Options{})
	w, _ := newWire(near, ch)
	if ch.attach(w) == nil {
		t.Fatal("the connection is not wanted")
	}
	ch.mu.Lock()
	ch.off = true
	ch.mu.Unlock()
	ch.cut()
	ch.connected(w)
	if ch.state != idle || ch.wire != nil {
		t.Errorf("state %d, want %d: a controller that is cut off would never be dialled again", ch.state, idle)
	}
}

// TestPowerFlaps has the power come back before the links have seen that it is gone: the ports hear
// of their carrier all the same.
func TestPowerFlaps(t *testing.T) {
	n := start(t, Config{Topology: parse(t, "linear:2")})
	sw, l := n.Switches()[0], n.Links()[0]
	l.mu.Lock() // Down waits here
	var both sync.WaitGroup
	both.Go(sw.Down)
	await(t, "the power is gone", func() bool { return !sw.On() })
	both.Go(sw.Up)
	for end := time.Now().Add(50 * time.Millisecond); !sw.On() && time.Now().Before(end); { // in which it would overtake
		time.Sleep(time.Millisecond)
	}
	l.mu.Unlock()
	both.Wait()
	sw.mu.Lock()
	defer sw.mu.Unlock()
	for _, p := range sw.data.table.Ports() {
		if p.State&openflow.PortStateDown != 0 {
			t.Errorf("port %d has no carrier, its link has: %v", p.Number, sw.Link(p.Number).Up())
		}
	}
}

// TestStalledHandshake: a connection that is stalled before it stands takes no place among those
// that are being made.
func TestStalledHandshake(t *testing.T) {
	n := joined(t, "linear:1", newBoss(), openflow.V13, func(c *Config) { c.BackoffMin = time.Millisecond })
	sw := n.Switches()[0]
	if err := sw.Control().Stall(AllControllers, true); err != nil {
		t.Fatal(err)
	}
	if err := sw.Control().Disconnect(AllControllers); err != nil {
		t.Fatal(err)
	}
	ch := sw.control.channels[0]
	await(t, "no place is taken while the handshake goes on", func() bool {
		ch.mu.Lock()
		defer ch.mu.Unlock()
		n.attempts.mu.Lock()
		defer n.attempts.mu.Unlock()
		return ch.state == dialling && ch.wire != nil && n.attempts.starting == 0
	})
}

// TestTimeOutWithLostBuffer: an entry whose buffered packet is gone is there, and runs out.
func TestTimeOutWithLostBuffer(t *testing.T) {
	b := newBoss()
	n := joined(t, "linear:1", b, openflow.V13, func(c *Config) { c.Switch.Buffers = 4 })
	m := forward(1, 2).(*openflow.FlowMod)
	m.Buffer, m.HardTimeout, m.Flags = 1<<20, 1, openflow.FlagSendFlowRemoved
	if codes := b.tell(t, b.of(t, 1), m); len(codes) != 1 || codes[0] != openflow.BadRequestBufferUnknown {
		t.Fatalf("answered with %v", codes)
	}
	await(t, "the entry runs out", func() bool {
		_, all := b.seen()
		for _, m := range all {
			if r, ok := m.(*openflow.FlowRemoved); ok && r.Reason == openflow.RemovedHard {
				return n.Switches()[0].Entries() == 0
			}
		}
		return false
	})
}
