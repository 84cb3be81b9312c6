package node_test

import (
	"context"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// rounds waits until every port of a switch's links has been probed so many more times: as long as discovery needs to settle.
func (i *instance) rounds(sw *emu.Switch) {
	i.t.Helper()
	mark := i.journal.mark()
	i.await("rounds of discovery", func() bool {
		return len(i.journal.since(mark, func(e entry) bool { return e.dpid == sw.DatapathID() && isProbe(e) })) > 30
	})
}

// undisturbed wants that since a mark no switch was sent a flow-mod.
func (i *instance) undisturbed(mark int) {
	i.t.Helper()
	if got := i.journal.since(mark, isDeletion); len(got) != 0 {
		i.t.Errorf("%d deletions: %v", len(got), texts(got))
	}
	if got := i.journal.since(mark, isFlowMod); len(got) != 0 {
		i.t.Errorf("%d flow-mods, want none: all rules are there: %v", len(got), texts(got))
	}
}

// converse installs a pair between the ends of a line.
func (i *instance) converse(n *emu.Network) {
	i.t.Helper()
	first, _, src, dst := ends(n)
	mark := i.journal.mark()
	if err := first.PacketIn(src.At.Port, openflow.NoBuffer, ping(src, dst)); err != nil {
		i.t.Fatal(err)
	}
	i.await("the pair", func() bool { return len(i.journal.since(mark, isData)) == 1 })
}

// A switch that connects again while its old session lives: there is one session, the new one, and the switch's tables
// stay as they are.
func TestASecondConnectionReplacesTheFirst(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		n := i.emulate("linear:3", v)
		i.converse(n)
		middle := n.Switches[1]
		old, entries, mark := middle.Session(), middle.Entries(), i.journal.mark()
		if err := n.ConnectOne(t.Context(), middle, i.at.OpenFlow); err != nil {
			t.Fatal(err)
		}
		<-old.Done()
		i.await("the new session", func() bool {
			s := middle.Session()
			return s != nil && s != old && i.linksUp() == 4 && i.connected() == 3
		})
		i.rounds(middle)
		i.undisturbed(mark)
		if middle.Entries() != entries || middle.Session() == nil || len(i.hosts()) != 3 {
			t.Errorf("%d entries, want %d; %d hosts, want 3", middle.Entries(), entries, len(i.hosts()))
		}
	})
}

// A switch whose session is lost is shown so, its links are unconfirmed, hosts stay; nobody's rules are touched. When it is back
// all is as before, and not one entry was written or deleted.
func TestALostSessionChangesNoRule(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		n := i.emulate("linear:3", v)
		i.converse(n)
		middle := n.Switches[1]
		entries, mark := middle.Entries(), i.journal.mark()
		middle.Session().Close(nil)
		i.await("the loss", func() bool { return i.connected() == 2 })
		for _, l := range i.links() {
			if !l.Up || l.State != "unconfirmed" {
				t.Errorf("link %+v, want it up and unconfirmed", l)
			}
		}
		if sw := must[client.Switch](i)(i.api.Switch(t.Context(), dpid(2))); sw.State != "disconnected" || len(sw.Ports) != 3 {
			t.Errorf("switch is %+v", sw)
		}
		if len(i.hosts()) != 3 {
			t.Errorf("hosts are %+v, want all 3", i.hosts())
		}
		i.rounds(n.Switches[0])
		if err := n.ConnectOne(t.Context(), middle, i.at.OpenFlow); err != nil {
			t.Fatal(err)
		}
		i.await("the return", func() bool { return i.connected() == 3 && i.linksUp() == 4 })
		i.rounds(middle)
		i.undisturbed(mark)
		if middle.Entries() != entries {
			t.Errorf("%d entries, want %d", middle.Entries(), entries)
		}
	})
}

// An instance that is started anew over the same switches finds its rules there and writes nothing, deletes nothing.
func TestANewInstanceFindsItsRules(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		n := i.emulate("linear:3", v)
		i.converse(n)
		var sessions []*session.Session
		entries := 0
		for _, sw := range n.Switches {
			sessions, entries = append(sessions, sw.Session()), entries+sw.Entries()
		}
		if err := i.stop(); err != nil {
			t.Fatal(err)
		}
		for _, s := range sessions {
			<-s.Done()
		}
		second := start(t, func(c *node.Config) { c.DataDir = i.cfg.DataDir })
		mark := i.journal.mark()
		if err := n.Connect(t.Context(), second.at.OpenFlow); err != nil {
			t.Fatal(err)
		}
		second.await("the links", func() bool { return second.linksUp() == 4 && second.connected() == 3 })
		for _, sw := range n.Switches {
			sw.Announce(nil)
		}
		second.await("the hosts and rules", func() bool { return len(second.hosts()) == 3 && second.settled(3) })
		i.rounds(n.Switches[1])
		i.undisturbed(mark)
		after := 0
		for _, sw := range n.Switches {
			after += sw.Entries()
		}
		if after != entries {
			t.Errorf("%d entries, want %d", after, entries)
		}
		if err := n.Close(context.Background()); err != nil { // before the second instance ends, which counts goroutines
			t.Error(err)
		}
	})
}
