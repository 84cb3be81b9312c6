package emu

import (
	"testing"

	"github.com/weirnet/weir/openflow"
)

var versions = []openflow.Version{openflow.V10, openflow.V13}

func TestHostsTalkUnderALearningSwitch(t *testing.T) {
	for _, v := range versions {
		t.Run(v.String(), func(t *testing.T) {
			l := newLearner(t)
			n := joined(t, "linear:2", l, v, nil)
			await(t, "the controller knows the switches", func() bool {
				l.mu.Lock()
				defer l.mu.Unlock()
				return len(l.sessions) == 2
			})
			if v != openflow.V10 {
				await(t, "the switches have their entries for misses", func() bool { return n.Totals().Entries == 2 })
			}
			a, b := n.Hosts()[0], n.Hosts()[1]
			for i := 1; i <= 10; i++ {
				speak(a, b, 60+i)
				await(t, "the frame arrives", func() bool { return stationOf(b).count() == i })
				speak(b, a, 60+i)
				await(t, "the answer arrives", func() bool { return stationOf(a).count() == i })
			}
			for i, frame := range stationOf(b).heard {
				if want := frameBetween(a, b, 61+i); string(frame) != string(want) {
					t.Fatalf("frame %d is %x, want %x", i, frame, want)
				}
			}
			got := n.Totals()
			if got.PacketHops < 40 || got.FlowMods < 4 || got.PacketOuts == 0 || got.PacketIns == 0 || got.Drops.Total() != 0 {
				t.Errorf("totals %+v", got)
			}
			if p := l.packetIns; p > 8 {
				t.Errorf("%d packet-ins, though entries were written for both hosts at both switches", p)
			}
		})
	}
}
