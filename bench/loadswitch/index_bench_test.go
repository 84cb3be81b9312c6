package loadswitch

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/hashtab"
	"github.com/weirnet/weir/openflow"
)

// index is what may hold the entries of paths of a switch.
type index interface {
	put(p *pathEntry)
	remove(p *pathEntry) bool
	// out is the port that the entry of the greatest priority in table 1 sends to.
	out(in uint16, src, dst uint32) (port uint16, ok bool)
}

// ownIndex is the switches' own.
type ownIndex struct{ t pathTable }

func (x *ownIndex) put(p *pathEntry) { x.t.put(p) }

func (x *ownIndex) remove(p *pathEntry) bool {
	i := x.t.find(p)
	if i >= 0 {
		x.t.remove(i)
	}
	return i >= 0
}

func (x *ownIndex) out(in uint16, src, dst uint32) (uint16, bool) {
	p := x.t.lookup(1, in, src, dst)
	if p == nil {
		return 0, false
	}
	return p.out, true
}

// hashIndex is one of package hashtab, with the place of an entry as its key.
type hashIndex struct {
	t hashtab.Table[pathPlaceKey, pathRest]
}

type pathPlaceKey struct {
	src, dst     uint32
	in, priority uint16
	table        uint8
}

type pathRest struct {
	cookie uint64
	at     int64
	out    uint16
	flags  uint8
}

func hashOf(src, dst uint32, in uint16) uint64 {
	h := (uint64(src)<<32 | uint64(dst)) * 0x9e3779b97f4a7c15
	return (h ^ h>>29 ^ uint64(in)) * 0xbf58476d1ce4e5b9
}

func keyOf(p *pathEntry) (uint64, pathPlaceKey) {
	return hashOf(p.src, p.dst, p.in), pathPlaceKey{p.src, p.dst, p.in, p.priority, p.table}
}

func (x *hashIndex) put(p *pathEntry) {
	h, k := keyOf(p)
	x.t.Put(h, k, pathRest{p.cookie, p.at, p.out, p.flags})
}

func (x *hashIndex) remove(p *pathEntry) bool {
	h, k := keyOf(p)
	return x.t.Remove(h, k)
}

func (x *hashIndex) out(in uint16, src, dst uint32) (port uint16, ok bool) {
	h, best := hashOf(src, dst, in), pathPlaceKey{}
	x.t.Find(h, func(k pathPlaceKey) bool {
		if k.src == src && k.dst == dst && k.in == in && k.table == 1 && (!ok || k.priority > best.priority) {
			best, ok = k, true
		}
		return true
	})
	if !ok {
		return 0, false
	}
	rest, _ := x.t.Get(h, best)
	return rest.out, true
}

// flowIndex is a whole switch of package flowtable.
type flowIndex struct {
	sw  *flowtable.Switch
	mod openflow.FlowMod
	act [1]openflow.Action
	ins [1]openflow.Instruction
	n   int // flow-removed
}

func newFlowIndex() *flowIndex {
	x := &flowIndex{sw: flowtable.New(flowtable.Config{Tables: Tables})}
	for n := uint32(1); n <= 8; n++ {
		x.sw.AddPort(openflow.Port{Number: n}, 0, x)
	}
	return x
}

func (x *flowIndex) apply(command openflow.FlowModCommand, p *pathEntry) {
	x.act[0] = openflow.Output(uint32(p.out))
	x.ins[0] = openflow.Instruction{Type: openflow.InstructionApplyActions, Actions: x.act[:]}
	x.mod = openflow.FlowMod{Command: command, Table: p.table, Priority: p.priority, Cookie: p.cookie, Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Flags: openflow.FlagSendFlowRemoved,
		Match: openflow.Match{OXM: p.appendOXM(x.mod.Match.OXM[:0])}}
	if command == openflow.FlowAdd {
		x.mod.Instructions = x.ins[:]
	}
	if err := x.sw.FlowMod(openflow.V13, &x.mod, 0, x); err != nil {
		panic(err)
	}
}

func (x *flowIndex) put(p *pathEntry) { x.apply(openflow.FlowAdd, p) }

func (x *flowIndex) remove(p *pathEntry) bool {
	before := x.n
	x.apply(openflow.FlowDeleteStrict, p)
	return x.n > before
}

func (x *flowIndex) out(uint16, uint32, uint32) (uint16, bool) { return 0, false } // it takes frames only

func (*flowIndex) Transmit(uint32, uint32, []byte)               {}
func (*flowIndex) PacketIn(*flowtable.PacketIn)                  {}
func (x *flowIndex) FlowRemoved(*openflow.FlowRemoved)           { x.n++ }
func (*flowIndex) PortStatus(openflow.PortReason, openflow.Port) {}

