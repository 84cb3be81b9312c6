package loadswitch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/openflow"
)

// pathMod is a flow-mod of which most are about entries of paths: of few addresses and ports, so
// that many meet.
func pathMod(r *rand.Rand) *openflow.FlowMod {
	m := &openflow.FlowMod{Command: openflow.FlowAdd, Table: uint8(r.IntN(2)), Priority: uint16(100 + r.IntN(2)),
		Cookie: uint64(r.IntN(3)),
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Flags: openflow.FlowFlags(r.IntN(2))}
	m.Match.SetUint(openflow.FieldInPort, uint64(1+r.IntN(2)))
	m.Match.SetUint(openflow.FieldIPv4Src, uint64(0x0a000000+r.IntN(4)))
	m.Match.SetUint(openflow.FieldIPv4Dst, uint64(0x0b000000+r.IntN(4)))
	m.Match = m.Match.Canonical()
	out := []openflow.Action{openflow.Output(uint32(1 + r.IntN(3)))}
	switch n := r.IntN(40); {
	case n < 14:
		m.Command, m.CookieMask = openflow.FlowDeleteStrict, uint64(r.IntN(2)*3)
		return m
	case n == 14:
		m.Command, m.OutPort = openflow.FlowDeleteStrict, 2
		return m
	case n == 15:
		m.Command, m.OutPort, m.Match = openflow.FlowDelete, 3, openflow.Match{}
		m.Match.SetUint(openflow.FieldIPv4Dst, uint64(0x0b000000+r.IntN(4)))
		m.Match = m.Match.Canonical()
		return m
	case n == 16:
		m.Command = openflow.FlowModifyStrict
	case n == 17:
		m.Command, m.Table = openflow.FlowDeleteStrict, openflow.TableAll
		return m
	case n == 18:
		out = append(out, openflow.Output(4))
	case n == 19:
		m.HardTimeout = 60
	case n == 20:
		m.Match = openflow.Match{}
	}
	m.Instructions = []openflow.Instruction{openflow.Apply(out...)}
	return m
}

func listed(t *flowTable) (out []string) {
	all := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	t.list(&all, 0, 300, func(l []openflow.FlowStats) {
		for _, e := range l {
			out = append(out, fmt.Sprint(e.Table, e.Priority, e.Flags, e.Cookie, e.HardTimeout, e.Match, e.Instructions))
		}
	})
	slices.Sort(out)
	return out
}

// TestPathEntriesAreEntries sends a switch random flow-mods about entries of paths, and others, and
// wants it to have done with them what a table does that knows no entries of paths.
func TestPathEntriesAreEntries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "single:1", Config{Version: openflow.V13, Hosts: 1})
		defer l.close(t)
		r := rand.New(rand.NewPCG(1, 2))
		var twin flowTable
		removed, kept := 0, 0
		for i := range 20_000 {
			m := pathMod(r)
			if _, err := l.c.sessions[1].Send(m); err != nil {
				t.Fatal(err)
			}
			for _, e := range twin.apply(m, openflow.V13, time.Second) {
				if e.Flags&openflow.FlagSendFlowRemoved != 0 {
					removed++
				}
			}
			if i%50 != 0 {
				continue
			}
			l.settle()
			sw := l.Switches[0]
			if got, want := listed(&sw.table), listed(&twin); !slices.Equal(got, want) {
				t.Fatalf("after %d flow-mods: %q\nwant %q", i+1, got, want)
			}
			if sw.Entries() != len(twin.entries) || len(l.c.heard) != removed {
				t.Fatalf("after %d flow-mods: %d entries and %d flow-removed, want %d and %d", i+1, sw.Entries(),
					len(l.c.heard), len(twin.entries), removed)
			}
			kept += sw.table.paths.n
			answered := l.ask(t, 1, &openflow.FlowRequest{FlowFilter: allFlows}).(*openflow.FlowStatsList).Flows
			if len(answered) != len(twin.entries) {
				t.Fatalf("%d entries answered, want %d", len(answered), len(twin.entries))
			}
		}
		l.settle()
		if n := l.Tally(); n.FlowMods != 20_000 || n.Put == 0 || n.Removed == 0 || kept == 0 {
			t.Errorf("%+v", n)
		}
	})
}

// TestFollow sends the entries of a path over three switches, and follows a packet.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "linear:3", Config{Version: openflow.V13, Hosts: 1})
		defer l.close(t)
		const src, dst = 0x0a000001, 0x0b000001
		sw := l.Switches
		hops := [][3]uint32{{1, 2, 1}, {2, 1, 2}, {3, 1, 2}} // of the datapath, in, out
		for _, h := range hops {
			m := pathMod(rand.New(rand.NewPCG(1, 1)))
			m.Command, m.Table, m.Match = openflow.FlowAdd, 1, openflow.Match{}
			m.Match.SetUint(openflow.FieldInPort, uint64(h[1]))
			m.Match.SetUint(openflow.FieldIPv4Src, src)
			m.Match.SetUint(openflow.FieldIPv4Dst, dst)
			m.Match = m.Match.Canonical()
			m.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(h[2]))}
			if got := len(l.Follow(nil, sw[0], 2, src, dst)); got != int(h[0])-1 {
				t.Errorf("%d steps before the entry of switch %d", got, h[0])
			}
			time.Sleep(time.Millisecond)
			_, _ = l.c.sessions[uint64(h[0])].Send(m)
			l.settle()
		}
		steps := l.Follow(nil, sw[0], 2, src, dst)
		if len(steps) != 3 || steps[2].Switch != sw[2] || steps[2].Out != 2 || steps[2].At <= steps[1].At ||
			steps[1].At <= steps[0].At {
			t.Errorf("steps %+v", steps)
		}
		if _, err := l.Carrier(1, false); err != nil {
			t.Fatal(err)
		}
		if got := l.Follow(nil, sw[0], 2, src, dst); len(got) != 2 {
			t.Errorf("%d steps over a link without a carrier", len(got))
		}
		if got := l.Follow(nil, sw[0], 2, src, dst+1); len(got) != 0 {
			t.Errorf("another packet is taken: %+v", got)
		}
	})
}

// TestCarrier takes a link away, and gives it back.
func TestCarrier(t *testing.T) {
	both(t, func(t *testing.T, v openflow.Version) {
		l := newLab(t, "linear:2", Config{Version: v, Hosts: 1})
		defer l.close(t)
		for _, up := range []bool{false, true} {
			if _, err := l.Carrier(0, up); err != nil {
				t.Fatal(err)
			}
		}
		l.settle()
		down := 0
		for _, said := range l.c.heard {
			if strings.Contains(said, "state=link_down") {
				down++
			}
		}
		if len(l.c.heard) != 4 || down != 2 {
			t.Errorf("%d port statuses, %d of them down; want 4 and 2: %q", len(l.c.heard), down, l.c.heard)
		}
	})
}

// BenchmarkPaths adds and deletes entries of paths.
func BenchmarkPaths(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var t pathTable
	list := make([]pathEntry, 30_000)
	for i := range list {
		list[i] = pathEntry{at: 1, src: 0x0a000000 + uint32(i), dst: 0x0b000000 + uint32(r.IntN(1<<24)), in: uint16(r.IntN(8))}
	}
	for i := 0; b.Loop(); i++ {
		p := &list[i%len(list)]
		if at := t.find(p); at >= 0 {
			t.remove(at)
		}
		t.put(p)
	}
}
