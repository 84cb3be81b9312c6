package rogue

import (
	"bytes"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

// TestNext: what comes is the same for a seed, is most often a message, of all types that a controller sends, and brings
// marked frames.
func TestNext(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		cfg := Config{Version: v, Seed: 7, Ports: 6, Own: []uint32{1, 3}, Mark: []byte("0123456789abcdef")}
		for _, s := range need.Samples(t, v.String()) {
			cfg.Samples = append(cfg.Samples, s.Frame)
		}
		a, b := New(cfg), New(cfg)
		types, good, frames, marked := map[openflow.Type]int{}, 0, 0, 0
		const rounds = 20_000
		for range rounds {
			s, again := a.Next(), b.Next()
			if !bytes.Equal(s.Message, again.Message) || !bytes.Equal(s.Frame, again.Frame) {
				t.Fatalf("two of one seed differ: %x, %x", s.Message, again.Message)
			}
			if s.Frame != nil {
				frames++
				continue
			}
			h, m, err := openflow.Parse(s.Message)
			if err != nil {
				continue
			}
			good++
			types[h.Type]++
			if p, is := m.(*openflow.PacketOut); is && bytes.HasSuffix(p.Data, cfg.Mark) {
				marked++
			}
		}
		if good < rounds/3 || frames < rounds/10 || marked < rounds/100 || len(types) < 15 {
			t.Errorf("%s: of %d steps %d are messages, %d frames, %d packet-outs are marked; types: %v", v, rounds, good, frames,
				marked, types)
		}
	}
}
