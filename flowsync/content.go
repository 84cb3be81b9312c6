package flowsync

import (
	"bytes"
	"slices"

	"github.com/weirnet/weir/openflow"
)

// content is an entry without its key.
type content struct {
	cookie       uint64
	instructions []openflow.Instruction
}

// same reports whether a switch treats two contents alike. Neither the order of instructions counts
// (a switch answers in its own), nor an empty list of actions.
func (a content) same(b content) bool {
	return a.cookie == b.cookie && sameInstructions(a.instructions, b.instructions)
}

func sameInstructions(a, b []openflow.Instruction) bool {
	n := 0
	for i := range a {
		if empty(&a[i]) {
			continue
		}
		n++
		if !slices.ContainsFunc(b, func(other openflow.Instruction) bool { return sameInstruction(&a[i], &other) }) {
			return false
		}
	}
	for i := range b {
		if !empty(&b[i]) {
			n--
		}
	}
	return n == 0
}

func empty(i *openflow.Instruction) bool {
	return len(i.Actions) == 0 &&
		(i.Type == openflow.InstructionApplyActions || i.Type == openflow.InstructionWriteActions)
}

func sameInstruction(a, b *openflow.Instruction) bool {
	return a.Type == b.Type && a.Table == b.Table && a.Meter == b.Meter &&
		a.Metadata == b.Metadata && a.MetadataMask == b.MetadataMask &&
		a.Experimenter == b.Experimenter && bytes.Equal(a.Data, b.Data) &&
		slices.EqualFunc(a.Actions, b.Actions, sameAction)
}

// sameAction compares actions; MaxLen counts only for output to the controller.
func sameAction(a, b openflow.Action) bool {
	return a.Type == b.Type && a.TTL == b.TTL && a.EtherType == b.EtherType && a.Port == b.Port && a.ID == b.ID &&
		(a.MaxLen == b.MaxLen || a.Port != openflow.PortController) && bytes.Equal(a.Data, b.Data)
}

// meterOf returns the meter that instructions use, 0 if none.
func meterOf(instructions []openflow.Instruction) uint32 {
	for i := range instructions {
		if instructions[i].Type == openflow.InstructionMeter {
			return instructions[i].Meter
		}
	}
	return 0
}

// withoutMeter returns a copy of instructions without the meter.
func withoutMeter(instructions []openflow.Instruction) []openflow.Instruction {
	return slices.DeleteFunc(slices.Clone(instructions), func(i openflow.Instruction) bool {
		return i.Type == openflow.InstructionMeter
	})
}
