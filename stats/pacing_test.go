package stats

import (
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// lasting is how long the tests of pacing run, in virtual time.
const lasting = 10 * time.Minute

// about wants a count within one of what it must be, and one more for each try.
func about(t *testing.T, what string, got, want int) {
	t.Helper()
	if got < want-1 || got > want+1 {
		t.Errorf("%s: %d questions, want %d", what, got, want)
	}
}

// Each switch is asked once a period, whatever the others do: one is slow, one stuck, one takes
// nothing, one starts again all the time, one reconnects all the time.
func TestEverySwitchIsAskedAtItsOwnPace(t *testing.T) {
	w := newWorld(t, Config{})
	for n := range 100 {
		w.up(w.add(netview.DPID(n+1), openflow.V13, 4))
	}
	slow, stuck, busy, restarts, reconnects := w.models[1], w.models[2], w.models[3], w.models[4], w.models[5]
	slow.delay, stuck.stuck, busy.busy = 3*time.Second, true, true
	for range int(lasting / (7 * time.Second)) {
		w.run(7 * time.Second)
		w.restart(restarts)
		w.down(reconnects)
		w.up(reconnects)
	}
	for _, m := range w.models {
		switch m {
		case slow: // 3 s of each minute and kind
			about(t, "ports of a slow switch", m.asked[KindPorts], 10)
			about(t, "tables of a slow switch", m.asked[KindTables], 10)
		case stuck: // 5 s, then 30 s of waiting and 2, 4, 8 … periods
			total := m.asked[KindPorts] + m.asked[KindTables] + m.asked[KindTotals] + m.asked[KindFlows]
			if total < 2 || total > 8 {
				t.Errorf("a stuck switch was asked %d times in %s", total, lasting)
			}
		case busy:
			if m.asked != [kinds]int{} {
				t.Errorf("a switch that takes nothing was asked %v", m.asked)
			}
		case reconnects: // at most once in each session, or once a period
			if n := m.asked[KindPorts]; n < 80 || n > 170 {
				t.Errorf("a switch that reconnects every 7 s was asked %d times for ports in %s", n, lasting)
			}
		default:
			about(t, "ports", m.asked[KindPorts], 120)
			about(t, "tables", m.asked[KindTables], 40)
			about(t, "totals", m.asked[KindTotals], 20)
			about(t, "flows", m.asked[KindFlows]/len(counted(1)), 20)
		}
	}
	if n := w.core.counts.Held.Load(); n != 0 {
		t.Errorf("the budget was spent %d times by 100 switches", n)
	}
}

// A thousand switches that connect at once are not asked at once.
func TestManyThatConnectAtOnceAreNotAskedAtOnce(t *testing.T) {
	w := newWorld(t, Config{Share: 1}) // the budget is not what spreads them
	for n := range 1000 {
		w.up(w.add(netview.DPID(n+1), openflow.V13, 2))
	}
	most, before := 0, uint64(0)
	for range 600 {
		w.run(slot)
		asked := uint64(0)
		for k := range kinds {
			asked += w.core.counts.Asked[k].Load()
		}
		most, before = max(most, int(asked-before)), asked
	}
	t.Logf("at most %d questions in %s, %d in a minute", most, slot, before)
	if most > 120 {
		t.Errorf("%d questions in one slot, of 1,000 switches", most)
	}
	for _, m := range w.models {
		if m.asked[KindPorts] < 7 {
			t.Fatalf("%s was asked %d times for ports in a minute", m.dpid, m.asked[KindPorts])
		}
	}
}

// What all questions cost stays within the share, however many switches there are; and each is
// asked as often as the others.
func TestAllQuestionsStayWithinTheShare(t *testing.T) {
	w := newWorld(t, Config{})
	for n := range 2000 {
		w.up(w.add(netview.DPID(n+1), openflow.V13, 48))
	}
	w.run(time.Minute) // sizes are learned
	asked, bytes := w.total()
	least, most := int(1e9), 0
	before := make(map[netview.DPID]int)
	for dpid, m := range w.models {
		before[dpid] = m.asked[KindPorts]
	}
	w.run(5 * time.Minute)
	asked1, bytes1 := w.total()
	cost := time.Duration(asked1-asked)*costQuestion + time.Duration(bytes1-bytes)*costKiB/1024
	for dpid, m := range w.models {
		least, most = min(least, m.asked[KindPorts]-before[dpid]), max(most, m.asked[KindPorts]-before[dpid])
	}
	t.Logf("%d questions, estimated %s in 5 min; each switch %d to %d times for ports", asked1-asked, cost, least, most)
	if limit := 5 * time.Minute / 100; cost > limit+limit/100 || cost < limit*8/10 {
		t.Errorf("questions cost %s in 5 min, want nearly %s", cost, limit)
	}
	if most-least > 3 {
		t.Errorf("some switches were asked %d times and some %d times", least, most)
	}
}

func (w *world) total() (asked, bytes uint64) {
	for k := range kinds {
		asked += w.core.counts.Asked[k].Load()
	}
	return asked, w.core.counts.Bytes.Load()
}

// A switch with many firm entries is asked for them as its answers' size allows.
func TestLargeAnswersAreAskedForLessOften(t *testing.T) {
	w := newWorld(t, Config{})
	m := w.add(1, openflow.V13, 1)
	for n := range 60_000 {
		m.entries = append(m.entries, openflow.FlowStats{Cookie: 0x0013 << 48, Priority: uint16(n)})
	}
	w.up(m)
	w.run(lasting)
	about(t, "flows", m.asked[KindFlows]/len(counted(1)), 5) // 60,000 entries of 144 bytes: 132 s of 64 KiB
	if n := m.asked[KindPorts]; n < 90 {                     // the rest is what the share has no room for after each listing
		t.Errorf("asked %d times for ports", n)
	}
	if f := w.board.Switch(1).Flows; len(f.Entries) != 60_000 {
		t.Errorf("%d entries known", len(f.Entries))
	}
}

// Kinds that are switched off are not asked for.
func TestKindsCanBeSwitchedOff(t *testing.T) {
	w := newWorld(t, Config{Tables: -1, Flows: -1, Ports: time.Second})
	m := w.add(1, openflow.V13, 1)
	w.up(m)
	w.run(time.Minute)
	about(t, "ports", m.asked[KindPorts], 60)
	if m.asked[KindTables]+m.asked[KindTotals]+m.asked[KindFlows] != 0 {
		t.Errorf("asked %v", m.asked)
	}
}

// Switches that have gone are forgotten when there are too many.
func TestSwitchesThatHaveGoneAreForgotten(t *testing.T) {
	w := newWorld(t, Config{Ports: time.Second, Tables: -1, Flows: -1})
	for n := range goneMax + 10 {
		m := w.add(netview.DPID(n+1), openflow.V13, 0)
		w.up(m)
		w.run(2 * time.Second)
		w.down(m)
	}
	if n := len(w.core.devices); n != goneMax {
		t.Errorf("%d switches are remembered", n)
	}
	if w.board.Switch(10) != nil || w.board.Switch(11) == nil {
		t.Error("it is not the oldest that were forgotten")
	}
}
