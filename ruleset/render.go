package ruleset

import (
	"fmt"
	"slices"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// Use returns the behaviour of instructions for packets from port in, or any, whose numbers of groups and meters are
// places in objects: UseMeter(0) is the first of these. The error says which place is not there, or holds another kind.
func Use(in uint32, instructions []openflow.Instruction, objects ...object.Object) (*Behaviour, error) {
	own, used := cloneInstructions(instructions), []object.Object(nil)
	err := eachReference(own, func(meter bool, place *uint32) error {
		if uint64(*place) >= uint64(len(objects)) {
			return fmt.Errorf("ruleset: instructions name object %d of %d: want a place in the list of objects", *place, len(objects))
		}
		if _, is := objects[*place].(*object.Meter); is != meter {
			return fmt.Errorf("ruleset: instructions use object %d, %s, as the other kind: want groups in actions, meters in instructions",
				*place, objects[*place])
		}
		used = append(used, objects[*place])
		return nil
	})
	if err != nil {
		return nil, err
	}
	order := object.InOrder(used...)
	err = eachReference(own, func(_ bool, place *uint32) error {
		*place = uint32(slices.IndexFunc(order, func(o object.Object) bool { return o.Key() == objects[*place].Key() }))
		return nil
	})
	if err != nil {
		return nil, err
	}
	b := Do(in, own)
	b.objects = order
	b.key = string((&names{places: order}).appendKey(nil, own))
	for _, o := range order {
		if g, ok := o.(*object.Group); ok {
			for _, port := range g.Out() {
				b.addOut(in, port)
			}
		}
	}
	slices.Sort(b.out)
	return b, nil
}

// eachReference calls f with each number of a meter or of a group in instructions, which f may change.
func eachReference(instructions []openflow.Instruction, f func(meter bool, number *uint32) error) error {
	for i := range instructions {
		if instructions[i].Type == openflow.InstructionMeter {
			if err := f(true, &instructions[i].Meter); err != nil {
				return err
			}
		}
		for k := range instructions[i].Actions {
			if a := &instructions[i].Actions[k]; a.Type == openflow.ActionGroup {
				if err := f(false, &a.ID); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Objects returns the groups and meters that the behaviour uses, and the groups that these use, in the order in which
// a switch of OpenFlow 1.3 takes them: each after those that it uses. It is not to be changed.
func (b *Behaviour) Objects() []object.Object { return b.objects }

// Render returns the instructions for a switch, where numbers returns the number of an object. OpenFlow 1.0 asks for
// none: a group becomes an action (object.Group.Bundle), and the error says why one, or a meter, cannot be there. Without
// objects it returns Instructions. They are not to be changed.
func (b *Behaviour) Render(v openflow.Version, numbers func(object.Object) uint32) ([]openflow.Instruction, error) {
	if len(b.objects) == 0 {
		return b.instructions, nil
	}
	list := cloneInstructions(b.instructions)
	for i := range list {
		in := &list[i]
		if in.Type == openflow.InstructionMeter {
			if v == openflow.V10 {
				return nil, (&object.Switch{Version: v}).Takes(b.objects[in.Meter], 0)
			}
			in.Meter = numbers(b.objects[in.Meter])
		}
		for k := range in.Actions {
			if err := b.renderAction(v, &in.Actions[k], numbers); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

func (b *Behaviour) renderAction(v openflow.Version, a *openflow.Action, numbers func(object.Object) uint32) (err error) {
	if a.Type != openflow.ActionGroup {
		return nil
	}
	o := b.objects[a.ID]
	if v == openflow.V10 {
		*a, err = o.(*object.Group).Bundle()
		return err
	}
	a.ID = numbers(o)
	return nil
}

// cloneInstructions copies instructions with their lists of actions.
func cloneInstructions(list []openflow.Instruction) []openflow.Instruction {
	list = slices.Clone(list)
	for i := range list {
		list[i].Actions = slices.Clone(list[i].Actions)
	}
	return list
}
