package flowtable

import (
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestWholePath: an entry takes a packet to a port, is counted, listed, runs out, and is notified
// of.
func TestWholePath(t *testing.T) {
	b := newBed(t, Config{})
	m := flow(t, 10, "in_port=1,eth_type=0x0800,ipv4_dst=10.0.0.0/8", "apply:[output:2]")
	m.IdleTimeout, m.Flags, m.Cookie = 5, openflow.FlagSendFlowRemoved, 7
	b.must(m)
	b.Receive(1, udp(0), 1e9, &b.out)
	if got := b.out.take(); got == "" {
		t.Fatal("nothing came out")
	}
	body, err := b.Multipart(openflow.V13, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{
		Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
	}}, 2e9)
	if err != nil {
		t.Fatal(err)
	}
	list := body.(*openflow.FlowStatsList).Flows
	if len(list) != 1 || list[0].Packets != 1 ||
		list[0].Match.String() != "{in_port=1,eth_type=0x0800,ipv4_dst=10.0.0.0/8}" || list[0].DurationSec != 2 {
		t.Errorf("%+v", list)
	}
	next, ok := b.Expire(3e9, &b.out)
	if !ok || next != 6e9 {
		t.Errorf("next %v %v", next, ok)
	}
	if _, ok = b.Expire(next, &b.out); ok || b.Entries() != 0 {
		t.Error("the entry did not run out")
	}
	if got, want := b.out.take(),
		"flow_removed reason=idle_timeout table=0 priority=10 cookie=0x0000000000000007 duration_sec=6 "+
			"duration_nsec=0 idle_timeout=5 packets=1 bytes=55 match={in_port=1,eth_type=0x0800,ipv4_dst=10.0.0.0/8}"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
