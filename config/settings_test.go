package config

import (
	"reflect"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
)

func TestSettings(t *testing.T) {
	c := parse(t, `
discovery: {lldp_period: 1s, indirect: allow, host_expiry: 1h, link_frame: 1600, link_widths: find}
allow: [1, 2]
switches: {1: {name: a, location: there}}
ports: {1/1: {edge: true, name: desk}}
links: {1/2->2/2: {cost: 3}, 2/3<->1/3: {capacity_mbps: 100, latency_us: 9}}`)
	point := func(d netview.DPID, n uint32) netview.Point { return netview.Point{DPID: d, Port: n} }
	key := func(a, b netview.Point) netview.LinkKey { return netview.LinkKey{Src: a, Dst: b} }
	got := c.Settings([]Drain{{Kind: DrainSwitch, Object: "1"}, {Kind: DrainSwitch, Object: "9"},
		{Kind: DrainPort, Object: "1/1"},
		{Kind: DrainLink, Object: "2/2->1/2"}, {Kind: DrainLink, Object: "nonsense"}})
	want := &netview.Settings{
		Indirect: true, ProbePeriod: time.Second, HostExpiry: time.Hour, LinkFrame: 1600,
		Allow:    map[netview.DPID]bool{1: true, 2: true},
		Switches: map[netview.DPID]netview.SwitchSettings{1: {Name: "a", Location: "there", Drained: true}, 9: {Drained: true}},
		Ports:    map[netview.Point]netview.PortSettings{point(1, 1): {Label: "desk", Edge: true, Drained: true}},
		Links: map[netview.LinkKey]netview.LinkSettings{
			key(point(1, 2), point(2, 2)): {Cost: 3, Drained: true}, key(point(2, 2), point(1, 2)): {Drained: true},
			key(point(1, 3), point(2, 3)): {CapacityMbps: 100, LatencyUS: 9},
			key(point(2, 3), point(1, 3)): {CapacityMbps: 100, LatencyUS: 9},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := parse(t, "discovery: {link_frame: 1600, link_widths: ignore}").Settings(nil); got.LinkFrame != 0 {
		t.Errorf("links that are not to be looked at are to carry %d bytes", got.LinkFrame)
	}
	found := Merge(Defaults(), parse(t, "discovery: {link_widths: find}"))
	if got, want := found.Settings(nil), 14+4+4+1500; got.LinkFrame != want {
		t.Errorf("links are to carry %d bytes, want %d", got.LinkFrame, want)
	}
	if got := (&Config{}).Settings(nil); got.Allow != nil {
		t.Errorf("nothing said allows only %v", got.Allow)
	}
}