// pathsOf draws entries of paths.
func pathsOf(r *rand.Rand, n int) []pathEntry {
	list := make([]pathEntry, n)
	for i := range list {
		list[i] = pathEntry{at: 1, table: 1, priority: 20100, src: 10<<24 | uint32(i), dst: 11<<24 | uint32(r.IntN(1<<24)),
			in: uint16(1 + r.IntN(8)), out: uint16(1 + r.IntN(8)), cookie: uint64(i)}
	}
	return list
}

var indexes = map[string]func() index{
	"own":       func() index { return &ownIndex{} },
	"hashtab":   func() index { return &hashIndex{} },
	"flowtable": func() index { return newFlowIndex() },
}

// TestIndexesAgree: what is measured below does the same.
func TestIndexesAgree(t *testing.T) {
	list := pathsOf(rand.New(rand.NewPCG(1, 2)), 1000)
	for name, empty := range indexes {
		x := empty()
		for i := range list {
			x.put(&list[i])
		}
		for i := range list {
			p := &list[i]
			if port, ok := x.out(p.in, p.src, p.dst); name != "flowtable" && (!ok || port != p.out) {
				t.Fatalf("%s: entry %d leads to %d, %v, want %d", name, i, port, ok, p.out)
			}
			if !x.remove(p) || x.remove(p) {
				t.Fatalf("%s: entry %d is not removed, once", name, i)
			}
		}
	}
}

// BenchmarkIndex removes and adds entries of a switch that holds 30,000 (write), finds them (find),
// and says what one takes of memory.
func BenchmarkIndex(b *testing.B) {
	list := pathsOf(rand.New(rand.NewPCG(1, 2)), 30_000)
	for _, name := range []string{"own", "hashtab", "flowtable"} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		x := indexes[name]()
		for i := range list {
			x.put(&list[i])
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		bytes := float64(after.HeapAlloc-before.HeapAlloc) / float64(len(list))
		b.Run(name+"/write", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				p := &list[i%len(list)]
				x.remove(p)
				x.put(p)
			}
			b.ReportMetric(bytes, "B/entry")
		})
		if name == "flowtable" {
			continue
		}
		b.Run(name+"/find", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				p := &list[i%len(list)]
				if _, ok := x.out(p.in, p.src, p.dst); !ok {
					b.Fatal("an entry is not found")
				}
			}
		})
	}
}

// TestTableMeansWhatFlowtableMeans sends random flow-mods to the switches' own table and to package
// flowtable, which knows what OpenFlow means, and wants equal entries, and as many removed.
func TestTableMeansWhatFlowtableMeans(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var own flowTable
	x, removed := newFlowIndex(), 0
	for i := range 20_000 {
		m := pathMod(r)
		for _, e := range own.apply(m, openflow.V13, time.Second) {
			if e.Flags&openflow.FlagSendFlowRemoved != 0 {
				removed++
			}
		}
		if err := x.sw.FlowMod(openflow.V13, m, time.Second, x); err != nil {
			t.Fatalf("flow-mod %d: %v", i, err)
		}
		if own.size() != x.sw.Entries() || removed != x.n {
			t.Fatalf("after %d flow-mods: %d entries and %d removed, want %d and %d", i+1, own.size(), removed,
				x.sw.Entries(), x.n)
		}
		if i%100 != 0 {
			continue
		}
		body, err := x.sw.Multipart(openflow.V13, &openflow.FlowRequest{FlowFilter: allFlows}, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		want := map[place]openflow.FlowStats{}
		for _, e := range body.(*openflow.FlowStatsList).Flows {
			want[place{e.Table, e.Priority, e.Match.Key()}] = e
		}
		own.list(&allFlows, time.Second, 1<<20, func(list []openflow.FlowStats) {
			for _, e := range list {
				w, ok := want[place{e.Table, e.Priority, e.Match.Key()}]
				if !ok || e.Cookie != w.Cookie || e.Flags != w.Flags || e.HardTimeout != w.HardTimeout ||
					outputs(e.Instructions) != outputs(w.Instructions) {
					t.Fatalf("after %d flow-mods: %+v, want %+v", i+1, e, w)
				}
			}
		})
	}
}

// outputs are the ports of instructions, in their order, as digits.
func outputs(ins []openflow.Instruction) (s string) {
	for i := range ins {
		for _, a := range ins[i].Actions {
			s += string(rune('0' + a.Port))
		}
	}
	return s
}
