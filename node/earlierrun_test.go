package node_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/warmstart"
)

// role is what discovery knows of a port.
func (i *instance) role(sw uint64, number uint32) string {
	i.t.Helper()
	for _, p := range must[client.Switch](i)(i.api.Switch(i.t.Context(), dpid(sw))).Ports {
		if p.Number == number {
			return p.Role
		}
	}
	i.t.Fatalf("switch %d has no port %d", sw, number)
	return ""
}

// An instance that is started anew while a switch stays away, which may forward all the same: the
// port that leads there, as its neighbour's rows say, is no edge when those of hosts are, and
// nothing is written.
func TestANewInstanceRemembersLinksByTheirRows(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		n := i.emulate("linear:3", v)
		i.stopWith(n)
		if err := os.Remove(filepath.Join(i.cfg.DataDir, warmstart.FileName)); err != nil { // the rows alone
			t.Fatal(err)
		}
		second := start(t, func(c *node.Config) { c.DataDir = i.cfg.DataDir })
		mark := i.journal.mark()
		for _, sw := range n.Switches[:2] {
			if err := n.ConnectOne(t.Context(), sw, second.at.OpenFlow); err != nil {
				t.Fatal(err)
			}
		}
		middle, last := n.Switches[1], n.Switches[2]
		var towards uint32
		for p := uint32(1); towards == 0; p++ {
			if peer, _, ok := middle.Peer(p); ok && peer == last {
				towards = p
			}
		}
		second.await("two switches", func() bool { return second.connected() == 2 })
		second.await("the edge", func() bool { return second.role(middle.DatapathID(), middle.Hosts[0].At.Port) == "edge" })
		if role := second.role(middle.DatapathID(), towards); role != "unknown" {
			t.Errorf("the port towards the switch that is away is %s, want unknown", role)
		}
		if err := n.ConnectOne(t.Context(), last, second.at.OpenFlow); err != nil {
			t.Fatal(err)
		}
		second.await("the links and rules", func() bool { return second.linksUp() == 4 && second.settled(3) })
		if role := second.role(middle.DatapathID(), towards); role != "link" {
			t.Errorf("the port towards the switch that came is %s, want link", role)
		}
		if got := i.journal.since(mark, isFlowMod); len(got) != 0 {
			t.Errorf("%d flow-mods, want none: %v", len(got), texts(got))
		}
		if err := n.Close(context.Background()); err != nil { // before the second instance ends, which counts goroutines
			t.Error(err)
		}
	})
}
