package node_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/warmstart"
)

// An instance that is started anew knows the network that the one before it knew: links and hosts'
// ports as they were, unconfirmed; and its switches, that come one by one, are written nothing,
// though the network has a loop.
func TestANewInstanceRemembersTheNetwork(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t)
		n := i.emulate("ring:4", v)
		i.stopWith(n)
		mark := i.journal.mark()
		second := start(t, func(c *node.Config) { c.DataDir = i.cfg.DataDir })
		for _, l := range second.links() {
			if !l.Up || l.State != "unconfirmed" {
				t.Errorf("link %v is remembered as %s, up %t", l.Src, l.State, l.Up)
			}
		}
		if got := len(second.links()); got != 8 || second.connected() != 0 {
			t.Errorf("%d links are remembered, want 8; %d switches are connected", got, second.connected())
		}
		for k, sw := range n.Switches {
			if err := n.ConnectOne(t.Context(), sw, second.at.OpenFlow); err != nil {
				t.Fatal(err)
			}
			second.await("its rules", func() bool { return second.connected() == k+1 && second.settled(k+1) })
		}
		second.await("the links", func() bool { return second.linksUp() == 8 && second.settled(4) })
		if got := i.journal.since(mark, isFlowMod); len(got) != 0 {
			t.Errorf("%d flow-mods, want none: %v", len(got), texts(got))
		}
		if err := n.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// A file that is damaged is set aside, and the instance starts without it.
func TestDamagedMemoryIsNoHindrance(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, warmstart.FileName)
	if err := os.WriteFile(path, []byte("weirfact, and then nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	i := start(t, func(c *node.Config) { c.DataDir = dir })
	i.switchOn(1, openflow.V13, 2).serve()
	i.await("edges", func() bool { return i.edges() == 2 })
	if _, err := os.Stat(path + ".bad"); err != nil || !strings.Contains(i.log.String(), "cannot be read") {
		t.Errorf("the damaged file was not kept, or nobody told: %v", err)
	}
	i.await("a new file", func() bool { f, err := warmstart.Load(dir); return err == nil && len(f.Switches) == 1 })
}
