package session

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// plain hides TryWrite of a connection, as TLS does not have it.
type plain struct{ net.Conn }

// TestOrderIsKept has several goroutines and the handler send at once, over a connection that takes
// little at a time: what each sends arrives in its order, and what one call sends arrives in one
// piece.
func TestOrderIsKept(t *testing.T) {
	for _, hide := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { orderIsKept(t, hide) })
	}
}

func orderIsKept(t *testing.T, hide bool) {
	orderOf(t, newPair(t, Config{}, pipe.Options{Buffer: 3000}), hide)
}

func orderOf(t *testing.T, p *pair, hide bool) {
	const senders, each = 4, 200
	var next [senders + 1]uint64
	pieces := 0
	d := &datapath{id: 1}
	d.flowMod = func(_ *Session, h openflow.Header, fm *openflow.FlowMod) {
		who, n := fm.Cookie>>32, fm.Cookie&0xffffffff
		if n != next[who] {
			t.Errorf("sender %d: flow-mod %d, want %d", who, n, next[who])
		}
		if n%2 == 1 && h.XID != uint32(pieces) {
			t.Errorf("sender %d: flow-mod %d has transaction id %d after %d", who, n, h.XID, pieces-1)
		}
		pieces = int(h.XID) + 1
		next[who]++
	}
	p.handler.packetIn = func(s *Session, _ openflow.Header, pin *openflow.PacketIn) {
		sendTwo(t, s, senders, uint64(pin.Buffer))
	}
	a, b := pipe.New(p.options)
	var near net.Conn = a
	if hide {
		near = plain{a}
	}
	p.server.ServeConn(near)
	sw, _ := p.dialer.ServeConn(b, &Roles{}, d)
	synctest.Wait()
	ctl := p.handler.last()
	var all sync.WaitGroup
	for who := range uint64(senders) {
		all.Go(func() {
			for n := range uint64(each) {
				sendTwo(t, ctl, who, n)
			}
		})
	}
	for n := range uint32(each) {
		sw.Send(&openflow.PacketIn{Buffer: n, InPort: 1, Data: make([]byte, 14)})
	}
	all.Wait()
	time.Sleep(time.Second)
	synctest.Wait()
	if want := [senders + 1]uint64{2 * each, 2 * each, 2 * each, 2 * each, 2 * each}; next != want {
		t.Errorf("arrived: %v", next)
	}
	if st := ctl.Stats(); st.Out[openflow.TypeFlowMod] != (senders+1)*2*each || st.Queue != 0 {
		t.Errorf("stats: %+v", st)
	}
	p.close()
}

// sendTwo sends flow-mods 2n and 2n+1 of a sender.
func sendTwo(t *testing.T, s *Session, who, n uint64) {
	first := &openflow.FlowMod{Cookie: who<<32 | 2*n, Buffer: openflow.NoBuffer}
	second := &openflow.FlowMod{Cookie: who<<32 | 2*n + 1, Buffer: openflow.NoBuffer}
	if _, err := s.Send(first, second); err != nil {
		t.Error(err)
	}
}

// TestASlowSwitchSlowsOnlyItself has a switch stop reading: its queue stays bounded, what does not
// fit is refused and counted, reading from it slows down, and another switch is served as before.
func TestASlowSwitchSlowsOnlyItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{MaxQueue: 64 << 10, HighWater: 16 << 10, EchoInterval: -1}
		p := newPair(t, cfg, pipe.Options{Buffer: 4096})
		p.handler.packetIn = func(s *Session, _ openflow.Header, pin *openflow.PacketIn) {
			s.Send(&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: 1, Data: pin.Data})
		}
		slow, quick := &datapath{id: 1}, &datapath{id: 2}
		_, ctl, conn := p.connect(slow)
		sw, _, _ := p.connect(quick)
		quick.notes()
		conn.HoldInput(true)
		frame, _ := openflow.Append(nil, openflow.V13, 1, &openflow.PacketIn{InPort: 1, Data: make([]byte, 1000)})
		go func() {
			for range 500 {
				if _, err := conn.Write(frame); err != nil {
					return
				}
			}
		}()
		time.Sleep(time.Second)
		if n := ctl.Queue(); n < cfg.HighWater || n > cfg.MaxQueue {
			t.Errorf("%d bytes queued", n)
		}
		if st := ctl.Stats(); st.Paused == 0 || st.In[openflow.TypePacketIn] > 200 {
			t.Errorf("reading did not slow down: %d packet-ins read, %d pauses", st.In[openflow.TypePacketIn], st.Paused)
		}
		time.Sleep(10 * time.Second)
		if st := ctl.Stats(); st.Full == 0 || st.In[openflow.TypePacketIn] != 500 {
			t.Errorf("%d packet-ins read, %d answers refused", st.In[openflow.TypePacketIn], st.Full)
		}
		if _, err := ctl.Send(&openflow.EchoRequest{Data: make([]byte, 60<<10)}); !errors.Is(err, ErrFull) {
			t.Errorf("Send to a full queue: %v", err)
		}
		sw.Send(&openflow.PacketIn{InPort: 1, Data: make([]byte, 20)})
		synctest.Wait()
		expect(t, quick.notes(), fmt.Sprintf("packet_out %d", openflow.NoBuffer))
		conn.HoldInput(false)
		synctest.Wait()
		if n := ctl.Queue(); n != 0 {
			t.Errorf("%d bytes still queued after the switch reads again", n)
		}
		p.close()
	})
}

// TestTwoEndsOverHighWaterDoNotWaitForEachOther has both ends answer more than they get.
func TestTwoEndsOverHighWaterDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{MaxQueue: 256 << 10, HighWater: 2 << 10, EchoInterval: -1}
		p := newPair(t, cfg, pipe.Options{Buffer: 1024})
		const total = 400
		answered := 0
		big := make([]byte, 500)
		p.handler.packetIn = func(s *Session, _ openflow.Header, _ *openflow.PacketIn) {
			s.Send(&openflow.FlowMod{Buffer: openflow.NoBuffer}, &openflow.PacketOut{Buffer: openflow.NoBuffer, Data: big})
		}
		d := &datapath{id: 1}
		d.flowMod = func(s *Session, _ openflow.Header, _ *openflow.FlowMod) {
			answered++
			s.Send(&openflow.EchoRequest{Data: big})
		}
		sw, ctl, _ := p.connect(d)
		for range total {
			sw.Send(&openflow.PacketIn{InPort: 1, Data: big})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if answered+int(ctl.Stats().Full) < total || sw.Queue() != 0 || ctl.Queue() != 0 {
			t.Errorf("%d of %d answered, %d refused, %d and %d bytes queued", answered, total, ctl.Stats().Full,
				sw.Queue(), ctl.Queue())
		}
		p.close()
	})
}
