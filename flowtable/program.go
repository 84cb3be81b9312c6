package flowtable

import "github.com/weirnet/weir/openflow"

// parts is the set of instructions that a program has.
type parts uint8

const (
	hasMeter parts = 1 << iota
	hasApply
	hasClear
	hasWrite
	hasMetadata
	hasGoto
)

// program are the instructions of an entry in the one order in which they are done (OpenFlow 1.3,
// section 5.9: meter, apply, clear, write, metadata, goto). It never changes.
type program struct {
	has          parts
	v10          bool // of an entry of OpenFlow 1.0
	next         uint8
	meter        uint32
	metadata     uint64
	metadataMask uint64
	apply        []openflow.Action
	write        []openflow.Action
}

// programOf is the program of instructions that were checked. Those that do nothing but output to
// one port share it: most entries do.
func (s *Switch) programOf(v openflow.Version, list []openflow.Instruction) *program {
	if len(list) != 1 || list[0].Type != openflow.InstructionApplyActions || len(list[0].Actions) != 1 {
		return newProgram(v, list)
	}
	a := &list[0].Actions[0]
	if a.Type != openflow.ActionOutput || len(a.Data) > 0 {
		return newProgram(v, list)
	}
	key := oneOutput{a.Port, a.MaxLen, v}
	p := s.outputs[key]
	if p == nil {
		p = newProgram(v, list)
		if s.outputs == nil || len(s.outputs) >= maxOutputs {
			s.outputs = make(map[oneOutput]*program)
		}
		s.outputs[key] = p
	}
	return p
}

// oneOutput names a program that outputs to one port and does nothing else.
type oneOutput struct {
	port    uint32
	maxLen  uint16
	version openflow.Version
}

// maxOutputs is how many such programs are kept to be shared.
const maxOutputs = 1 << 10

// newProgram copies instructions that were checked.
func newProgram(v openflow.Version, list []openflow.Instruction) *program {
	p := &program{v10: v == openflow.V10}
	actions, data := 0, 0
	for i := range list {
		actions += len(list[i].Actions)
		for j := range list[i].Actions {
			data += len(list[i].Actions[j].Data)
		}
	}
	memory := actionMemory{make([]openflow.Action, 0, actions), make([]byte, 0, data)}
	for i := range list {
		in := &list[i]
		switch in.Type {
		case openflow.InstructionMeter:
			p.has, p.meter = p.has|hasMeter, in.Meter
		case openflow.InstructionApplyActions:
			p.has, p.apply = p.has|hasApply, memory.copy(in.Actions)
		case openflow.InstructionClearActions:
			p.has |= hasClear
		case openflow.InstructionWriteActions:
			p.has, p.write = p.has|hasWrite, memory.copy(in.Actions)
		case openflow.InstructionWriteMetadata:
			p.has, p.metadata, p.metadataMask = p.has|hasMetadata, in.Metadata, in.MetadataMask
		case openflow.InstructionGotoTable:
			p.has, p.next = p.has|hasGoto, in.Table
		}
	}
	return p
}

// actionMemory is memory for copies of actions, of the size needed.
type actionMemory struct {
	actions []openflow.Action
	data    []byte
}

func (m *actionMemory) copy(list []openflow.Action) []openflow.Action {
	start := len(m.actions)
	for i := range list {
		a := list[i]
		if len(a.Data) > 0 {
			at := len(m.data)
			m.data = append(m.data, a.Data...)
			a.Data = m.data[at:len(m.data):len(m.data)]
		}
		m.actions = append(m.actions, a)
	}
	return m.actions[start:len(m.actions):len(m.actions)]
}

// copyActions are actions in memory of their own.
func copyActions(list []openflow.Action) []openflow.Action {
	data := 0
	for i := range list {
		data += len(list[i].Data)
	}
	m := actionMemory{make([]openflow.Action, 0, len(list)), make([]byte, 0, data)}
	return m.copy(list)
}

// instructions are those of the program. Their actions are the program's own.
func (p *program) instructions() []openflow.Instruction {
	var list []openflow.Instruction
	if p.has&hasMeter != 0 {
		list = append(list, openflow.UseMeter(p.meter))
	}
	if p.has&hasApply != 0 {
		list = append(list, openflow.Apply(p.apply...))
	}
	if p.has&hasClear != 0 {
		list = append(list, openflow.Instruction{Type: openflow.InstructionClearActions})
	}
	if p.has&hasWrite != 0 {
		list = append(list, openflow.Instruction{Type: openflow.InstructionWriteActions, Actions: p.write})
	}
	if p.has&hasMetadata != 0 {
		list = append(list, openflow.Instruction{
			Type: openflow.InstructionWriteMetadata, Metadata: p.metadata, MetadataMask: p.metadataMask,
		})
	}
	if p.has&hasGoto != 0 {
		list = append(list, openflow.GotoTable(p.next))
	}
	return list
}

// outputsTo reports whether an action of the program sends to a port; openflow.PortAny is no
// filter.
func (p *program) outputsTo(port uint32) bool {
	if port == openflow.PortAny {
		return true
	}
	return anyAction(p, func(a *openflow.Action) bool {
		return (a.Type == openflow.ActionOutput || a.Type == openflow.ActionEnqueue) && a.Port == port
	})
}

// usesGroup reports whether an action of the program sends to a group; openflow.GroupAny is no
// filter.
func (p *program) usesGroup(id uint32) bool {
	if id == openflow.GroupAny {
		return true
	}
	return anyAction(p, func(a *openflow.Action) bool { return a.Type == openflow.ActionGroup && a.ID == id })
}

func anyAction(p *program, f func(*openflow.Action) bool) bool {
	for _, list := range [...][]openflow.Action{p.apply, p.write} {
		for i := range list {
			if f(&list[i]) {
				return true
			}
		}
	}
	return false
}
