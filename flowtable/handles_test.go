package flowtable

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// mirror is the tables of a switch by what EntryOutput tells.
type mirror struct {
	recorder
	t       *testing.T
	entries map[uint32]string // by handle
	used    map[uint32]bool   // handles that were given once
}

func textOf(table uint8, priority uint16, flags openflow.FlowFlags, idle, hard uint16, cookie uint64, m openflow.Match,
	do []openflow.Instruction) string {
	return fmt.Sprint(table, priority, flags, idle, hard, cookie, m.String(), do)
}

func (m *mirror) text(e *Entry) string {
	return textOf(e.Table, e.Priority, e.Flags, e.Idle, e.Hard, e.Cookie, e.Match, e.Instructions)
}

func (m *mirror) EntryAdded(e *Entry, replaced uint32) {
	if _, had := m.entries[replaced]; replaced != 0 && !had || m.used[e.Handle] {
		m.t.Errorf("handle %d, in place of %d, which are %v", e.Handle, replaced, m.entries)
	}
	delete(m.entries, replaced)
	m.entries[e.Handle], m.used[e.Handle] = m.text(e), true
}

func (m *mirror) EntryChanged(e *Entry) {
	if _, had := m.entries[e.Handle]; !had {
		m.t.Errorf("handle %d changes and is not there", e.Handle)
	}
	m.entries[e.Handle] = m.text(e)
}

func (m *mirror) EntryRemoved(handle uint32, _ openflow.FlowRemovedReason) {
	if _, had := m.entries[handle]; !had {
		m.t.Errorf("handle %d goes and is not there", handle)
	}
	delete(m.entries, handle)
}

// TestEntriesAreTold: whatever a controller does, what EntryOutput tells is what the tables have.
func TestEntriesAreTold(t *testing.T) {
	matches := []string{"", "in_port=1", "in_port=2", "eth_type=0x0800"}
	instructions := []string{"", "apply:[output:2]", "apply:[output:3];goto_table:2", "write:[group:1]",
		"meter:1;apply:[output:2]"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := &mirror{t: t, entries: make(map[uint32]string), used: make(map[uint32]bool)}
		b := newBed(t, Config{Tables: 3, MaxEntries: 6, Evict: r.IntN(2) == 0, Handles: true})
		for step := range 60 {
			mod := flow(t, uint16(r.IntN(2)), matches[r.IntN(len(matches))], instructions[r.IntN(len(instructions))])
			mod.Table, mod.Cookie, mod.Flags = uint8(r.IntN(2)), r.Uint64N(3), openflow.FlowFlags(r.IntN(2))
			mod.Command = openflow.FlowModCommand(r.IntN(5))
			mod.IdleTimeout, mod.HardTimeout = uint16(r.IntN(2)), uint16(r.IntN(3))
			v := openflow.V13
			switch r.IntN(10) {
			case 0:
				v, mod.Table = openflow.V10, 0
				mod.Instructions = instructionsOf(t, "apply:[output:2]")
			case 1:
				mod.Command, mod.Table = openflow.FlowDelete, openflow.TableAll
			}
			switch r.IntN(12) {
			case 0:
				_ = b.GroupMod(v, &openflow.GroupMod{Command: openflow.GroupModCommand(r.IntN(3)), Group: 1}, b.now, m)
			case 1:
				_ = b.MeterMod(v, &openflow.MeterMod{Command: openflow.MeterModCommand(r.IntN(3)), Meter: 1,
					Flags: openflow.MeterFlagKbps, Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 1}}}, b.now, m)
			case 2:
				b.now += time.Second
				b.Expire(b.now, m)
			case 3:
				for _, h := range slices.Sorted(maps.Keys(m.entries)) {
					if !b.AddCounts(h, 7, 700) || r.IntN(2) == 0 && !b.End(h, openflow.RemovedIdle, b.now, m) {
						t.Fatalf("seed %d, step %d: handle %d is not there", seed, step, h)
					}
				}
			default:
				_ = b.FlowMod(v, mod, b.now, m)
			}
			list, err := b.Multipart(openflow.V13, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll,
				OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}, b.now)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, e := range list.(*openflow.FlowStatsList).Flows {
				want = append(want, textOf(e.Table, e.Priority, e.Flags, e.IdleTimeout, e.HardTimeout, e.Cookie, e.Match,
					e.Instructions))
			}
			slices.Sort(want)
			if got := slices.Sorted(maps.Values(m.entries)); !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d: told of\n%q, there are\n%q", seed, step, got, want)
			}
		}
	}
}

// TestEndOfAnEntryElsewhere: the flow-removed has the counters, and a handle that is gone does nothing.
func TestEndOfAnEntryElsewhere(t *testing.T) {
	m := &mirror{t: t, entries: make(map[uint32]string), used: make(map[uint32]bool)}
	b := newBed(t, Config{Handles: true})
	mod := flow(t, 5, "in_port=1", "apply:[output:2]")
	mod.Flags, mod.IdleTimeout, mod.Cookie = openflow.FlagSendFlowRemoved, 9, 77
	if err := b.FlowMod(openflow.V13, mod, 0, m); err != nil {
		t.Fatal(err)
	}
	if !b.AddCounts(1, 3, 180) || !b.End(1, openflow.RemovedIdle, 4*time.Second, m) {
		t.Fatal("handle 1 is not there")
	}
	want := "flow_removed reason=idle_timeout table=0 priority=5 cookie=0x000000000000004d duration_sec=4 duration_nsec=0 " +
		"idle_timeout=9 packets=3 bytes=180 match={in_port=1}"
	if got := m.take(); got != want {
		t.Errorf("told %s\nwant %s", got, want)
	}
	if b.AddCounts(1, 1, 1) || b.End(1, openflow.RemovedIdle, 5*time.Second, m) || m.take() != "" {
		t.Error("an entry that is gone ends again")
	}
}
