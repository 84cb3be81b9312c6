package northbound

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/ruleset/object"
)

// TestItemsOfGroupsAndMeters are those of a switch that is not connected yet: nothing has a number, and nothing is sent.
func TestItemsOfGroupsAndMeters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		view := netview.New(netview.Limits{})
		l := flowsync.New(flowsync.Config{}, view)
		ctx, cancel := context.WithCancel(t.Context())
		go l.Run(ctx)
		view.Desired("guard").Update(func(tx *netview.DesiredTx) {
			tx.SetMeters(1, []netview.Meter{{ID: 9, Rate: 100, Burst: 10}})
		})
		l.Order([]ruleset.Order{{Rules: setWithObjects(t)}})
		synctest.Wait()
		n := Answers{Engines: Engines{Flowsync: l}}
		const waits = `"state":"waiting","reason":"the switch is not connected",`
		expectJSON(t, n.Groups(1), `[{"dpid":"0000000000000001","group":null,"type":"select","buckets":[`+
			`{"weight":2,"actions":["output:2"]},{"weight":1,"actions":["output:3"]}],`+waits+`"rules":1,"owners":1},`+
			`{"dpid":"0000000000000001","group":null,"type":"ff","buckets":[`+
			`{"watch_port":1,"actions":["output:1"]},{"watch_group":0,"actions":["group:0"]}],`+waits+`"rules":1,"owners":1}]`)
		expectJSON(t, n.Meters(1), `[{"dpid":"0000000000000001","meter":9,"unit":"pktps","bands":[`+
			`{"type":"drop","rate":100,"burst":10}],`+waits+`"rules":0,"owners":0},`+
			`{"dpid":"0000000000000001","meter":null,"unit":"kbps","bands":[`+
			`{"type":"dscp_remark","rate":64,"prec_level":1},{"type":"drop","rate":128}],`+waits+`"rules":1,"owners":1}]`)
		expectJSON(t, n.Groups(2), "null")
		cancel()
		synctest.Wait()
		expectJSON(t, n.Meters(1), "null")
	})
}

// TestItemsOfOthers have no content: only what the switch has is known.
func TestItemsOfOthers(t *testing.T) {
	o := flowsync.ShownObject{}
	o.Number, o.State, o.Reason, o.Held = 1<<20, "unwanted", "so", "group of others"
	expectJSON(t, groupItem(1, &o), `{"dpid":"0000000000000001","group":1048576,"type":"all","buckets":[],`+
		`"state":"unwanted","reason":"so","held":"group of others","rules":0,"owners":0}`)
	expectJSON(t, meterItem(1, &o), `{"dpid":"0000000000000001","meter":1048576,"bands":[],`+
		`"state":"unwanted","reason":"so","held":"group of others","rules":0,"owners":0}`)
}

func expectJSON(t *testing.T, v any, want string) {
	t.Helper()
	if got, err := json.Marshal(v); err != nil || string(got) != want {
		t.Errorf("%s (%v)\nwant\n%s", got, err, want)
	}
}

// setWithObjects is a rule with a meter and a group, which uses another one.
func setWithObjects(t *testing.T) *ruleset.Set {
	t.Helper()
	group := func(kind openflow.GroupType, buckets ...object.Bucket) *object.Group {
		g, err := object.NewGroup(kind, buckets...)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	to := func(port uint32) []openflow.Action { return []openflow.Action{openflow.Output(port)} }
	share := group(openflow.GroupTypeSelect, object.Bucket{Weight: 2, Actions: to(2)}, object.Bucket{Weight: 1, Actions: to(3)})
	backup := group(openflow.GroupTypeFastFailover, object.Bucket{WatchPort: 1, Actions: to(1)},
		object.Bucket{WatchGroup: share, Group: share})
	meter, err := object.NewMeter(object.KilobitsPerSecond, openflow.Band{Type: openflow.BandDSCPRemark, Rate: 64, PrecLevel: 1},
		openflow.Band{Type: openflow.BandDrop, Rate: 128})
	if err != nil {
		t.Fatal(err)
	}
	do, err := ruleset.Use(1, []openflow.Instruction{openflow.UseMeter(0), openflow.Apply(openflow.Group(1))}, meter, backup)
	if err != nil {
		t.Fatal(err)
	}
	route := &ruleset.Route{Hops: []*ruleset.Hop{{DPID: 1, In: 1, Do: do}}}
	return ruleset.New(plan.KindIntent, 1, 20100, ruleset.Leg{Route: route})
}
