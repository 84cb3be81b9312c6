package ruleset

import (
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// TestOfKey makes behaviours again of the keys of some that use groups and meters, and names what they use.
func TestOfKey(t *testing.T) {
	spare, slow := backup(t, 2, 3), limit(t, 100)
	both := copies(t, spare, backup(t, 4, 5))
	use := func(instructions []openflow.Instruction, objects ...object.Object) *Behaviour {
		return made[*Behaviour](t)(Use(1, instructions, objects...))
	}
	byDigest := map[object.Digest]object.Object{*spare.Digest(): spare, *slow.Digest(): slow, *both.Digest(): both}
	of := func(d *object.Digest) object.Object { return byDigest[*d] }
	for _, b := range []*Behaviour{
		use([]openflow.Instruction{openflow.UseMeter(0), openflow.Apply(openflow.Group(1))}, slow, spare),
		use([]openflow.Instruction{openflow.Apply(openflow.Group(0), openflow.Output(9), openflow.Group(0))}, both),
		Outputs(1, 2, 3),
	} {
		again := OfKey(1, b.Key(), of)
		if again.Key() != b.Key() || len(again.Objects()) != len(b.Objects()) || len(again.Out()) != len(b.Out()) {
			t.Errorf("%v became %v", b, again)
		}
	}
	mixed := string(AppendKey(nil, []openflow.Instruction{openflow.UseMeter(7), openflow.Apply(openflow.Group(8))}))
	meter, group := Reference{Meter: true, Number: 7}, Reference{Number: 8}
	if list := References(mixed); len(list) != 2 || list[0] != meter || list[1] != group {
		t.Errorf("%+v", list)
	}
	content := use([]openflow.Instruction{openflow.UseMeter(0), openflow.Apply(openflow.Group(1))}, slow, spare).Key()
	if list := References(content); len(list) != 2 || *list[0].Content != *slow.Digest() || *list[1].Content != *spare.Digest() {
		t.Errorf("%+v", list)
	}
	unknown := OfKey(1, content, func(*object.Digest) object.Object { return nil })
	if len(unknown.Instructions()) != 0 || len(References(content[:7])) != 0 {
		t.Errorf("of what is not known: %v", unknown)
	}
}
