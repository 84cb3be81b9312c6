package node_test

import (
	"fmt"
	"testing"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/tenant"
)

// objectStats is what the switch of a tenant says that group 1 and meter 1 have counted: packets and bytes, and the packets of
// each bucket and band.
func (c *tenantsController) objectStats() (group, meter string) {
	c.t.Helper()
	for _, g := range c.stats(&openflow.GroupRequest{Group: 1}).(*openflow.GroupStatsList).Groups {
		group = fmt.Sprintf("%d packets, %d bytes", g.Packets, g.Bytes)
		for _, b := range g.Buckets {
			group += fmt.Sprintf(", %d", b.Packets)
		}
	}
	for _, m := range c.stats(&openflow.MeterRequest{Meter: 1}).(*openflow.MeterStatsList).Meters {
		meter = fmt.Sprintf("%d packets, %d bytes", m.PacketsIn, m.BytesIn)
		for _, b := range m.Bands {
			meter += fmt.Sprintf(", %d", b.Packets)
		}
	}
	return group, meter
}

// TestTenantsObjectsCount: a tenant's controller is told what its groups and meters have counted, with buckets and bands, and
// nothing of what those of others have: also of a meter that does the same.
func TestTenantsObjectsCount(t *testing.T) {
	c := newCouple(t, openflow.V13, openflow.V13, tenant.Limits{})
	hosts := c.net.Hosts()
	for i, k := range c.controllers {
		a, b := hosts[2*i].Spec().At.Port, hosts[2*i+1].Spec().At.Port
		bucket := func(port uint32) openflow.Bucket {
			return openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
				Actions: []openflow.Action{openflow.Output(port)}}
		}
		k.ask(&openflow.GroupMod{Group: 1, Buckets: []openflow.Bucket{bucket(a), bucket(b)}})
		k.ask(&openflow.MeterMod{Meter: 1, Flags: openflow.MeterFlagPktps | openflow.MeterFlagBurst,
			Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 1 << 20, Burst: 1 << 20}}})
		m := floods(5, ipv4(t))
		m.Instructions = []openflow.Instruction{openflow.UseMeter(1), openflow.Apply(openflow.Group(1))}
		k.ask(m)
	}
	send := func(from, to int, count uint64) {
		t.Helper()
		c.send(from, to, host.FlowSpec{Rate: 1000, Size: 100, Count: count},
			func(_ host.FlowReport, received uint64) bool { return received == count })
	}
	want := func(what string, k int, packets int) {
		t.Helper()
		group, meter := "", ""
		defer func() {
			if t.Failed() {
				t.Logf("the last answers: group %s, meter %s", group, meter)
			}
		}()
		c.weir.await(what, func() bool {
			group, meter = c.controllers[k].objectStats()
			return group == fmt.Sprintf("%d packets, %d bytes, %d, %d", packets, 142*packets, packets, packets) &&
				meter == fmt.Sprintf("%d packets, %d bytes, 0", packets, 142*packets)
		})
	}
	send(2, 3, 7)
	send(0, 1, 25)
	want("25 packets", 0, 25)
	want("7 packets", 1, 7)

	red := c.controllers[0]
	red.ask(&openflow.GroupMod{Command: openflow.GroupDelete, Group: 1})
	if group, _ := red.objectStats(); group != "" {
		t.Errorf("a group that is gone has counted %s", group)
	}
	send(2, 3, 4)
	want("11 packets", 1, 11)
	if _, meter := red.objectStats(); meter != "25 packets, 3550 bytes, 0" {
		t.Errorf("without its entry the meter has counted %s", meter)
	}
}
