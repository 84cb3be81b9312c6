package node_test

import (
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/session"
)

// answers tells when a packet-out of data reaches a switch, and whether the switch holds protection
// rows.
type answers struct {
	came chan time.Time
	held *atomic.Bool
}

func (a answers) Frame(_ *session.Session, h openflow.Header, frame []byte) bool {
	if h.Type == openflow.TypeFlowMod && plan.Decode(binary.BigEndian.Uint64(frame[8:])).Kind == plan.KindProtection {
		a.held.Store(openflow.FlowModCommand(frame[25]) == openflow.FlowAdd)
	}
	if h.Type == openflow.TypePacketOut && len(frame) > 14 && binary.BigEndian.Uint16(frame[len(frame)-2:]) == 0xbeef {
		select {
		case a.came <- time.Now():
		default:
		}
	}
	return false
}

func (answers) BatchEnd(*session.Session) {}

// BenchmarkOthersBesideAFlood measures how long others' packet-ins take to be answered, at the
// flooded switch and at another, with and without up to 50,000 packet-ins a second from one port,
// in turns of 2 s: from invented addresses to a host that is known, so that each would make a host
// and a path. A switch that meters lets 200 a second through once it has been told; one that does
// not leaves it all to the instance's own shedding.
func BenchmarkOthersBesideAFlood(b *testing.B) {
	b.Run("switch=meters", func(b *testing.B) { besideAFlood(b, true) })
	b.Run("switch=lets-through", func(b *testing.B) { besideAFlood(b, false) })
}

func besideAFlood(b *testing.B, meters bool) {
	i := start(b)
	top, err := loadswitch.ParseTopology("linear:2", 1)
	if err != nil {
		b.Fatal(err)
	}
	came := map[uint64]answers{1: {make(chan time.Time, 1), new(atomic.Bool)}, 2: {make(chan time.Time, 1), new(atomic.Bool)}}
	n := loadswitch.New(top,
		loadswitch.Config{Version: openflow.V13, Hosts: 4,
			Tap: func(sw *loadswitch.Switch) loadswitch.Tap { return came[sw.DatapathID()] }})
	b.Cleanup(func() { _ = n.Close(context.Background()) })
	if err := n.Connect(b.Context(), i.at.OpenFlow); err != nil {
		b.Fatal(err)
	}
	i.await("edges", func() bool { return i.linksUp() == 2 && i.edges() == 8 })
	for _, sw := range n.Switches {
		sw.Announce(nil)
	}
	i.await("all hosts", func() bool { return len(i.hosts()) == 8 })
	var quiet, flooded []float64
	for b.Loop() {
		quiet = append(quiet, p99(others(b, n, came, false, meters)))
		flooded = append(flooded, p99(others(b, n, came, true, meters)))
		i.await("the end of the protection", func() bool { return !came[1].held.Load() })
	}
	slices.Sort(quiet)
	slices.Sort(flooded)
	q, f := quiet[len(quiet)/2], flooded[len(flooded)/2]
	b.ReportMetric(q, "quiet-p99-µs")
	b.ReportMetric(f, "flood-p99-µs")
	b.ReportMetric(f/q, "ratio")
	b.ReportMetric(i.metric("weir_guard_total", "kind", "shed"), "shed")
	b.ReportMetric(0, "ns/op")
}

// others asks for 2 s, 1,000 times a second, in turn at a port beside the flooded one and at
// another switch, and returns the times until each answer in µs. An answer that does not come
// within a second counts as a second.
func others(b *testing.B, n *loadswitch.Network, came map[uint64]answers, flood, meters bool) (took []float64) {
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for k := uint32(0); flood; {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			batch := 50
			if meters && came[1].held.Load() {
				time.Sleep(5 * time.Millisecond)
				batch = 1
			}
			for range batch {
				k++
				src := packet.MAC{2, 0xfd, byte(k >> 24), byte(k >> 16), byte(k >> 8), byte(k)}
				_ = n.Switches[0].PacketIn(n.Switches[0].Hosts[0].At.Port, openflow.NoBuffer,
					udp(src, n.Switches[1].Hosts[0].MAC))
			}
		}
	}()
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		sw := n.Switches[len(took)%2]
		frame := append(ping(&sw.Hosts[1], &sw.Hosts[2]), 0xbe, 0xef)
		answer := came[sw.DatapathID()].came
		select {
		case <-answer:
		default:
		}
		at := time.Now()
		if err := sw.PacketIn(sw.Hosts[1].At.Port, openflow.NoBuffer, frame); err != nil {
			b.Fatal(err)
		}
		select {
		case when := <-answer:
			took = append(took, float64(when.Sub(at).Nanoseconds())/1000)
		case <-time.After(time.Second):
			took = append(took, 1e6)
		}
	}
	close(stop)
	if flood {
		<-ended
	}
	return took
}

// p99 is the time that one in a hundred exceeds.
func p99(took []float64) float64 {
	slices.Sort(took)
	return took[len(took)*99/100]
}
