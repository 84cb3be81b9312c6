package objects

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// newTable is the table of a switch that has been read, and has these groups and meters.
func newTable(t *testing.T, domain uint16, groups []openflow.GroupDesc, meters []openflow.MeterConfig) *Table {
	t.Helper()
	table := New(Config{Domain: domain, Window: time.Minute, Backoff: func(int) time.Duration { return 0 },
		Retry: func(int) time.Duration { return time.Second },
		Text:  func(e *openflow.ErrorMsg) string { return e.Code.String() }})
	table.Begin(openflow.V13)
	table.Compare(Read(domain, table.Numbers(), groups, meters))
	table.Features(nil, nil)
	return table
}

func meterOf(t *testing.T, rate uint32) *object.Meter {
	t.Helper()
	m, err := object.NewMeter(object.PacketsPerSecond, openflow.Band{Type: openflow.BandDrop, Rate: rate})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func config(number, rate uint32) openflow.MeterConfig {
	return openflow.MeterConfig{Meter: number, Flags: openflow.MeterFlagPktps,
		Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: rate}}}
}

// sent are the messages that are due, as text; each is refused with a code, or done if that is 0.
func sent(t *testing.T, table *Table, code openflow.ErrorCode) string {
	t.Helper()
	var lines []string
	ops := table.Next(100, func(uint32) bool { return false }, time.Time{})
	for _, o := range ops {
		lines = append(lines, openflow.Text(openflow.Header{Version: openflow.V13}, o.Message))
	}
	for _, o := range ops {
		var e *openflow.ErrorMsg
		if code != 0 {
			e = &openflow.ErrorMsg{Code: code}
		}
		table.Done(o, e, time.Time{})
	}
	if err := table.Check(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// TestEachContentHasOneNumber has a switch with one content under two numbers, as after two lost answers: the lower
// counts, and the other goes when it may.
func TestEachContentHasOneNumber(t *testing.T) {
	table := newTable(t, 1, nil, []openflow.MeterConfig{config(1<<20+5, 7), config(1<<20+2, 7)})
	table.Want(1, []object.Object{meterOf(t, 7)})
	if ready, _ := table.Ready(1); !ready || table.Number(meterOf(t, 7)) != 1<<20+2 {
		t.Fatalf("not adopted:\n%s", table)
	}
	if text := sent(t, table, 0); text != "" {
		t.Errorf("sent %s", text)
	}
	table.Prune(true)
	text := sent(t, table, 0)
	if strings.Contains(text, "\n") || !strings.Contains(text, "command=delete flags=0 meter=1048581") {
		t.Errorf("sent %s", text)
	}
}

// TestOwnersHaveMetersOfTheirOwn: meters with one content and two owners have two numbers, and what the switch lists of
// them, which says nothing of owners, is as it was written: in an audit, and in a new session.
func TestOwnersHaveMetersOfTheirOwn(t *testing.T) {
	table := newTable(t, 1, nil, nil)
	one, two := meterOf(t, 7).Owned(1), meterOf(t, 7).Owned(2)
	table.Want(1, []object.Object{one})
	table.Want(2, []object.Object{two})
	if text := sent(t, table, 0); strings.Count(text, "command=add") != 2 || table.Number(one) == table.Number(two) {
		t.Fatalf("sent %s", text)
	}
	list := []openflow.MeterConfig{config(table.Number(one), 7), config(table.Number(two), 7)}
	if found := table.Audit(Read(1, table.Numbers(), nil, list), table.Mark(), time.Time{}); len(found) > 0 {
		t.Errorf("an audit finds %+v", found)
	}
	numbers := table.Numbers()
	table.Begin(openflow.V13)
	table.Compare(Read(1, numbers, nil, list))
	if text := sent(t, table, 0); text != "" {
		t.Errorf("in the next session %s is sent", text)
	}
	found := table.Audit(Read(1, table.Numbers(), nil, list[:1]), table.Mark(), time.Time{})
	if len(found) != 1 || !found[0].Lost {
		t.Errorf("without one of them an audit finds %+v", found)
	}
}

// TestDomainsDoNotMeet: what another domain has is neither adopted nor removed, and its numbers are not given out.
func TestDomainsDoNotMeet(t *testing.T) {
	table := newTable(t, 2, []openflow.GroupDesc{{Group: 7}}, []openflow.MeterConfig{config(1<<20, 7), config(70000, 7)})
	table.Want(1, []object.Object{meterOf(t, 7)})
	table.Prune(false)
	text := sent(t, table, 0)
	if strings.Contains(text, "\n") || !strings.Contains(text, "command=add flags=pktps meter=2097152") {
		t.Errorf("sent %s", text)
	}
	none := newTable(t, 4090, nil, nil)
	none.Want(1, []object.Object{meterOf(t, 7)})
	text = sent(t, none, 0)
	ready, why := none.Ready(1)
	if text != "" || ready || why == nil || !strings.HasPrefix(why.Reason, "domain 4090 has no numbers") {
		t.Errorf("sent %q, ready %t: %+v", text, ready, why)
	}
}

// TestSwitchThatContradictsItself says that a number exists, and that it does not: after some tries the object is refused.
func TestSwitchThatContradictsItself(t *testing.T) {
	table := newTable(t, 1, nil, nil)
	table.Want(1, []object.Object{meterOf(t, 7)})
	table.Ready(1)
	for try := 0; ; try++ {
		code, command := openflow.MeterModFailedMeterExists, "command=add"
		if try%2 == 1 {
			code, command = openflow.MeterModFailedUnknownMeter, "command=modify"
		}
		text := sent(t, table, code)
		if text == "" || try > 10 {
			break
		}
		if !strings.Contains(text, command) {
			t.Fatalf("try %d: sent %s", try, text)
		}
	}
	woken, _ := table.Woken()
	if ready, why := table.Ready(1); ready || why == nil || len(woken) != 1 {
		t.Fatalf("ready %t, %+v, woken %v", ready, why, woken)
	}
	table.Release(1)
	sent(t, table, 0)
	if !table.Empty() {
		t.Errorf("left:\n%s", table)
	}
}

// TestWhatTheSwitchLacksIsNotSent: features say so before.
func TestWhatTheSwitchLacksIsNotSent(t *testing.T) {
	table := newTable(t, 1, nil, nil)
	table.Begin(openflow.V13)
	table.Compare(Read(1, nil, nil, nil))
	table.Want(1, []object.Object{meterOf(t, 7)})
	if text := sent(t, table, 0); text != "" || !table.AsksFeatures() || table.AsksFeatures() {
		t.Fatalf("sent %q before it is known what the switch takes", text)
	}
	table.Features(nil, &openflow.MeterFeatures{})
	if ready, why := table.Ready(1); ready || sent(t, table, 0) != "" || why != nil {
		t.Errorf("ready %t: %+v", ready, why)
	}
	if _, why := table.Ready(1); why == nil || why.Code != 0 || !strings.Contains(why.Reason, "the switch has no meters") {
		t.Errorf("refused: %+v", why)
	}
}

// TestFixedMeters keep their numbers, whatever shared meter has their content, and stay while rules use them.
func TestFixedMeters(t *testing.T) {
	table := newTable(t, 1, nil, []openflow.MeterConfig{config(1, 7), config(9, 7)})
	table.Fix(1, 7, 0)
	table.Want(1, []object.Object{meterOf(t, 7)})
	if text := sent(t, table, 0); !strings.Contains(text, "command=add flags=pktps meter=1048576") {
		t.Errorf("sent %s", text)
	}
	table.Prune(true)
	if text := sent(t, table, 0); text != "" {
		t.Errorf("beside entries of others: sent %s", text)
	}
	table.Prune(false)
	if text := sent(t, table, 0); !strings.Contains(text, "command=delete flags=0 meter=9 ") {
		t.Errorf("sent %s", text)
	}
	table.Unfix(1)
	table.Woken()
	table.Fix(1, 7, 0)
	if _, fixed := table.Woken(); !slices.Equal(fixed, []uint32{1}) {
		t.Errorf("wanted again before it was deleted: woken are the rules with meters %v, want 1", fixed)
	}
	table.Unfix(1)
	used := table.Next(1, func(uint32) bool { return true }, time.Time{})
	if text := sent(t, table, 0); len(used) > 0 || !strings.Contains(text, "command=delete flags=0 meter=1 ") {
		t.Errorf("sent %d messages about a meter in use, then %s", len(used), text)
	}
}
