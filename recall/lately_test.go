package recall

import (
	"testing"

	"github.com/weirnet/weir/netview"
)

// A port at which a link was that is down is remembered as a link's, and the view is left as it is; one that never had a link is not.
func TestPortsOfLinksThatAreDown(t *testing.T) {
	view := netview.New(netview.Limits{})
	a, b := netview.Point{DPID: 1, Port: 1}, netview.Point{DPID: 2, Port: 1}
	view.Facts().Update(func(tx *netview.FactsTx) {
		for id := range netview.DPID(2) {
			tx.PutSwitch(&netview.Switch{DPID: id + 1, State: netview.SwitchReady, Connected: true, Ports: []netview.Port{{Number: 1}, {Number: 2, Up: true}}})
		}
		tx.PutLink(&netview.Link{LinkKey: netview.LinkKey{Src: a, Dst: b}})
	})
	for _, sw := range Take(view.Snapshot(), nil).Switches {
		if sw.Ports[0].Role != netview.PortLink || sw.Ports[1].Role != netview.PortUnknown {
			t.Errorf("ports of switch %s are remembered as %s and %s", sw.DPID, sw.Ports[0].Role, sw.Ports[1].Role)
		}
	}
	if sw, _ := view.Snapshot().Switch(1); sw.Ports[0].Role != netview.PortUnknown {
		t.Error("the view has changed")
	}
}
