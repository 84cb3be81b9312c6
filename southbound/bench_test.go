package southbound

import (
	"testing"

	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/openflow"
)

// BenchmarkPair collects the rule of a pair and the release of its packet.
func BenchmarkPair(b *testing.B) {
	s, _ := connected(b, hub.Switch(7))
	q := masterQueue(s)
	o := q.output("bench", nil)
	mod := addition()
	out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: 1, Data: frame, Actions: []openflow.Action{openflow.Output(2)}}
	b.ReportAllocs()
	for b.Loop() {
		if o.FlowMod(mod) != nil || o.PacketOut(out) != nil {
			b.Fatal("refused")
		}
		q.buf = q.buf[:0]
	}
}

// BenchmarkBatch sends 128 encoded flow-mods at once, as flowsync does, to a switch that reads them.
func BenchmarkBatch(b *testing.B) {
	s, _ := connected(b, hub.Switch(7))
	o := masterQueue(s).output("bench", nil)
	var frames []byte
	var err error
	for range 128 {
		if frames, err = openflow.Append(frames, s.Version(), 0, addition()); err != nil {
			b.Fatal(err)
		}
	}
	done := make(chan error, 1)
	b.ReportAllocs()
	for number := uint64(0); b.Loop(); number++ {
		if err := o.SendFrames(number, frames, 128); err != nil {
			b.Fatal(err)
		}
		if err := o.Barrier(func(err error) { done <- err }); err != nil {
			b.Fatal(err)
		}
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
}
