package northbound

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// TestIntentsAstray: an intent that is installed is held to where its hosts are, and which links
// are up; one that is changing is not.
func TestIntentsAstray(t *testing.T) {
	h1, h2 := netview.HostID{MAC: packet.MAC{2, 1}}, netview.HostID{MAC: packet.MAC{2, 2}}
	a, b := netview.Point{DPID: 1, Port: 2}, netview.Point{DPID: 2, Port: 2}
	there := &ruleset.Route{Hops: []*ruleset.Hop{ruleset.HopTo(1, 1, 2),
		ruleset.HopTo(2, 2, 1)}}
	back := &ruleset.Route{Hops: []*ruleset.Hop{ruleset.HopTo(2, 1, 2),
		ruleset.HopTo(1, 2, 1)}}
	hosts := spec.Spec{ID: "a", Kind: spec.HostToHost, Src: []spec.End{{Host: h1}}, Dst: []spec.End{{Host: h2}}}
	points := spec.Spec{ID: "b", Kind: spec.PointToPoint}
	for name, c := range map[string]struct {
		spec   spec.Spec
		state  intent.State
		h2Port uint32
		down   bool
		want   string
	}{
		"nothing": {hosts, intent.Installed, 1, false, ""},
		"a host is elsewhere": {hosts, intent.Installed, 7, false,
			"a path between 0000000000000001/1 and 0000000000000002/7"},
		"it is being moved there":      {hosts, intent.Rerouting, 7, false, ""},
		"a link is down":               {hosts, intent.Installed, 1, true, "a path over links that are up"},
		"places that were asked for":   {points, intent.Installed, 7, false, ""},
		"between them, a link is down": {points, intent.Installed, 7, true, "a path over links that are up"},
	} {
		view := netview.New(netview.Limits{})
		facts := view.Facts()
		facts.Update(func(tx *netview.FactsTx) {
			for _, id := range []netview.DPID{1, 2} {
				ports := []netview.Port{{Number: 1, Up: true}, {Number: 2, Up: true, Role: netview.PortLink},
					{Number: 7, Up: true}}
				tx.PutSwitch(&netview.Switch{DPID: id, Connected: true, State: netview.SwitchReady, Ports: ports})
			}
			for _, key := range []netview.LinkKey{{Src: a, Dst: b}, {Src: b, Dst: a}} {
				tx.PutLink(&netview.Link{LinkKey: key, Up: true, State: netview.LinkConfirmed})
			}
			tx.PutHost(&netview.Host{HostID: h1, At: netview.Point{DPID: 1, Port: 1}})
			tx.PutHost(&netview.Host{HostID: h2, At: netview.Point{DPID: 2, Port: c.h2Port}})
		})
		before := view.Snapshot()
		m := topology.Build(before)
		if c.down {
			facts.Update(func(tx *netview.FactsTx) {
				tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: a, Dst: b}, State: netview.LinkConfirmed})
			})
			changes, _, _ := view.Changes(before.Revision(), 100)
			m = m.Next(view.Snapshot(), changes)
		}
		for _, r := range []*ruleset.Route{there, back} {
			wanted, held := misrouted(&intent.Intent{Spec: c.spec, State: c.state}, r, view.Snapshot(), m)
			if wanted != c.want || (held == "") != (wanted == "") || wanted != "" && !strings.Contains(held, "path") {
				t.Errorf("%s: wanted %q, held %q; want %q", name, wanted, held, c.want)
			}
		}
	}
}
