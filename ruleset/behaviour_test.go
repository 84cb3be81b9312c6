package ruleset

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

// TestBehaviours: what switches do is the same if and only if keys are, however a switch lists it.
func TestBehaviours(t *testing.T) {
	out := func(port uint32) openflow.Action { return openflow.Output(port) }
	vlan := openflow.SetField(openflow.FieldVLANVID, 0x1005)
	push := openflow.Action{Type: openflow.ActionPushVLAN, EtherType: 0x8100}
	longer := out(7)
	longer.MaxLen = 100
	toUs, cut := openflow.OutputController(openflow.ControllerNoCut), openflow.OutputController(128)
	metadata := openflow.Instruction{Type: openflow.InstructionWriteMetadata, Metadata: 1, MetadataMask: 3}
	clear := openflow.Instruction{Type: openflow.InstructionClearActions}
	write := openflow.Instruction{Type: openflow.InstructionWriteActions, Actions: []openflow.Action{out(7)}}
	experiment := openflow.Instruction{Type: openflow.InstructionExperimenter, Experimenter: 5, Data: []byte{1}}
	meter, next := openflow.UseMeter(4), openflow.GotoTable(2)
	group, queue := openflow.Group(9), openflow.Action{Type: openflow.ActionSetQueue, ID: 9}
	ttl := openflow.Action{Type: openflow.ActionSetNwTTL, TTL: 9}
	enqueue := openflow.Action{Type: openflow.ActionEnqueue, Port: 7, ID: 9}
	act := func(list ...openflow.Action) openflow.Instruction { return openflow.Apply(list...) }
	list := func(list ...openflow.Instruction) []openflow.Instruction { return list }
	classes := [][][]openflow.Instruction{ // each does the same as the others of its list
		{nil, list(act()), list(openflow.Instruction{Type: openflow.InstructionWriteActions})},
		{list(act(out(7))), list(act(longer)), list(act(), act(out(7)))},
		{list(act(out(7), out(8)))}, {list(act(out(8), out(7)))},
		{list(act(toUs))}, {list(act(cut))},
		{list(act(push, vlan, out(7)))}, {list(act(push, out(7), vlan))}, {list(act(vlan, out(7)))},
		{list(meter, act(out(7)), next), list(next, act(out(7)), meter)},
		{list(openflow.UseMeter(5), act(out(7)), next)}, {list(meter, act(out(7)), openflow.GotoTable(3))},
		{list(metadata, next), list(next, metadata)}, {list(next)},
		{list(write)}, {list(clear, write), list(write, clear)}, {list(experiment)},
		{list(act(group))}, {list(act(queue))}, {list(act(ttl))}, {list(act(enqueue))},
	}
	keys := make(map[string]int)
	for i, class := range classes {
		for _, instructions := range class {
			b := Do(AnyPort, instructions)
			if of, had := keys[b.Key()]; had && of != i {
				t.Errorf("%v has the key of %v", instructions, classes[of][0])
			}
			keys[b.Key()] = i
			if read := Do(AnyPort, ParseKey(b.Key())); !read.Equal(b) || fmt.Sprint(read.Out()) != fmt.Sprint(b.Out()) {
				t.Errorf("%v read from its key is %v", instructions, read.Instructions())
			}
			for n := range len(b.Key()) { // a part of one is none, or another's
				if list := ParseKey(b.Key()[:n]); string(AppendKey(nil, list)) != b.Key()[:n] && list != nil {
					t.Errorf("%d bytes of the key of %v are read as %v", n, instructions, list)
				}
			}
			if first := Do(AnyPort, class[0]); !b.Equal(first) {
				t.Errorf("%v and %v differ", instructions, class[0])
			}
		}
	}
	if len(keys) != len(classes) {
		t.Errorf("%d keys of %d", len(keys), len(classes))
	}
}

// TestOutputs: the ports of a behaviour, however it was made, and what is written for them.
func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		in    uint32
		ports []uint32
		want  string
	}{
		{1, nil, "[]"}, {1, []uint32{2}, "[apply:[output:2]]"}, {1, []uint32{1, 2}, "[apply:[output:in_port,output:2]]"},
		{AnyPort, []uint32{1, 2}, "[apply:[output:1,output:2]]"},
	} {
		b := Outputs(c.in, c.ports...)
		if got := fmt.Sprint(b.Instructions()); got != c.want {
			t.Errorf("in %d, out %d: %s, want %s", c.in, c.ports, got, c.want)
		}
		again := Do(c.in, b.Instructions())
		if !slices.Equal(b.Out(), c.ports) || !slices.Equal(again.Out(), c.ports) || !again.Equal(b) {
			t.Errorf("in %d, out %d: %d, made again %d", c.in, c.ports, b.Out(), again.Out())
		}
	}
	b := Do(AnyPort, []openflow.Instruction{openflow.Apply(openflow.Output(9), openflow.OutputController(0), openflow.Output(3),
		openflow.Output(9))})
	if !slices.Equal(b.Out(), []uint32{3, 9}) {
		t.Errorf("ports %d, want 3 and 9", b.Out())
	}
}

// TestKeyBudget: listings are compared by keys, entry by entry.
func TestKeyBudget(t *testing.T) {
	need.NoRace(t)
	tag := openflow.SetField(openflow.FieldVLANVID, 5)
	list := []openflow.Instruction{openflow.GotoTable(2), openflow.Apply(tag, openflow.Output(1)), openflow.UseMeter(4)}
	room, b := make([]byte, 0, 256), Do(1, list)
	if n := testing.AllocsPerRun(100, func() {
		if room = AppendKey(room[:0], list); string(room) != b.Key() {
			t.Error("another key")
		}
	}); n != 0 {
		t.Errorf("%g allocations a key", n)
	}
}

// TestMatchesWithoutPort: what AppendMatch makes of any port in, CutInPort undoes.
func TestMatchesWithoutPort(t *testing.T) {
	rest := match(t, "eth_type", "0x0806")
	for _, in := range []uint32{AnyPort, 1, openflow.PortLocal} {
		if got, m := CutInPort(AppendMatch(nil, in, rest)); got != in || string(m) != string(rest) {
			t.Errorf("in %d: %d, %x", in, got, m)
		}
	}
	zero := match(t, "in_port", "0", "eth_type", "0x0806")
	if in, m := CutInPort(zero); in != AnyPort || string(m) != string(zero) {
		t.Errorf("in_port=0: %d, %x", in, m)
	}
}
