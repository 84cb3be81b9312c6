package api

import (
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
)

// testGroups are those of switch 1: one that is confirmed, one that has no number yet, and one of somebody else.
func testGroups(dpid netview.DPID) []client.Group {
	if dpid != 1 {
		return nil
	}
	number, other, port, later := uint32(1<<20), uint32(1<<20+7), uint32(2), uint32(0)
	return []client.Group{
		{DPID: "0000000000000001", Group: &number, Type: "select", Buckets: []client.Bucket{
			{Weight: 2, Actions: []string{"output:2"}}, {Weight: 1, Actions: []string{"output:3"}}},
			ObjectStatus: client.ObjectStatus{State: "confirmed", Rules: 12, Owners: 3}},
		{DPID: "0000000000000001", Group: &other, Type: "all", Buckets: []client.Bucket{},
			ObjectStatus: client.ObjectStatus{State: "deleting", Held: "group of others"}},
		{DPID: "0000000000000001", Type: "ff", Buckets: []client.Bucket{
			{WatchPort: &port, Actions: []string{"output:2"}}, {WatchGroup: &later, Actions: []string{"group:0"}}},
			ObjectStatus: client.ObjectStatus{State: "waiting", Reason: "group without a number, which it uses, is not confirmed",
				Rules: 1, Owners: 1}},
	}
}

// testMeters are those of switch 2.
func testMeters(dpid netview.DPID) []client.Meter {
	if dpid != 2 {
		return nil
	}
	fixed, number := uint32(1), uint32(1<<20)
	return []client.Meter{
		{DPID: "0000000000000002", Meter: &fixed, Unit: "pktps", Bands: []client.Band{{Type: "drop", Rate: 100, Burst: 10}},
			ObjectStatus: client.ObjectStatus{State: "sending", Held: "meter pktps {drop,rate=99}", Rules: 1, Owners: 1}},
		{DPID: "0000000000000002", Meter: &number, Unit: "kbps", Bands: []client.Band{
			{Type: "dscp_remark", Rate: 64, PrecLevel: 1}, {Type: "drop", Rate: 128}},
			ObjectStatus: client.ObjectStatus{State: "refused", Reason: "the switch has no meters", Rules: 2, Owners: 1}},
	}
}
