package flowsync

import (
	"bytes"
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
	"github.com/weirnet/weir/session/pipe"
)

// TestMeterRemarks: packets of a rule that is ordered with a meter leave an emulated switch with a higher drop precedence
// (RFC 2597) if they exceed the meter's rate, and as they came if they do not, or are of a class that has none.
func TestMeterRemarks(t *testing.T) {
	const (
		af21, af22, af23 = 2<<3 | 1<<1, 2<<3 | 2<<1, 2<<3 | 3<<1
		ef               = 46
	)
	told := newOutcomes()
	e := newEngine(t, openflow.V13, Config{OnOutcomes: told.add})
	from, to := e.emulated()
	for i, c := range []struct {
		rate, burst uint32
		level       uint8
		sent        uint8 // DSCP of all packets
		above       uint8 // of those above the rate
	}{
		{rate: 1, burst: 5, level: 1, sent: af21, above: af22},
		{rate: 1, burst: 6, level: 2, sent: af21, above: af23},
		{rate: 1, burst: 7, level: 2, sent: af22, above: af23},
		{rate: 1, burst: 8, level: 1, sent: ef, above: ef},
		{rate: 1_000_000, burst: 1000, level: 1, sent: af21, above: af22},
	} {
		const frames = 40
		m, err := object.NewMeter(object.PacketsPerSecond,
			openflow.Band{Type: openflow.BandDSCPRemark, Rate: c.rate, Burst: c.burst, PrecLevel: c.level})
		if err != nil {
			t.Fatal(err)
		}
		toPort2 := groupOf(t, openflow.GroupTypeIndirect, object.Bucket{Actions: []openflow.Action{openflow.Output(2)}})
		o := orderWithObjects(t, uint32(i+1), false, []object.Object{toPort2, m})
		e.loop.Order([]ruleset.Order{o})
		eventually(t, "the rule is installed", func() bool { return told.of(ruleset.Installed) == i+1 })

		frame := func(nth int, dscp uint8) []byte {
			k := packet.Key{EtherType: packet.TypeIPv4, DSCP: dscp, IPSrc: packet.AddrFrom4([4]byte{10, 1, 0, 1}),
				IPDst: packet.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)}), SrcPort: 1, DstPort: 2}
			return packet.AppendUDP(nil, &k, []byte{byte(nth)})
		}
		var sent [][]byte
		for n := range frames {
			sent = append(sent, frame(n, c.sent))
		}
		began := time.Now()
		from.Send(sent)
		eventually(t, "all packets are there", func() bool { return to.count() == frames })
		got := to.take()
		within := 0
		for n := range frames {
			switch {
			case bytes.Equal(got[n], frame(n, c.sent)):
				within++
			case n < int(c.burst) || !bytes.Equal(got[n], frame(n, c.above)):
				t.Errorf("%+v: packet %d left as %x, came as %x", c, n, got[n], sent[n])
			}
		}
		most := int(c.burst) + int(time.Since(began).Seconds()*float64(c.rate)) + 1
		if within > most && c.sent != c.above {
			t.Errorf("%+v: %d packets left as they came, want %d at most", c, within, most)
		}
	}
}

// emulated gives an engine an emulated switch. It returns the outside of its port 1, and that of port 2, from which
// nothing comes.
func (e *engine) emulated() (*emu.Attachment, *sink) {
	top, err := topo.Parse("single:1,hosts=0", 1)
	if err != nil {
		e.t.Fatal(err)
	}
	ln, to := pipe.Listen("engine"), &sink{}
	e.serve(ln)
	n, err := emu.New(emu.Config{Topology: top, Versions: []openflow.Version{e.v}, Controllers: []string{"engine"},
		Dial: func(ctx context.Context, _ string) (net.Conn, error) { return ln.Dial(ctx) }})
	if err != nil {
		e.t.Fatal(err)
	}
	from, err := n.Switches()[0].Attach(1, "in", topo.LinkSpec{}, &sink{})
	if err == nil {
		_, err = n.Switches()[0].Attach(2, "out", topo.LinkSpec{}, to)
	}
	if err == nil {
		err = n.Start(e.t.Context())
	}
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() {
		if err := n.Close(context.Background()); err != nil {
			e.t.Error(err)
		}
	})
	return from, to
}

// sink is where frames go that leave an emulated network.
type sink struct {
	mu   sync.Mutex
	list [][]byte
}

func (s *sink) Carrier(bool) {}

func (s *sink) Deliver(frame []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, bytes.Clone(frame))
}

func (s *sink) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list)
}

func (s *sink) take() (list [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list, s.list = s.list, nil
	return list
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not yet: %s", what)
		}
	}
}
