package emu

import (
	"encoding/binary"
	"testing"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"

	"time"
)

// flood is an entry by which every packet leaves by all ports but its own.
func flood() openflow.Message {
	return addFlow(1, openflow.Match{}, openflow.Apply(openflow.Output(openflow.PortFlood)))
}

// TestStorm has frames multiply in loops for ever: what is in flight stays bounded, what is too
// much is counted, and the switches still do what their controller says; when their entries go, the
// storm ends.
func TestStorm(t *testing.T) {
	b := newBoss()
	n := joined(t, "torus:3x3", b, openflow.V13, func(c *Config) { c.Engines = 2 })
	for _, sw := range n.Switches() {
		b.tell(t, b.of(t, sw.DatapathID()), flood())
	}
	for range 50 {
		speak(n.Hosts()[0], n.Hosts()[1], 1000)
	}
	await(t, "frames are lost by overload", func() bool { return n.Totals().Drops[LostByOverload] > 1000 })
	if got := n.Totals(); got.Frames > MaxFrames {
		t.Errorf("%d frames on their way", got.Frames)
	}
	for _, l := range n.Links() {
		for _, way := range []Direction{Forward, Back} {
			if on := l.Stats(way).InFlight; on > MaxOnLink {
				t.Errorf("%d frames on %s", on, l.ID)
			}
		}
	}
	end := &openflow.FlowMod{Command: openflow.FlowDelete, Table: openflow.TableAll, Buffer: openflow.NoBuffer,
		OutPort:  openflow.PortAny,
		OutGroup: openflow.GroupAny}
	for _, sw := range n.Switches() {
		b.tell(t, b.of(t, sw.DatapathID()), end)
	}
	await(t, "the storm ends", func() bool { return n.Totals().Frames == 0 })
}

// TestEveryFrameArrivesInOrder sends many frames over switches of several engines.
func TestEveryFrameArrivesInOrder(t *testing.T) {
	for _, spec := range []topo.LinkSpec{{}, {Delay: time.Millisecond, Jitter: time.Millisecond}} {
		b := newBoss()
		n := joined(t, "linear:6", b, openflow.V13, func(c *Config) { c.Engines = 3 })
		for i, sw := range n.Switches() {
			s := b.of(t, sw.DatapathID())
			h := n.Hosts()[i].Spec().At.Port
			left, right := h, h
			if i > 0 {
				_, _, _, left = n.Links()[i-1].Ends()
			}
			if i < len(n.Links()) {
				_, right, _, _ = n.Links()[i].Ends()
			}
			b.tell(t, s, forward(left, right))
		}
		for _, l := range n.Links() {
			if err := l.Set(Forward, spec); err != nil {
				t.Fatal(err)
			}
		}
		from, to := n.Hosts()[0], n.Hosts()[5]
		const rounds, each = 40, 50
		frame := frameBetween(from, to, 64)
		for r := range rounds {
			from.do(func(_ stack, _ time.Duration, out host.Output) {
				for i := range each {
					binary.BigEndian.PutUint32(frame[20:], uint32(r*each+i))
					out.Send(frame)
				}
			})
		}
		await(t, "all frames arrive", func() bool { return stationOf(to).count() == rounds*each })
		for i, frame := range stationOf(to).heard {
			if got := binary.BigEndian.Uint32(frame[20:]); got != uint32(i) {
				t.Fatalf("frame %d is number %d", i, got)
			}
		}
		if got := n.Totals(); got.PacketHops != 6*rounds*each || got.Delivered != rounds*each ||
			got.Drops.Total() != 0 || got.Frames != 0 {
			t.Errorf("%+v", got)
		}
		if got := n.Links()[0].Stats(Forward); got.Sent != rounds*each || got.Bytes != 64*rounds*each {
			t.Errorf("%+v", got)
		}
	}
}
