package northbound

import (
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Groups are those that are wanted at a switch, or that it has with numbers of ours.
func (n *Answers) Groups(dpid netview.DPID) []client.Group {
	var list []client.Group
	for _, o := range n.objects(dpid) {
		if !o.Meter {
			list = append(list, groupItem(dpid, &o))
		}
	}
	return list
}

// Meters are those that are wanted at a switch, or that it has with numbers of ours.
func (n *Answers) Meters(dpid netview.DPID) []client.Meter {
	var list []client.Meter
	for _, o := range n.objects(dpid) {
		if o.Meter {
			list = append(list, meterItem(dpid, &o))
		}
	}
	return list
}

func (n *Answers) objects(dpid netview.DPID) []flowsync.ShownObject {
	var known flowsync.KnownObjects
	n.Flowsync.Ask(func(c *flowsync.Core) { known = c.Objects(dpid) })
	return known.Count()
}

func groupItem(dpid netview.DPID, o *flowsync.ShownObject) client.Group {
	item := client.Group{DPID: dpid.String(), Group: given(o.Number), Type: o.Type.String(), Buckets: []client.Bucket{},
		ObjectStatus: objectStatus(o)}
	if m, ok := o.Message().(*openflow.GroupMod); ok {
		for i := range m.Buckets {
			item.Buckets = append(item.Buckets, bucketItem(&m.Buckets[i]))
		}
	}
	return item
}

func bucketItem(b *openflow.Bucket) client.Bucket {
	item := client.Bucket{Weight: b.Weight, Actions: []string{}}
	if b.WatchPort != openflow.PortAny {
		item.WatchPort = &b.WatchPort
	}
	if b.WatchGroup != openflow.GroupAny {
		item.WatchGroup = &b.WatchGroup
	}
	for i := range b.Actions {
		item.Actions = append(item.Actions, b.Actions[i].String())
	}
	return item
}

func meterItem(dpid netview.DPID, o *flowsync.ShownObject) client.Meter {
	item := client.Meter{DPID: dpid.String(), Meter: given(o.Number), Bands: []client.Band{}, ObjectStatus: objectStatus(o)}
	m, ok := o.Message().(*openflow.MeterMod)
	if !ok {
		return item
	}
	item.Unit = (m.Flags & (openflow.MeterFlagKbps | openflow.MeterFlagPktps)).String()
	for _, b := range m.Bands {
		item.Bands = append(item.Bands,
			client.Band{Type: b.Type.String(), Rate: b.Rate, Burst: b.Burst, PrecLevel: b.PrecLevel})
	}
	return item
}

func objectStatus(o *flowsync.ShownObject) client.ObjectStatus {
	return client.ObjectStatus{State: string(o.State), Reason: o.Reason, Held: o.Held, Rules: o.Rules, Owners: o.Owners}
}

// given is a number, nil if none has been given yet.
func given(number uint32) *uint32 {
	if number == 0 {
		return nil
	}
	return &number
}
