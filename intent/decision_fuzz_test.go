package intent

import (
	"bytes"
	"testing"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/topology"
)

// FuzzDecision: whatever the journal has, reading a decision ends, and what is taken is written as
// it was read, but for numbers that could be shorter.
func FuzzDecision(f *testing.F) {
	n := square(f)
	fork := copies("fork", at(1, 10), at(2, 9), at(4, 9))
	fork.Priority = 50
	n.submit(false,
		Request{Op: Create, Spec: flow("line", at(1, 9), at(4, 9), 1)},
		Request{Op: Create, Spec: fork},
		Request{Op: Create, Spec: spec.Spec{ID: "merge", Wide: true, Kind: spec.MultipointToPoint, Priority: 7,
			Src: []spec.End{{Point: at(2, 10)}, {Point: at(3, 10)}}, Dst: []spec.End{{Point: at(4, 10)}}}},
		Request{Op: Create, Spec: spec.Spec{ID: "path", Wide: true, Kind: spec.Path, Priority: 3,
			Hops: []topology.Hop{{DPID: 1, In: 14, Out: 2}, {DPID: 3, In: 1, Out: 2}, {DPID: 4, In: 2, Out: 14}}}},
	)
	n.rest()
	var contents []string
	for number := uint32(1); number <= 4; number++ {
		e := n.engine.core.entries.At(number)
		if e.rules == nil {
			f.Fatalf("intent %d has no program: %v %v", number, e.state, e.code)
		}
		contents = append(contents, e.content)
		f.Add(uint8(number-1), n.engine.core.decisions.append(nil, e.rules))
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		c := NewCore()
		e := c.entries.At(1)
		e.content = contents[int(which)%len(contents)]
		s := spec.Read(e.content)
		e.kind = s.Kind
		if c.decisions.load(1, b) != nil || e.rules == nil {
			return
		}
		again := c.decisions.append(nil, e.rules)
		d := NewCore()
		o := d.entries.At(1)
		o.content, o.kind = e.content, e.kind
		if err := d.decisions.load(1, again); err != nil || o.rules == nil {
			t.Fatalf("%x was taken and written as %x, which is not taken: %v", b, again, err)
		}
		if third := d.decisions.append(nil, o.rules); !bytes.Equal(again, third) {
			t.Fatalf("%x, then %x, then %x", b, again, third)
		}
	})
}
