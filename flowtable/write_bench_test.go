package flowtable

import (
	"encoding/binary"
	"runtime"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// pathMod makes m the message that adds, or removes strictly, a path's rule as a controller writes
// it: ports, addresses, one output, told when it goes.
func pathMod(m *openflow.FlowMod, i int, command openflow.FlowModCommand) {
	b := m.Match.OXM[:0]
	b = append(b, 0x80, 0, 0, 4, 0, 0, 0, byte(1+i%4), 0x80, 0, 10, 2, 8, 0, 0x80, 0, 22, 4, 0, 0, 0, 0, 0x80, 0,
		24, 4, 0, 0, 0, 0)
	binary.BigEndian.PutUint32(b[18:], uint32(i)|10<<24)
	binary.BigEndian.PutUint32(b[26:], uint32(i)*7|11<<24)
	*m = openflow.FlowMod{
		Command: command, Priority: 20100, Cookie: uint64(i) << 16, Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Flags: openflow.FlagSendFlowRemoved, Match: openflow.Match{OXM: b}, Instructions: m.Instructions[:0],
	}
	if command == openflow.FlowAdd {
		m.Instructions = append(m.Instructions, openflow.Instruction{
			Type: openflow.InstructionApplyActions, Actions: []openflow.Action{openflow.Output(uint32(2 + i%7))},
		})
	}
}

// held is a switch with n rules of paths.
func held(tb testing.TB, n int) (*Switch, *sink) {
	s, out := New(Config{}), &sink{}
	for no := uint32(1); no <= 8; no++ {
		s.AddPort(openflow.Port{Number: no}, 0, out)
	}
	var m openflow.FlowMod
	for i := range n {
		pathMod(&m, i, openflow.FlowAdd)
		if err := s.FlowMod(openflow.V13, &m, 0, out); err != nil {
			tb.Fatal(err)
		}
	}
	return s, out
}

// BenchmarkAdd adds 1,000 rules of paths to a table of 30,000, and removes them again, which is not
// counted.
func BenchmarkAdd(b *testing.B) { benchmarkWrite(b, true) }

// BenchmarkDeleteStrict removes 1,000 rules of 31,000, one by one, and adds them again, which is
// not counted.
func BenchmarkDeleteStrict(b *testing.B) { benchmarkWrite(b, false) }

func benchmarkWrite(b *testing.B, add bool) {
	const rules, more = 30_000, 1000
	s, out := held(b, rules)
	mods := make([]openflow.FlowMod, 2*more)
	for i := range more {
		pathMod(&mods[i], rules+i, openflow.FlowAdd)
		pathMod(&mods[more+i], rules+i, openflow.FlowDeleteStrict)
	}
	do := func(list []openflow.FlowMod) {
		for i := range list {
			if err := s.FlowMod(openflow.V13, &list[i], 0, out); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportAllocs()
	var spent time.Duration
	for b.Loop() {
		start := cpu()
		do(mods[:more])
		middle := cpu()
		do(mods[more:])
		if end := cpu(); add {
			spent += middle - start
		} else {
			spent += end - middle
		}
	}
	b.ReportMetric(float64(spent)/float64(b.N)/more, "cpu-ns/rule")
}

// BenchmarkRuleMemory is what a rule of a path takes, of 30,000.
func BenchmarkRuleMemory(b *testing.B) {
	for b.Loop() {
		const rules = 30_000
		before := heapNow()
		s, _ := held(b, rules)
		b.ReportMetric(float64(heapNow()-before)/rules, "B/rule")
		runtime.KeepAlive(s)
	}
}

func heapNow() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
