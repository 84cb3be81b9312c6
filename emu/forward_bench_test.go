package emu

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// The rules of the figure: 20 masks with 50 rules each.
const (
	benchMasks = 20
	benchRules = 1000
	benchFlows = 500 // in circulation, one frame each: every second rule is used
)

// benchRule is the i-th rule: 8 bits of the IPv4 source and 9 to 28 bits of the destination, which
// lead to the next switch of a ring. It has a time-out, and counts.
func benchRule(i int, out uint32) *openflow.FlowMod {
	bits := 9 + i%benchMasks
	src, dst := benchAddresses(i)
	mask := ^uint32(0) << (32 - bits)
	var m openflow.Match
	m.SetUint(openflow.FieldEthType, 0x0800)
	m.SetUintMasked(openflow.FieldIPv4Src, uint64(src&0xff000000), 0xff000000)
	m.SetUintMasked(openflow.FieldIPv4Dst, uint64(dst&mask), uint64(mask))
	f := addFlow(uint16(100+bits), m, openflow.Apply(openflow.Output(out)))
	f.IdleTimeout = 600
	return f
}

// benchAddresses are what the i-th rule alone matches.
func benchAddresses(i int) (src, dst uint32) {
	return uint32(i%benchMasks+1)<<24 | 1, uint32(i/benchMasks)<<26 | 1<<4
}

// BenchmarkForward measures packet-hops/s: a ring of switches with 1,000 rules of 20 masks each, in
// which 500 frames of UDP, of as many flows, loop for ever. One iteration is one hop.
func BenchmarkForward(b *testing.B) {
	for _, switches := range []int{8, 206} {
		for _, engines := range []int{1, 2} {
			b.Run(fmt.Sprintf("switches=%d/engines=%d", switches, engines),
				func(b *testing.B) { benchForward(b, switches, engines) })
		}
	}
}

func benchForward(b *testing.B, switches, engines int) {
	ctl := newBoss()
	cfg := Config{Topology: parse(b, fmt.Sprintf("ring:%d", switches)), Versions: []openflow.Version{openflow.V13},
		Controllers: []string{"c"},
		stack:       newStation, Engines: engines, Dial: dialTo(map[string]*control{"c": serve(b, ctl, session.Config{})})}
	n := start(b, cfg)
	for i, sw := range n.Switches() {
		s := ctl.of(b, sw.DatapathID())
		_, out, _, _ := n.Links()[i].Ends()
		for r := range benchRules {
			if _, err := s.Send(benchRule(r, out)); err != nil {
				b.Fatal(err)
			}
		}
		ask(b, s, &openflow.BarrierRequest{})
	}
	if got := n.Totals(); got.Entries != int64(switches*benchRules) {
		b.Fatalf("%+v", got)
	}
	for i := range benchFlows {
		frame := frameBetween(n.Hosts()[0], n.Hosts()[1], 64)
		binary.BigEndian.PutUint16(frame[12:], 0x0800)
		copy(frame[14:], []byte{0x45, 0, 0, 50, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1})
		src, dst := benchAddresses(2 * i)
		binary.BigEndian.PutUint32(frame[26:], src)
		binary.BigEndian.PutUint32(frame[30:], dst)
		binary.BigEndian.PutUint16(frame[34:], uint16(i))
		n.Hosts()[i%switches].do(func(_ stack, _ time.Duration, out host.Output) { out.Send(frame) })
	}
	for n.Totals().PacketHops < uint64(4*switches*benchFlows) { // every flow has been looked up everywhere
		time.Sleep(time.Millisecond)
	}
	b.ReportAllocs()
	b.ResetTimer()
	begin, worked, from := time.Now(), processor(b), n.Totals().PacketHops
	for n.Totals().PacketHops < from+uint64(b.N) {
		time.Sleep(time.Millisecond)
	}
	b.StopTimer()
	hops := float64(n.Totals().PacketHops - from)
	b.ReportMetric(hops/time.Since(begin).Seconds(), "hops/s")
	b.ReportMetric(float64(processor(b)-worked)/hops, "cpu-ns/hop")
	if got := n.Totals(); got.Frames > benchFlows || got.Drops.Total() != 0 {
		b.Fatalf("%+v", got)
	}
}
