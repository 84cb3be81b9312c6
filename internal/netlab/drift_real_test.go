//go:build real

package netlab

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// firm are the firm entries of Weir's that the switches of a network hold.
func (n *Network) firm() (tables [][]Rule) {
	n.lab.t.Helper()
	for _, rules := range n.Tables() {
		var kept []Rule
		for _, r := range rules {
			if r.Ours() && !r.Soft {
				kept = append(kept, r)
			}
		}
		tables = append(tables, kept)
	}
	return tables
}

// awaitFirm waits until the switches hold exactly these firm entries of Weir's again.
func (n *Network) awaitFirm(want [][]Rule, limit time.Duration) {
	n.lab.t.Helper()
	var wrong []string
	defer func() {
		if n.lab.t.Failed() {
			n.lab.t.Log(strings.Join(wrong, "\n"))
		}
	}()
	n.lab.Eventually(limit, "the switches hold the same firm entries as before", func() bool {
		wrong = Differ(want, n.firm())
		return len(wrong) == 0
	})
}

// forwarding is the table of a network's switches that says where packets go.
func (n *Network) forwarding() int {
	if n.Switches[0].version == "1.0" {
		return 0
	}
	return 1
}

// repairLimit is twice what is promised for the slowest way of noticing, which is reading all
// entries now and then.
const repairLimit = 60 * time.Second

// TestRulesChangedBehindOurBack: an operator deletes a firm entry with ovs-ofctl and changes
// another, then deletes all under traffic. They come back, with an alarm; an entry of somebody else
// stays as it was, and is not revived when it is deleted.
func TestRulesChangedBehindOurBack(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		w, o, nets := twoNetworks(l)
		both := Both(nets[0], nets[1])
		traffic := talk(o, nets)
		want := both.firm()
		for _, n := range nets {
			s := n.Switches[0]
			s.Ofctl("add-flow", "priority=7777,dl_type=0x88b5,actions=drop")
			s.Ofctl("del-flows", "--strict", "priority=65000,dl_type=0x88cc") // discovery
			s.Ofctl("mod-flows", "--strict",
				fmt.Sprintf("table=%d,priority=5004,dl_dst=ff:ff:ff:ff:ff:ff,actions=output:1,output:2", n.forwarding()))
		}
		both.awaitFirm(want, repairLimit)
		for _, n := range nets {
			w.AwaitAlarm("drift", fmt.Sprintf("%016x", n.Switches[0].DPID), 20*time.Second)
		}
		for _, f := range traffic.Lost() {
			t.Errorf("no path of a pair was touched: %s", f)
		}
		for _, n := range nets {
			s := n.Switches[0]
			if !strings.Contains(s.Ofctl("dump-flows"), "priority=7777") {
				t.Errorf("%s: the entry of somebody else is gone", s.Name)
			}
			s.Ofctl("del-flows")
			n.Switches[1].Ofctl("del-flows")
		}
		both.awaitFirm(want, repairLimit)
		traffic.Baseline() // everybody is answered again
		for _, n := range nets {
			n.awaitBroadcasts(30 * time.Second)
			once(t, n, n.Hosts[0])
			reachable(t, n)
			if strings.Contains(n.Switches[0].Ofctl("dump-flows"), "priority=7777") {
				t.Errorf("%s: somebody else's entry was revived", n.Switches[0].Name)
			}
		}
		for _, f := range traffic.Lost() {
			t.Errorf("after the repair: %s", f)
		}
	})
}

// TestSwitchDaemonRestarts: the daemon of all switches is killed and started again, with empty
// tables. It is filled with the same firm entries, and everybody speaks to everybody again.
func TestSwitchDaemonRestarts(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		w, o, nets := twoNetworks(l)
		both := Both(nets[0], nets[1])
		traffic := talk(o, nets)
		want := both.firm()
		o.Switches.Kill()
		o.StartSwitches()
		w.awaitSettled(both)
		w.AwaitLinks(both, 60*time.Second)
		both.awaitFirm(want, repairLimit)
		for _, n := range nets {
			n.awaitBroadcasts(30 * time.Second)
			once(t, n, n.Hosts[0])
			reachable(t, n)
		}
		traffic.RestoreControl()
		traffic.Baseline()
		for _, f := range traffic.Lost() {
			t.Errorf("after the daemon came back: %s", f)
		}
	})
}
