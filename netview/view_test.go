package netview

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

var t0 = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// mesh is a switch with n ports that are up, with the role of a link at the ports from links on.
func mesh(dpid DPID, n, links int) *Switch {
	s := &Switch{DPID: dpid, State: SwitchReady, Connected: true, Since: t0}
	for i := range n {
		p := Port{Number: uint32(i + 1), Up: true, Role: PortEdge}
		if i+1 >= links {
			p.Role = PortLink
		}
		s.Ports = append(s.Ports, p)
	}
	return s
}

func link(a DPID, ap uint32, b DPID, bp uint32) *Link {
	return &Link{LinkKey: LinkKey{Point{a, ap}, Point{b, bp}}, Up: true, State: LinkConfirmed, Since: t0}
}

func host(n int, at Point) *Host {
	mac := packet.MAC{2, 0, 0, byte(n >> 16), byte(n >> 8), byte(n)}
	ip := netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)})
	return &Host{HostID: HostID{MAC: mac}, IPs: []netip.Addr{ip}, At: at, Seen: t0, State: HostConfirmed}
}

func check(t testing.TB, v *View) {
	t.Helper()
	if err := v.Snapshot().Check(); err != nil {
		t.Fatal(err)
	}
}

func TestFacts(t *testing.T) {
	v := New(Limits{})
	f := v.Facts()
	before := v.Snapshot()
	r := f.Update(func(tx *FactsTx) {
		tx.PutSwitch(mesh(1, 4, 3))
		tx.PutSwitch(mesh(2, 4, 3))
		tx.PutLink(link(1, 3, 2, 4))
		tx.PutLink(link(2, 4, 1, 3))
		tx.PutHost(host(7, Point{1, 1}))
	})
	s := v.Snapshot()
	if r != 1 || s.Revision() != 1 || before.Revision() != 0 || before.Counts() != (Counts{}) {
		t.Fatalf("revision %d, snapshot %d, before %d %+v", r, s.Revision(), before.Revision(), before.Counts())
	}
	if got := s.Counts(); got != (Counts{Switches: 2, Links: 2, Hosts: 1}) {
		t.Fatalf("counts %+v", got)
	}
	if l := slices.Collect(s.LinksTo(2)); len(l) != 1 || l[0].Src != (Point{1, 3}) {
		t.Fatalf("links to 2: %v", l)
	}
	check(t, v)

	// A port that goes down takes its links with it, in the same transaction.
	down := mesh(2, 4, 3)
	down.Ports[3].Up = false
	f.Update(func(tx *FactsTx) { tx.PutSwitch(down) })
	for l := range v.Snapshot().Links() {
		if l.Up {
			t.Errorf("link %s is up, its port is down", l.LinkKey)
		}
	}
	check(t, v)

	// Moves keep one place in the index.
	f.Update(func(tx *FactsTx) { tx.PutHost(host(7, Point{2, 2})) })
	old, now := slices.Collect(v.Snapshot().HostsAt(Point{1, 1})), slices.Collect(v.Snapshot().HostsAt(Point{2, 2}))
	if n := len(old) + 10*len(now); n != 10 {
		t.Errorf("host is at old and new place: %d", n)
	}
	check(t, v)

	f.Update(func(tx *FactsTx) { tx.DeleteSwitch(2) })
	if got := v.Snapshot().Counts(); got != (Counts{Switches: 1}) {
		t.Errorf("after DeleteSwitch: %+v", got)
	}
	check(t, v)
}

func TestTransactionWholeOrNothing(t *testing.T) {
	v := New(Limits{})
	f := v.Facts()
	func() {
		defer func() { _ = recover() }()
		f.Update(func(tx *FactsTx) {
			tx.PutSwitch(mesh(1, 4, 3))
			tx.SetSettled()
			panic("half way")
		})
	}()
	s := v.Snapshot()
	if s.Revision() != 0 || s.Counts() != (Counts{}) || s.Settled() {
		t.Fatalf("half a transaction is visible: %+v", s.Counts())
	}
	if r := f.Update(func(tx *FactsTx) { tx.PutSwitch(mesh(2, 4, 3)) }); r != 1 {
		t.Fatalf("revision %d, want 1", r)
	}
	if cs, _, _ := v.Changes(0, 10); len(cs) != 1 || cs[0].Switch.DPID != 2 {
		t.Fatalf("changes %+v", cs)
	}
	check(t, v)
}

