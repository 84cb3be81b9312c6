package node

import (
	"crypto/rand"
	"encoding/binary"
	"slices"

	"github.com/weirnet/weir/app/broadcast"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
)

// found tells discovery which ports of a switch led to other switches when its tree was written,
// and the application which of them its tree left out.
func (n *node) found(at flowsync.Address, entries []flowsync.Entry, holds bool) {
	var tree broadcast.TreePorts
	for i := range entries {
		tree.AddRow(entries[i].Match, entries[i].Priority)
	}
	n.apps.Listed(at.DPID, holds)
	former := slices.DeleteFunc(slices.Clone(tree.Links), tenantsEdges(n.view.Snapshot(), at.DPID))
	n.discovery.FormerLinkPorts(at.DPID, at.Epoch, former)
	if n.apps.Broadcast != nil {
		n.apps.Broadcast.Inherit(at.DPID, tree)
	}
}

// tenantsEdges reports which ports of a switch are tenants' and are remembered to lead to hosts: the tree has rows of them as
// of ports to other switches, since it leaves both out.
func tenantsEdges(snap *netview.Snapshot, dpid netview.DPID) func(port uint32) bool {
	sw, _ := snap.Switch(dpid)
	return func(port uint32) bool {
		return sw != nil && slices.ContainsFunc(sw.Ports, func(p netview.Port) bool {
			return p.Number == port && p.Reserved && p.Role == netview.PortEdge
		})
	}
}

// bootID returns a number for the pairs of this run of the instance: almost certainly another one
// than that of recent runs. With an equal one their rules would time out instead of being adopted.
func bootID() uint16 {
	var b [2]byte
	rand.Read(b[:])
	return binary.BigEndian.Uint16(b[:])
}

// adopt gives the application the pairs' rules among the soft entries that a switch listed: it
// knows those of this run, and takes over those of an earlier one. From a whole list it learns
// which of its pairs have run out unheard.
func (n *node) adopt(dpid netview.DPID, soft []flowsync.SoftEntry, whole bool) []flowsync.SoftEntry {
	soft = slices.DeleteFunc(soft, isProtection)
	if n.apps.Forward == nil {
		return soft
	}
	var rules []forward.SoftRule
	others := slices.DeleteFunc(soft, func(e flowsync.SoftEntry) bool {
		if plan.Decode(e.Cookie).Kind != plan.KindPair {
			return false
		}
		rules = append(rules, forward.SoftRule{Match: e.Match, Cookie: e.Cookie, Ports: e.Ports, Idle: e.Idle})
		return true
	})
	n.answers.RuleChecks.Read(n.apps.Forward, dpid, rules)
	n.apps.Forward.RulesListed(dpid, rules, whole)
	return others
}

// isProtection leaves out the rows of app/guard, of this run and earlier ones: they run out within
// seconds.
func isProtection(e flowsync.SoftEntry) bool {
	return plan.Decode(e.Cookie).Kind == plan.KindProtection
}
