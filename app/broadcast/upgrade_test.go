package broadcast

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// TestUpgradeKeepsTheTree: the rows of switches are those that app/forward wrote, with their owner and cookies:
// testdata/rows.txt is of dee5a2a. What differs here is written to every switch at an upgrade.
func TestUpgradeKeepsTheTree(t *testing.T) {
	var text strings.Builder
	for _, unknown := range []bool{false, true} {
		view := netview.New(netview.Limits{})
		b := New(Config{Domain: 1, Unknown: unknown}, view.Desired(RowOwner))
		ring(view)
		snap := view.Snapshot()
		b.Apply(topology.Update{Reset: true, Upto: snap.Revision(), Snap: snap})
		fmt.Fprintf(&text, "unknown packets flooded: %t\n%s", unknown, rowsText(view.Snapshot()))
	}
	golden.Compare(t, "testdata/rows.txt", []byte(text.String()))
}

// ring has three switches in a ring, of either version, with a host's port, one of which nothing is known, and
// one that is blocked.
func ring(view *netview.View) {
	view.Facts().Update(func(tx *netview.FactsTx) {
		for i := range netview.DPID(3) {
			sw := &netview.Switch{DPID: i + 1, Version: openflow.V13, Tables: 254, State: netview.SwitchReady, Connected: true,
				Settled: true}
			if i == 0 {
				sw.Version, sw.Tables = openflow.V10, 1
			}
			for n, role := range []netview.PortRole{netview.PortLink, netview.PortLink, netview.PortEdge, netview.PortBlocked} {
				sw.Ports = append(sw.Ports, netview.Port{Number: uint32(n + 1), Up: true, Role: role})
			}
			tx.PutSwitch(sw)
			a, b := netview.Point{DPID: i + 1, Port: 1}, netview.Point{DPID: (i+1)%3 + 1, Port: 2}
			for _, key := range []netview.LinkKey{{Src: a, Dst: b}, {Src: b, Dst: a}} {
				tx.PutLink(&netview.Link{LinkKey: key, Up: true, State: netview.LinkConfirmed})
			}
		}
		tx.SetSettled()
	})
}

// rowsText has a line for each row and meter.
func rowsText(snap *netview.Snapshot) string {
	var text strings.Builder
	for dpid := range netview.DPID(3) {
		for r := range snap.Rules(dpid + 1) {
			fmt.Fprintf(&text, "%s %s table=%d priority=%d cookie=%#x %s %v\n", r.DPID, r.Owner, r.Table, r.Priority,
				r.Cookie, r.Match, r.Instructions)
		}
		for m := range snap.Meters(dpid + 1) {
			fmt.Fprintf(&text, "%s meter %d: %d, %d\n", m.DPID, m.ID, m.Rate, m.Burst)
		}
	}
	return text.String()
}