func TestDesiredKeepsStatesAndRefusesSecondOwner(t *testing.T) {
	v := New(Limits{})
	a, b, status := v.Desired("a"), v.Desired("b"), v.Status()
	rule := func(priority uint16, cookie uint64) Rule {
		return Rule{Priority: priority, Cookie: cookie,
			Instructions: []openflow.Instruction{{Type: openflow.InstructionGotoTable, Table: 1}}}
	}
	a.Update(func(tx *DesiredTx) { tx.Set(1, []Rule{rule(10, 1), rule(20, 1)}) })
	b.Update(func(tx *DesiredTx) { tx.Set(1, []Rule{rule(20, 2), rule(30, 2)}) })
	check(t, v)
	s := v.Snapshot()
	if r := slices.Collect(s.Rules(1)); len(r) != 3 || r[0].Owner != "b" || r[1].Owner != "a" || r[2].Owner != "a" {
		t.Fatalf("rules: %v", r)
	}
	conflicts := slices.Collect(s.Conflicts(1))
	if len(conflicts) != 1 || conflicts[0].State != RuleFailed || conflicts[0].Reason != "desired by a already" {
		t.Fatalf("conflicts: %v", conflicts)
	}

	key20 := RuleKey{DPID: 1, Priority: 20}
	row, _ := s.Rule(key20)
	status.Set([]RuleResult{{Key: key20, Rule: row, State: RuleInstalled},
		{Key: RuleKey{DPID: 1, Priority: 10}, Cookie: 9, State: RuleInstalled}})
	a.Update(func(tx *DesiredTx) { tx.Set(1, []Rule{rule(20, 1)}) })
	if row, _ := v.Snapshot().Rule(key20); row.State != RuleInstalled {
		t.Errorf("an unchanged rule lost its state: %s", row.State)
	}
	if _, ok := v.Snapshot().Rule(RuleKey{DPID: 1, Priority: 10}); ok {
		t.Error("a withdrawn rule is still there")
	}
	a.Update(func(tx *DesiredTx) { tx.Set(1, nil) })
	if row, _ := v.Snapshot().Rule(key20); row.Owner != "b" || row.State != RulePending || row.Reason != "" {
		t.Errorf("b did not take its turn: %+v", row)
	}
	if r := status.Set([]RuleResult{{Key: key20, Rule: row, State: RuleInstalled}}); r != v.Snapshot().Revision() {
		t.Error("revision")
	}
	if row, _ := v.Snapshot().Rule(key20); row.State != RulePending {
		t.Error("a result for a's rule was taken for b's")
	}
	check(t, v)
}

func TestMeters(t *testing.T) {
	v := New(Limits{})
	a, b := v.Desired("a"), v.Desired("b")
	a.Update(func(tx *DesiredTx) { tx.SetMeters(1, []Meter{{ID: 1, Rate: 100}, {ID: 2, Rate: 5}}) })
	b.Update(func(tx *DesiredTx) { tx.SetMeters(1, []Meter{{ID: 1, Rate: 7}}) })
	if m := slices.Collect(v.Snapshot().Meters(1)); len(m) != 2 || m[0].Rate != 100 {
		t.Fatalf("meters %v", m)
	}
	r := v.Snapshot().Revision()
	a.Update(func(tx *DesiredTx) { tx.SetMeters(1, nil) })
	if m := slices.Collect(v.Snapshot().Meters(1)); len(m) != 1 || m[0].Rate != 7 {
		t.Fatalf("meters %v", m)
	}
	cs, _, _ := v.Changes(r, 10)
	if len(cs) != 2 || cs[0].Deleted || cs[0].Meter.Rate != 7 || !cs[1].Deleted || cs[1].Meter.ID != 2 {
		t.Fatalf("changes %+v", cs)
	}
	check(t, v)
}

// TestMasters: a switch has the master that was said last, of it or of all, whether it was known then or
// not and whatever discovery writes, and a switch whose master stays is no change.
func TestMasters(t *testing.T) {
	v := New(Limits{})
	f, m := v.Facts(), v.Masters()
	put := func(dpid DPID) {
		f.Update(func(tx *FactsTx) {
			row := mesh(dpid, 1, 2)
			row.Master = "what is put here is overwritten"
			tx.PutSwitch(row)
		})
	}
	want := func(what string, masters ...string) {
		t.Helper()
		s := v.Snapshot()
		for i, master := range masters {
			row, known := s.Switch(DPID(i + 1))
			if s.Master(DPID(i+1)) != master || known && row.Master != master {
				t.Errorf("%s: switch %d has the master %q, %+v; want %q", what, i+1, s.Master(DPID(i+1)), row, master)
			}
		}
		check(t, v)
	}
	put(1)
	want("nobody said", "", "")
	m.SetAll("a")
	put(2)
	want("all", "a", "a", "a")
	m.Set("b", 2, 3, 2)
	put(3)
	want("some", "a", "b", "b", "a")
	r := v.Snapshot().Revision()
	if again := m.Set("b", 2, 3); again != r {
		t.Error("the same once more is a change")
	}
	m.Set("a", 1, 2)
	cs, _, _ := v.Changes(r, 10)
	if len(cs) != 1 || cs[0].Kind != KindSwitch || cs[0].Switch.DPID != 2 || cs[0].Switch.Master != "a" {
		t.Errorf("changes of one that changed: %+v", cs)
	}
	want("back", "a", "a", "b")
	m.SetAll("c")
	want("all of them", "c", "c", "c", "c")
}

func TestOneOwnerEach(t *testing.T) {
	for name, claim := range map[string]func(*View){
		"Facts":   func(v *View) { v.Facts() },
		"Status":  func(v *View) { v.Status() },
		"Masters": func(v *View) { v.Masters() },
		"Desired": func(v *View) { v.Desired("x") },
	} {
		t.Run(name, func(t *testing.T) {
			v := New(Limits{})
			claim(v)
			defer func() {
				if recover() == nil {
					t.Error("a second owner was accepted")
				}
			}()
			claim(v)
		})
	}
}

// Rule finds the rule that a switch is wanted to hold for a key.
func (s *Snapshot) Rule(key RuleKey) (*Rule, bool) {
	if r, _ := holder(s.rules, key); r != nil {
		return &r.Rule, true
	}
	return nil, false
}
