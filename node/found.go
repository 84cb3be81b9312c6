package node

import (
	"crypto/rand"
	"encoding/binary"
	"slices"

	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// found tells discovery which ports of a switch led to other switches when its tree was written,
// and the application which of them its tree left out: by the switch plan the tree's rows name by
// in_port only such ports, and at a priority of their own those that are left out.
func (n *node) found(dpid netview.DPID, entries []flowsync.Entry) {
	var tree interSwitch
	for i := range entries {
		tree.addRow(entries[i].Match, entries[i].Priority)
	}
	n.failModes.check(dpid, len(entries) > 0)
	n.discovery.FormerLinkPorts(dpid, tree.ports)
	if n.forward != nil {
		n.forward.InheritTree(dpid, tree.ports, tree.off)
	}
}

// interSwitch are the inter-switch ports that rows of a tree name, and those of them that are left
// out.
type interSwitch struct{ ports, off []uint32 }

// addRow adds the ports of a row.
func (t *interSwitch) addRow(m openflow.Match, priority uint16) {
	n, ok := m.Uint(openflow.FieldInPort)
	if !ok {
		return
	}
	port := uint32(n)
	if !slices.Contains(t.ports, port) {
		t.ports = append(t.ports, port)
	}
	if priority >= plan.BandTree.Low+plan.PriorityOffTree && !slices.Contains(t.off, port) {
		t.off = append(t.off, port)
	}
}

// addPossible adds ports that may be in the tree.
func (t *interSwitch) addPossible(ports []uint32) {
	for _, port := range ports {
		if !slices.Contains(t.ports, port) {
			t.ports = append(t.ports, port)
		}
	}
	t.off = slices.DeleteFunc(t.off, func(port uint32) bool { return slices.Contains(ports, port) })
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
	if n.forward == nil {
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
	n.answers.RuleChecks.Read(n.forward, dpid, rules)
	n.forward.RulesListed(dpid, rules, whole)
	return others
}

// isProtection leaves out the rows of app/guard, of this run and earlier ones: they run out within
// seconds.
func isProtection(e flowsync.SoftEntry) bool {
	return plan.Decode(e.Cookie).Kind == plan.KindProtection
}
