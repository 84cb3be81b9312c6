package controller

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// udp is a frame from a host to another one.
func udp(from, to byte, sport uint16) []byte {
	k := packet.Key{EthSrc: packet.MAC{2, 0, 0, 0, 0, from}, EthDst: packet.MAC{2, 0, 0, 0, 0, to}, EtherType: 0x0800,
		Layers:  packet.LayerEthernet | packet.LayerIPv4 | packet.LayerUDP,
		IPProto: packet.ProtoUDP, TTL: 64, IPSrc: packet.AddrFrom4([4]byte{10, 0, 0, from}),
		IPDst: packet.AddrFrom4([4]byte{10, 0, 0, to}), SrcPort: sport, DstPort: 7}
	return packet.AppendUDP(nil, &k, []byte("hello, and some more to fill a frame"))
}

// TestReactiveSetsFlowsUpOnce has the first packet of each flow come to the controller, and no
// other, until the flows are forgotten.
func TestReactiveSetsFlowsUpOnce(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, v openflow.Version) {
		for by, flows := range map[Exact]int{MACPair: 2, FiveTuple: 4} {
			c := listen(t, Config{})
			c.React(Forwarding{Out: Between(1, 2), By: by})
			sw, ports := emulate(t, c, v, profile.Profile{})
			came := [2]int{}
			send := func(from int, frame []byte) {
				t.Helper()
				came[1-from]++
				_ = ports[from].Send(frame)
				need.Await(t, "the packet comes out", func() bool { return ports[1-from].count() == came[1-from] })
				ready(t, c)
			}
			for round := 1; round <= 2; round++ {
				for range 3 { // two connections, both ways
					for _, sport := range []uint16{1000, 2000} {
						send(0, udp(1, 2, sport))
						send(1, udp(2, 1, sport))
					}
				}
				if got := sw.Entries(); got != flows+1 {
					t.Errorf("by %d: %d entries, want %d and that of the table's miss", by, got, flows)
				}
				answers := c.Answers()
				if len(answers) != flows {
					t.Fatalf("by %d: %d answers, want %d", by, len(answers), flows)
				}
				for _, a := range answers {
					if a.Arrived.IsZero() || a.Share <= 0 || a.InPort != 1 && a.InPort != 2 {
						t.Errorf("answer %+v took %v", a, a.Share)
					}
				}
				if err := c.Forget(t.Context()); err != nil {
					t.Fatal(err)
				}
				if sw.Entries() != 1 || len(c.Answers()) != 0 {
					t.Errorf("%d entries after all were forgotten", sw.Entries())
				}
			}
			if got := came[0]; ports[0].count() != got {
				t.Errorf("%d packets came, want %d: one came twice", ports[0].count(), got)
			}
		}
	})
}

// TestReactiveDelayIsItsShare has a controller that waits know it.
func TestReactiveDelayIsItsShare(t *testing.T) {
	t.Parallel()
	c := listen(t, Config{})
	c.React(Forwarding{Out: Between(1, 2)})
	_, ports := emulate(t, c, openflow.V13, profile.Profile{})
	const delay = 20 * time.Millisecond
	c.SetDelay(delay)
	_ = ports[0].Send(udp(1, 2, 3))
	need.Await(t, "the packet comes out", func() bool { return ports[1].count() == 1 })
	var answers []Answer
	need.Await(t, "the answer has been written", func() bool {
		answers = append(answers, c.Answers()...)
		return len(answers) > 0
	})
	if len(answers) != 1 || answers[0].Share < delay {
		t.Errorf("answers %+v, want one that took %v at least", answers, delay)
	}
}

// TestReactiveDropsWhatHasNoWay has packets that lead nowhere, or are none, set nothing up.
func TestReactiveDropsWhatHasNoWay(t *testing.T) {
	t.Parallel()
	c := listen(t, Config{})
	c.React(Forwarding{Out: Between(1, 3)})
	sw, ports := emulate(t, c, openflow.V13, profile.Profile{})
	_ = ports[1].Send(udp(1, 2, 3))
	_ = ports[0].Send([]byte{1, 2, 3})
	ready(t, c)
	if sw.Entries() != 1 || len(c.Answers()) != 0 {
		t.Errorf("%d entries, want one", sw.Entries())
	}
}

// TestInstallConfirms has entries be in force when Install returns, and those that the switch
// refuses be said.
func TestInstallConfirms(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, v openflow.Version) {
		c := listen(t, Config{})
		p := profile.Profile{Install: profile.Install{PerSecond: 1000, Batch: 4, Delay: time.Millisecond},
			Tables: profile.Tables{Entries: 2}}
		sw, _ := emulate(t, c, v, p)
		f := flow{in: 1, src: packet.MAC{2, 1}, dst: packet.MAC{2, 2}}
		g := flow{in: 2, src: packet.MAC{2, 2}, dst: packet.MAC{2, 1}}
		if err := c.Install(t.Context(), f.entry(2), g.entry(1)); err != nil || sw.Entries() != 2 {
			t.Fatalf("%d entries, error %v", sw.Entries(), err)
		}
		h := flow{in: 3}
		if err := c.Install(t.Context(), h.entry(2)); err == nil || !strings.Contains(err.Error(), "FULL") {
			t.Errorf("a third entry: %v, want that the table is full", err)
		}
	})
}

// TestOneSwitchIsTaken has a second one be refused, with both ids, and the first one come back.
func TestOneSwitchIsTaken(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var why []error
	c := listen(t, Config{Refused: func(err error) { mu.Lock(); defer mu.Unlock(); why = append(why, err) }, Datapath: 1})
	sw, _ := emulate(t, c, openflow.V13, profile.Profile{})
	other := listen(t, Config{Datapath: 77, Refused: func(err error) { mu.Lock(); defer mu.Unlock(); why = append(why, err) }})
	go func() { // a switch of id 1 at a controller that wants 77
		l, err := net.Dial("tcp", other.Address())
		if err == nil {
			l.Close()
		}
	}()
	if f, ok := c.Features(); !ok || f.Datapath != 1 {
		t.Fatalf("features %+v", f)
	}
	if err := c.door.admit(2, nil, nil); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "0000000000000002") {
		t.Errorf("another datapath id: %v", err)
	}
	need.Await(t, "the connection without a switch is refused", func() bool { mu.Lock(); defer mu.Unlock(); return len(why) > 0 })
	sw.Down()
	need.Await(t, "the switch is gone", func() bool { _, ok := c.Features(); return !ok })
	err := c.ReadyWithin(t.Context(), 50*time.Millisecond)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "come back") {
		t.Errorf("without a switch: %v", err)
	}
	sw.Up()
	ready(t, c)
}

func TestListenSaysWhatIsWrong(t *testing.T) {
	if _, err := Listen("nowhere", Config{}); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("%v", err)
	}
}
