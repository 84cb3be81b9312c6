package node_test

import (
	"context"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/session"
)

// leftover is the type that an entry matches which nobody wants.
const leftover = 0x1234

// plant puts an entry of ours that nobody wants into a switch, as an earlier run would have left
// it. When it is gone, the time has come in which entries are removed.
func plant(sw *loadswitch.Switch) {
	fm := &openflow.FlowMod{
		Command: openflow.FlowAdd, Priority: 5009, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny,
		Cookie:   plan.Cookie{Domain: plan.DomainDefault, Kind: plan.KindTree}.Encode(),
		Match:    openflow.Match{OXM: []byte{0x80, 0, byte(openflow.FieldEthType) << 1, 2, leftover >> 8, leftover & 0xff}},
	}
	sw.FlowMod(sw.Session(), openflow.Header{}, fm)
}

func isLeftover(e entry) bool {
	fm, ok := e.m.(*openflow.FlowMod)
	if !ok {
		return false
	}
	typ, _ := fm.Match.Uint(openflow.FieldEthType)
	return typ == leftover
}

// undisturbed waits until planted entries are removed, and wants that to have been all that was
// written since a mark.
func (i *instance) undisturbed(mark, planted int) {
	i.t.Helper()
	i.await("the removal of what nobody wants", func() bool { return len(i.journal.since(mark, isLeftover)) >= planted })
	if got := i.journal.since(mark, isFlowMod); len(got) != planted {
		i.t.Errorf("%d flow-mods, want %d removals of what nobody wants: %v", len(got), planted, texts(got))
	}
	if got := i.journal.since(mark, isDeletion); len(got) != planted {
		i.t.Errorf("%d deletions: %v", len(got), texts(got))
	}
}

// converse installs a pair between the ends of a line.
func (i *instance) converse(n *loadswitch.Network) {
	i.t.Helper()
	first, _, src, dst := ends(n)
	mark := i.journal.mark()
	if err := first.PacketIn(src.At.Port, openflow.NoBuffer, ping(src, dst)); err != nil {
		i.t.Fatal(err)
	}
	i.await("the pair", func() bool { return len(i.journal.since(mark, isData)) == 1 })
}

// A second connection for a datapath id whose switch answers is refused: nothing changes for the
// first, the refusal is counted and an alarm tells of it.
func TestASecondConnectionIsRefused(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		n := i.emulate("linear:3", v)
		i.converse(n)
		top, err := loadswitch.ParseTopology("linear:3", 1)
		if err != nil {
			t.Fatal(err)
		}
		spoof := loadswitch.New(top, loadswitch.Config{Version: v})
		real, entries, mark := n.Switches[1].Session(), n.Switches[1].Entries(), i.journal.mark()
		if err := spoof.ConnectOne(t.Context(), spoof.Switches[1], i.at.OpenFlow); err != nil {
			t.Fatal(err)
		}
		i.await("the refusal", func() bool { return i.refusals("datapath_in_use") == 1 })
		select {
		case <-real.Done():
			t.Error("the first session has ended")
		default:
		}
		if got := i.journal.since(mark, isFlowMod); len(got) != 0 || n.Switches[1].Entries() != entries || i.connected() != 3 {
			t.Errorf("%d flow-mods, %d entries, want none and %d: %v", len(got), n.Switches[1].Entries(), entries, texts(got))
		}
		if err := spoof.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// A switch whose session is lost is shown so, its links are unconfirmed, hosts stay; nobody's rules
// are touched. When it is back all is as before, and not one entry was written or deleted.
func TestALostSessionChangesNoRule(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		n := i.emulate("linear:3", v)
		i.converse(n)
		middle := n.Switches[1]
		entries, mark := middle.Entries(), i.journal.mark()
		plant(middle)
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
		i.await("rounds of discovery without it", func() bool { return len(i.probesOf(3, 1)) > 25 })
		i.connect(n, middle)
		i.await("the return", func() bool { return i.connected() == 3 && i.linksUp() == 4 })
		i.undisturbed(mark, 1)
		// the journal hears before the switch does
		i.await("the entries as before", func() bool { return middle.Entries() == entries })
	})
}

// An instance that is started anew over the same switches finds its rules there and writes nothing,
// deletes nothing; also where one of the switches comes later than discovery needs to take the port
// to it for an edge.
func TestANewInstanceFindsItsRules(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		n := i.emulate("linear:3", v)
		i.converse(n)
		var sessions []*session.Session
		entries := 0
		for _, sw := range n.Switches {
			sessions, entries = append(sessions, sw.Session()), entries+sw.Entries()
			plant(sw)
		}
		if err := i.stop(); err != nil {
			t.Fatal(err)
		}
		for _, s := range sessions {
			i.gone(s)
		}
		second := start(t, func(c *node.Config) { c.DataDir = i.cfg.DataDir })
		second.journal = i.journal // the switches still write there
		mark := i.journal.mark()
		second.connect(n, n.Switches[:2]...)
		second.await("rounds of discovery without the last", func() bool {
			return second.linksUp() == 2 && len(i.journal.since(mark, isProbe)) > 100
		})
		second.connect(n, n.Switches[2])
		second.await("the links", func() bool { return second.linksUp() == 4 && second.connected() == 3 })
		for _, sw := range n.Switches {
			sw.Announce(nil)
		}
		second.await("the hosts and rules", func() bool { return len(second.hosts()) == 3 && second.settled(3) })
		second.undisturbed(mark, 3)
		second.await("the entries as before", func() bool {
			after := 0
			for _, sw := range n.Switches {
				after += sw.Entries()
			}
			return after == entries
		})
		if err := n.Close(context.Background()); err != nil { // before the second instance ends, which counts goroutines
			t.Error(err)
		}
	})
}

// connect connects switches of a network.
func (i *instance) connect(n *loadswitch.Network, switches ...*loadswitch.Switch) {
	i.t.Helper()
	for _, sw := range switches {
		if err := n.ConnectOne(i.t.Context(), sw, i.at.OpenFlow); err != nil {
			i.t.Fatal(err)
		}
	}
}

// refusals is how many connections were refused for a reason.
func (i *instance) refusals(reason string) float64 {
	i.t.Helper()
	return i.value(i.metrics(), "weir_openflow_refused_connections_total", "reason", reason)
}
