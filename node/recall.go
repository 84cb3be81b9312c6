package node

import (
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/recall"
)

// remember takes in what the instance before this one knew of the network. Without it the instance starts all the same.
func (n *node) remember() {
	facts, err := recall.Load(n.cfg.DataDir)
	if err != nil {
		n.cfg.Log.Warn("what was remembered of the network cannot be read: the instance starts without", "error", err)
		n.alarms.Raise(netview.AlarmMemory, recall.FileName, "what was remembered of the network could not be read: "+err.Error())
		return
	}
	n.recollect(facts)
	if len(facts.Switches) > 0 {
		n.cfg.Log.Info("network remembered", "switches", len(facts.Switches), "links", len(facts.Links), "hosts", len(facts.Hosts))
	}
}

// recollect tells the engines what was known.
func (n *node) recollect(facts *recall.Facts) {
	n.discovery.Load(facts.Switches, facts.Links, facts.Hosts)
	n.trees = make(map[netview.DPID]recall.Tree, len(facts.Trees))
	for _, t := range facts.Trees {
		n.trees[t.DPID] = t
	}
	if n.forward != nil {
		for _, t := range facts.Trees {
			n.forward.FoundTree(t.DPID, t.Links, t.Off)
		}
	}
}

// treeOf is what a switch is wanted to hold of the tree, to be remembered: as long as nothing is, what was remembered.
func (n *node) treeOf(s *netview.Snapshot, dpid netview.DPID) (links, off []uint32, ok bool) {
	var tree interSwitch
	for r := range s.Rules(dpid) {
		if r.Owner == forward.Owner {
			ok = true
			tree.row(r.Match, r.Priority)
		}
	}
	if old, was := n.trees[dpid]; !ok && was {
		return old.Links, old.Off, true
	}
	return tree.ports, tree.off, ok
}

// recorder writes what is known.
func (n *node) recorder() *recall.Recorder {
	return recall.New(n.cfg.DataDir, n.view, n.treeOf, n.alarms)
}
