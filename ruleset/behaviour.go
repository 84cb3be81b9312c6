package ruleset

import (
	"slices"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// Behaviour is what an entry does with the packets that it takes. It is immutable; one is made for the many
// rules that have it. A rule with a behaviour of its own takes as much memory as this.
type Behaviour struct {
	out          []uint32
	instructions []openflow.Instruction // their groups and meters are places in objects, unless there are none
	objects      []object.Object        // in order of dependency, with the groups that groups use
	key          string
}

// Outputs returns the behaviour of a rule for packets from port in, or from any port (AnyPort), that outputs
// them to ports, in ascending order, and does nothing else; without any it drops them. Ports may have in: the
// packet goes back where it came from.
func Outputs(in uint32, ports ...uint32) *Behaviour {
	var actions []openflow.Action
	for _, port := range ports {
		if port == in {
			port = openflow.PortInPort
		}
		actions = append(actions, openflow.Output(port))
	}
	b := &Behaviour{out: slices.Clone(ports)}
	if len(actions) > 0 {
		b.instructions = []openflow.Instruction{openflow.Apply(actions...)}
	}
	b.key = string(AppendKey(nil, b.instructions))
	return b
}

// Do returns the behaviour of these instructions, which it retains, for packets from port in, or any.
func Do(in uint32, instructions []openflow.Instruction) *Behaviour {
	var room [64]byte // of most keys
	b := &Behaviour{instructions: instructions, key: string(AppendKey(room[:0], instructions))}
	for i := range instructions {
		if b.out == nil {
			b.out = make([]uint32, 0, len(instructions[i].Actions))
		}
		for _, a := range instructions[i].Actions {
			if a.Type == openflow.ActionOutput {
				b.addOut(in, a.Port)
			}
		}
	}
	slices.Sort(b.out)
	return b
}

// addOut adds a port that packets from port in are output to, if it is none of the reserved ones.
func (b *Behaviour) addOut(in, port uint32) {
	if port == openflow.PortInPort && in != AnyPort {
		port = in
	}
	if port < openflow.PortMax && !slices.Contains(b.out, port) {
		b.out = append(b.out, port)
	}
}

// Out returns the ports that packets are output to, also by groups, in ascending order, each once, without reserved
// ones; the port in by its number, so that a behaviour that outputs to it is of rules with that port in. It is not
// to be changed.
func (b *Behaviour) Out() []uint32 { return b.out }

// Instructions returns the instructions, which are not to be changed. Those of a behaviour with objects are none that a
// switch knows: Render makes them.
func (b *Behaviour) Instructions() []openflow.Instruction { return b.instructions }

// Key is equal for two behaviours exactly if a switch does the same for both. It names objects by content, whatever
// their numbers.
func (b *Behaviour) Key() string { return b.key }

// Equal reports whether a switch does the same for both.
func (b *Behaviour) Equal(other *Behaviour) bool { return b == other || b.key == other.key }
