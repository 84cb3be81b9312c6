package node_test

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// udp is a frame from one host to another.
func udp(src, dst packet.MAC) []byte {
	k := packet.Key{EthSrc: src, EthDst: dst, EtherType: packet.TypeIPv4, IPSrc: packet.AddrFrom4([4]byte{10, 0, 0, 1}),
		IPDst: packet.AddrFrom4([4]byte{10, 0, 0, 2}), IPProto: packet.ProtoUDP, TTL: 64,
		Layers: packet.LayerEthernet | packet.LayerIPv4 | packet.LayerUDP}
	return packet.AppendUDP(nil, &k, []byte("payload"))
}

// Until the switch downstream has confirmed its rule, the ingress switch gets neither its rule nor
// the packets; then it gets the rule once and every packet, in order. Other pairs do not wait.
func TestTheIngressRuleWaitsForTheBarrier(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		a, b := i.switchOn(1, v, 3), i.switchOn(2, v, 2)
		join(a, 1, b, 1)
		a.serve()
		b.serve()
		i.await("the links", func() bool { return i.linksUp() == 2 && i.edges() == 3 })
		here, beside, there := packet.MAC{2, 0, 0, 0, 1, 2}, packet.MAC{2, 0, 0, 0, 1, 3}, packet.MAC{2, 0, 0, 0, 2, 2}
		a.send(packetIn(2, announcement(here, 1)), packetIn(3, announcement(beside, 2)))
		b.send(packetIn(2, announcement(there, 3)))
		i.await("the hosts", func() bool { return len(i.hosts()) == 3 })
		i.await("all rules", func() bool { return i.settled(2) })

		mark := i.journal.mark()
		at := func(dpid uint64) []entry {
			return i.journal.since(mark, func(e entry) bool { return e.dpid == dpid && !isProbe(e) })
		}
		b.holdBarriers(true)
		first, second := udp(here, there), append(udp(here, there), "and more"...)
		a.send(packetIn(2, first), packetIn(2, second))
		i.await("the rule downstream and its barrier", func() bool { return len(at(2)) == 1 && b.heldBarriers() == 1 })
		a.send(packetIn(2, udp(here, beside)))
		i.await("the other pair", func() bool { return len(at(1)) == 2 })
		for _, e := range at(1) {
			if to, ok := e.m.(*openflow.FlowMod); ok {
				if dst, _ := to.Match.Uint(openflow.FieldEthDst); dst != beside.Uint64() {
					t.Errorf("before the barrier's answer came %v", texts(at(1)))
				}
			}
		}
		b.holdBarriers(false)
		i.await("the packets", func() bool { return len(at(1)) == 5 })
		rest := at(1)[2:]
		if !isFlowMod(rest[0]) || !isData(rest[1]) || !isData(rest[2]) ||
			!slices.Equal(rest[1].m.(*openflow.PacketOut).Data, first) ||
			!slices.Equal(rest[2].m.(*openflow.PacketOut).Data, second) {
			t.Errorf("after the barrier's answer came %v, want the rule and two packets", texts(rest))
		}
		if len(at(2)) != 1 {
			t.Errorf("the switch downstream got %v, want one rule", texts(at(2)))
		}
	})
}

// A switch downstream that goes instead of confirming: nothing is installed at the ingress, the
// packets are dropped, and the next one, over what is left, is tried anew.
func TestASwitchThatGoesInsteadOfConfirming(t *testing.T) {
	i := start(t)
	a, b := i.switchOn(1, openflow.V13, 2), i.switchOn(2, openflow.V13, 2)
	join(a, 1, b, 1)
	a.serve()
	b.serve()
	i.await("the links", func() bool { return i.linksUp() == 2 && i.edges() == 2 })
	here, there := packet.MAC{2, 0, 0, 0, 1, 2}, packet.MAC{2, 0, 0, 0, 2, 2}
	a.send(packetIn(2, announcement(here, 1)))
	b.send(packetIn(2, announcement(there, 3)))
	i.await("the hosts", func() bool { return len(i.hosts()) == 2 })
	i.await("all rules", func() bool { return i.settled(2) })
	mark := i.journal.mark()
	b.holdBarriers(true)
	a.send(packetIn(2, udp(here, there)))
	i.await("the barrier", func() bool { return b.heldBarriers() == 1 })
	b.conn.Close()
	i.await("the end of the session", func() bool { return i.connected() == 1 })
	a.ping()
	if got := i.journal.since(mark, func(e entry) bool { return e.dpid == 1 && !isProbe(e) }); len(got) != 0 {
		t.Errorf("the ingress switch got %v", texts(got))
	}
	if n := i.metric("weir_forward_total", "kind", "no_path"); n != 1 {
		t.Errorf("%v packets counted as dropped, want 1", n)
	}
	again := i.switchOn(2, openflow.V13, 2)
	join(a, 1, again, 1)
	again.serve()
	i.await("the links", func() bool { return i.linksUp() == 2 })
	mark = i.journal.mark()
	a.send(packetIn(2, udp(here, there)))
	i.await("the packet", func() bool {
		return len(i.journal.since(mark, func(e entry) bool { return e.dpid == 1 && isData(e) })) == 1
	})
}
