package objects

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// shownText is what is shown of a table, a line for each object, with its users.
func shownText(table *Table, idle string) string {
	users := make(map[int]int)
	var lines []string
	for place, s := range table.Show(idle, func(_ User, place int) { users[place]++ }) {
		kind := map[bool]string{true: "meter", false: "group"}[s.Meter]
		line := fmt.Sprintf("%s %d of %d: %s", kind, s.Number, users[place], s.State)
		if s.Reason != "" {
			line += ": " + s.Reason
		}
		if s.Held != "" {
			line += "; has " + s.Held
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestShow takes objects through what can happen to them, and looks at them after each step.
func TestShow(t *testing.T) {
	const retry = "1970-01-01T00:00:01Z"
	start := time.Unix(0, 0)
	nobody := func(uint32) bool { return false }
	refuse := func(table *Table, code openflow.ErrorCode) {
		for _, o := range table.Next(100, nobody, start) {
			table.Done(o, &openflow.ErrorMsg{Code: code}, start)
		}
	}
	seven := []object.Object{meterOf(t, 7)}
	inner, err := object.NewGroup(openflow.GroupTypeAll, object.Bucket{Actions: []openflow.Action{openflow.Output(1)}})
	if err != nil {
		t.Fatal(err)
	}
	outer, err := object.NewGroup(openflow.GroupTypeIndirect, object.Bucket{Group: inner})
	if err != nil {
		t.Fatal(err)
	}
	chain := []object.Object{inner, outer}
	type step struct {
		do   func(*Table)
		want string
	}
	for name, steps := range map[string][]step{
		"a meter comes and goes": {
			{func(table *Table) { table.Want(1, seven); table.Want(2, seven) }, "meter 0 of 2: wanted"},
			{func(table *Table) { table.Next(100, nobody, start) }, "meter 1048576 of 2: sending"},
			{func(table *Table) { table.Done(table.all()[0].flight, nil, start) }, "meter 1048576 of 2: confirmed"},
			{func(table *Table) { table.Release(2); table.Unwant(1) },
				"meter 1048576 of 0: unwanted: entries of the switch may use it"},
			{func(table *Table) { table.Release(1) }, "meter 1048576 of 0: deleting"},
			{func(table *Table) { refuse(table, openflow.MeterModFailedUnknown) },
				"meter 1048576 of 0: unwanted: the switch refused that once: tried again at " + retry},
			{func(table *Table) { table.Next(100, nobody, start.Add(time.Second)) }, "meter 1048576 of 0: deleting"},
			{func(table *Table) { table.Done(table.all()[0].flight, nil, start) }, ""},
		},
		"a group that uses another": {
			{func(table *Table) { table.Want(1, chain) },
				"group 0 of 1: wanted\ngroup 0 of 1: waiting: group without a number, which it uses, is not confirmed"},
			{func(table *Table) { table.Next(100, nobody, start) },
				"group 1048576 of 1: sending\ngroup 0 of 1: waiting: group 1048576, which it uses, is not confirmed"},
			{func(table *Table) { table.Done(table.byNumber[groups][1<<20].flight, nil, start); sent(t, table, 0) },
				"group 1048576 of 1: confirmed\ngroup 1048577 of 1: confirmed"},
			{func(table *Table) { table.Release(1) },
				"group 1048576 of 0: unwanted: group 1048577 uses it\ngroup 1048577 of 0: deleting"},
		},
		"refused": {
			{func(table *Table) { table.Want(1, seven); refuse(table, openflow.MeterModFailedBadRate) },
				"meter 1048576 of 1: refused: OFPET_METER_MOD_FAILED OFPMMFC_BAD_RATE"},
		},
		"the number is taken": {
			{func(table *Table) { table.Want(1, seven); refuse(table, openflow.MeterModFailedMeterExists) },
				"meter 1048576 of 1: wanted; has meter of unknown content"},
		},
		"somebody changes a meter, and again": {
			{func(table *Table) {
				table.Want(1, seven)
				sent(t, table, 0)
				other := []openflow.MeterConfig{config(1<<20, 99)}
				table.Audit(Read(1, table.Numbers(), nil, other), table.Mark(), start)
			}, "meter 1048576 of 1: wanted; has meter pktps {drop,rate=99}"},
			{func(table *Table) {
				sent(t, table, 0)
				table.config.Backoff = func(int) time.Duration { return time.Second }
				table.Audit(Read(1, table.Numbers(), nil, nil), table.Mark(), start)
			}, "meter 1048576 of 1: waiting: the switch lost it 2 times: sent again at " + retry},
		},
		"found at the switch": {
			{func(table *Table) {
				table.Begin(openflow.V13)
				listed := []openflow.GroupDesc{{Group: 1 << 20, Kind: openflow.GroupTypeIndirect}}
				table.Compare(Read(1, nil, listed, []openflow.MeterConfig{config(1<<20, 7), config(9, 7)}))
			}, "meter 9 of 0: unwanted: it was found at the switch, and may come to be wanted\n" +
				"meter 1048576 of 0: unwanted: it was found at the switch, and may come to be wanted\n" +
				"group 1048576 of 0: unwanted: it was found at the switch, and may come to be wanted; has group of others"},
			{func(table *Table) { table.Want(1, seven); table.Prune(true) },
				"meter 9 of 0: unwanted: entries of others may use it\nmeter 1048576 of 1: confirmed\n" +
					"group 1048576 of 0: deleting; has group of others"},
			{func(table *Table) { table.Prune(false); table.Next(100, func(uint32) bool { return true }, start) },
				"meter 9 of 0: unwanted: entries of the switch may use it\nmeter 1048576 of 1: confirmed\n" +
					"group 1048576 of 0: deleting; has group of others"},
		},
		"a fixed meter that changes": {
			{func(table *Table) { table.Fix(1, 7, 0); sent(t, table, 0) }, "meter 1 of 0: confirmed"},
			{func(table *Table) { table.Fix(1, 8, 0) }, "meter 1 of 0: wanted; has meter pktps {drop,rate=7}"},
			{func(table *Table) { sent(t, table, 0) }, "meter 1 of 0: confirmed"},
			{func(table *Table) { table.Fix(1, 0, 0) }, "meter 1 of 0: refused: meter with band {drop,rate=0}: " +
				"want a rate of at least 1; to drop all packets use a rule without actions; has meter pktps {drop,rate=8}"},
		},
	} {
		table := newTable(t, 1, nil, nil)
		for i, s := range steps {
			s.do(table)
			if got := shownText(table, ""); got != s.want {
				t.Errorf("%s, step %d:\n%s\nwant\n%s", name, i, got, s.want)
			}
			if err := table.Check(); err != nil {
				t.Errorf("%s, step %d: %v", name, i, err)
			}
		}
	}
}

// TestShowWhatWaits shows what waits for others than the switch's answer.
func TestShowWhatWaits(t *testing.T) {
	table, _ := waitingForRoom(t)
	want := "meter 1048576 of 0: unwanted: entries of the switch may use it\n" +
		"meter 1048577 of 1: waiting: the switch has no room before another meter is deleted"
	if got := shownText(table, ""); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	table.Forget()
	if got, want := shownText(table, "so"), "meter 1048577 of 1: waiting: so"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	table.Begin(openflow.V13)
	table.Compare(Read(1, nil, nil, nil))
	sent(t, table, 0)
	want = "meter 1048577 of 1: waiting: the switch has not said yet which groups and meters it takes"
	if got := shownText(table, ""); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestShownMessage has the numbers of the groups that a group uses.
func TestShownMessage(t *testing.T) {
	table := newTable(t, 1, nil, nil)
	inner, err := object.NewGroup(openflow.GroupTypeAll, object.Bucket{Actions: []openflow.Action{openflow.Output(1)}})
	if err != nil {
		t.Fatal(err)
	}
	outer, err := object.NewGroup(openflow.GroupTypeFastFailover, object.Bucket{WatchGroup: inner, Group: inner})
	if err != nil {
		t.Fatal(err)
	}
	table.Want(1, []object.Object{inner, outer})
	sent(t, table, 0)
	sent(t, table, 0)
	var got []string
	for _, s := range table.Show("", func(User, int) {}) {
		got = append(got, openflow.Text(openflow.Header{Version: openflow.V13}, s.Message()))
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{"group=1048576 buckets=[{actions=[output:1]}]",
		"type=ff group=1048577 buckets=[{watch_group=1048576,actions=[group:1048576]}]"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nwant %s", text, want)
		}
	}
}
