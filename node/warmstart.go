package node

import (
	"github.com/weirnet/weir/app/broadcast"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/warmstart"
)

// remember takes in what the instance before this one knew of the network. Without it the instance
// starts all the same.
func (n *node) remember() {
	facts, err := warmstart.Load(n.cfg.DataDir)
	if err != nil {
		n.cfg.Log.Warn("what was remembered of the network cannot be read: the instance starts without", "error", err)
		n.alarms.Raise(netview.AlarmMemory, warmstart.FileName,
			"what was remembered of the network could not be read: "+err.Error())
		return
	}
	n.recollect(facts)
	if len(facts.Switches) > 0 {
		n.cfg.Log.Info("network remembered", "switches", len(facts.Switches), "links", len(facts.Links), "hosts",
			len(facts.Hosts))
	}
}

// recollect tells the engines what was known.
func (n *node) recollect(facts *warmstart.Facts) {
	n.discovery.Load(facts.Switches, facts.Links, facts.Hosts)
	n.storedTrees = make(map[netview.DPID]warmstart.Tree, len(facts.Trees))
	for _, t := range facts.Trees {
		n.storedTrees[t.DPID] = t
	}
	if n.apps.Broadcast != nil {
		for _, t := range facts.Trees {
			n.apps.Broadcast.Inherit(t.DPID, broadcast.TreePorts{Links: t.Links, Off: t.Off})
		}
	}
}

// treeOf is what a switch is desired to hold of the tree, and while it has not confirmed that it
// does, what it may hold besides, to be remembered: a switch that cannot be told forwards along the
// old tree in the next run of the instance too. As long as nothing is desired it is what was
// remembered.
func (n *node) treeOf(s *netview.Snapshot, dpid netview.DPID) (links, off []uint32, ok bool) {
	var tree broadcast.TreePorts
	confirmed := true
	for r := range s.Rules(dpid) {
		if r.Owner == broadcast.RowOwner {
			ok = true
			confirmed = confirmed && r.State == netview.RuleInstalled
			tree.AddRow(r.Match, r.Priority)
		}
	}
	if old, was := n.storedTrees[dpid]; !ok && was {
		return old.Links, old.Off, true
	}
	if !confirmed && n.apps.Broadcast != nil {
		tree.AddPossible(n.apps.Broadcast.Unconfirmed(dpid))
	}
	return tree.Links, tree.Off, ok
}

// record returns what keeps the facts of the network, in the data directory and at the other instances.
func record(n *node) func(file []byte) error {
	return func(file []byte) error {
		if n.others != nil {
			n.others.Facts(file)
		}
		return warmstart.Save(n.cfg.DataDir, file)
	}
}
