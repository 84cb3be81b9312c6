//go:build real && linux

package nic_test

import (
	"encoding/binary"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// BenchmarkPairs observes UDP packets of 1,500 bytes at both ends of a cable, 80,000 a second: nearly
// a gigabit. It tells how many observations were lost, each of which is counted, and what one
// packet's two stamps are apart. Run it with -benchtime 400000x.
func BenchmarkPairs(b *testing.B) {
	need.Root(b)
	one, other, unplug, err := nic.Cable(1500)
	if err != nil {
		b.Fatal(err)
	}
	defer unplug()
	var ends [2]*nic.NIC
	var seen [2]*probe.Assembler
	var locks [2]sync.Mutex
	for i, c := range []nic.Config{one, other} {
		c.Kept = probe.Kept
		if ends[i], err = nic.Open(c); err != nil {
			b.Fatal(err)
		}
		seen[i] = probe.NewAssembler(1500)
		ends[i].Watch(func(f *nic.Frame) {
			locks[i].Lock()
			seen[i].Add(probe.Stamp(f.At), f.Out, f.Length, f.Bytes)
			locks[i].Unlock()
		})
	}
	b.ResetTimer()
	begun := time.Now()
	send(b, ends[0], b.N)
	took := time.Since(begun)
	b.StopTimer()
	time.Sleep(200 * time.Millisecond) // for what is on its way
	lost := ends[0].Counters().Lost + ends[1].Counters().Lost
	if err := errors.Join(ends[0].Close(), ends[1].Close()); err != nil {
		b.Fatal(err)
	}
	way := probe.Pair(seen[0].Passages(), seen[1].Passages())
	if missing := 2*b.N - len(seen[0].Passages()) - len(seen[1].Passages()); missing != int(lost) {
		b.Errorf("%d observations are missing, and %d were counted as lost", missing, lost)
	}
	apart := make([]time.Duration, 0, len(way.Trips))
	for i := range way.Trips {
		apart = append(apart, way.Trips[i].Took())
	}
	b.ReportMetric(float64(b.N)/took.Seconds(), "pairs/s")
	b.ReportMetric(float64(lost)/float64(2*b.N)*100, "%lost")
	b.ReportMetric(float64(probe.Median(apart).Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(probe.Quantile(apart, 0.99).Nanoseconds()), "p99-ns")
}

// send sends packets that are all different, a burst each millisecond.
func send(b *testing.B, n *nic.NIC, count int) {
	const rate, burst = 80_000, 80
	k := packet.Key{EthDst: packet.MAC{2, 0, 0, 0, 0, 2}, EthSrc: packet.MAC{2, 0, 0, 0, 0, 1}, EtherType: packet.TypeIPv4,
		IPSrc: packet.AddrFrom4([4]byte{198, 18, 0, 1}), IPDst: packet.AddrFrom4([4]byte{198, 18, 0, 2}), SrcPort: 1, DstPort: 2}
	frames := make([][]byte, burst)
	for i := range frames {
		frames[i] = packet.AppendUDP(nil, &k, make([]byte, 1500-packet.IPv4Len-packet.UDPLen))
	}
	const payload = packet.EthernetLen + packet.IPv4Len + packet.UDPLen
	for begun, sent := time.Now(), 0; sent < count; {
		time.Sleep(time.Until(begun.Add(time.Duration(sent) * time.Second / rate)))
		part := frames[:min(burst, count-sent)]
		for _, f := range part {
			binary.BigEndian.PutUint32(f[payload:], uint32(sent))
			sent++
		}
		if err := n.SendAll(part...); err != nil {
			b.Fatal(err)
		}
	}
}
