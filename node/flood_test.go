package node_test

import (
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
)

// isGuard tells a protection row of one port from everything else.
func isGuard(port uint32, what plan.Guarded, command openflow.FlowModCommand) func(entry) bool {
	return func(e entry) bool {
		fm, ok := e.m.(*openflow.FlowMod)
		return ok && fm.Cookie == plan.GuardCookie(1, port, what) && fm.Command == command
	}
}

// A port that floods is held back at its switch and shed on arrival, while a neighbour's packets
// are answered; when the flood is over everything is taken back.
func TestAFloodIsHeldBackAtItsPort(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		w := i.switchOn(1, v, 4).serve()
		i.await("edges", func() bool { return i.edges() == 4 })
		w.send(packetIn(2, announcement(good, 1)), packetIn(3, announcement(packet.MAC{2, 0, 0, 0, 0xaa, 2}, 2)))
		i.await("the hosts", func() bool { return len(i.hosts()) == 2 })
		flood := w.append(nil, 1, packetIn(1, udp(stranger, packet.MAC{2, 0, 0, 0, 0xcc, 9})))
		burst := make([]byte, 0, len(flood)*1000)
		for range 1000 {
			burst = append(burst, flood...)
		}
		held := func(e entry) bool { return isGuard(1, plan.GuardedMisses, openflow.FlowAdd)(e) }
		i.await("the rows", func() bool { w.write(burst); return len(i.journal.since(0, held)) > 0 })
		i.await("shedding", func() bool {
			w.write(burst)
			return i.metric("weir_guard_total", "kind", "shed") > 0
		})
		mark := i.journal.mark()
		w.write(burst)
		w.send(packetIn(2, udp(good, packet.MAC{2, 0, 0, 0, 0xaa, 2})))
		i.await("the neighbour's packet", func() bool { return len(i.journal.since(mark, isData)) > 0 })
		i.await("the end", func() bool {
			return len(i.journal.since(mark, isGuard(1, plan.GuardedMisses, openflow.FlowDeleteStrict))) > 0 || v == openflow.V10
		})
		if n := i.metric("weir_guard_total", "kind", "floods"); n != 1 {
			t.Errorf("%v floods counted, want 1", n)
		}
		if n := len(i.journal.since(0, isGuard(2, plan.GuardedMisses, openflow.FlowAdd))); n != 0 {
			t.Errorf("the neighbour's port was held back %d times", n)
		}
	})
}
