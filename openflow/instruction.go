package openflow

// InstructionType is the type of an instruction (enum ofp_instruction_type).
type InstructionType uint16

// The instructions.
const (
	InstructionGotoTable     InstructionType = 1
	InstructionWriteMetadata InstructionType = 2
	InstructionWriteActions  InstructionType = 3
	InstructionApplyActions  InstructionType = 4
	InstructionClearActions  InstructionType = 5
	InstructionMeter         InstructionType = 6
	InstructionExperimenter  InstructionType = 0xffff
)

// Instruction is one instruction of a flow entry. The action list of OpenFlow 1.0 is one
// InstructionApplyActions, or none where the list is empty.
type Instruction struct {
	Type         InstructionType
	Table        uint8    // of InstructionGotoTable
	Meter        uint32   // of InstructionMeter
	Metadata     uint64   // of InstructionWriteMetadata
	MetadataMask uint64   // of InstructionWriteMetadata
	Actions      []Action // of InstructionWriteActions and InstructionApplyActions
	Experimenter uint32   // of InstructionExperimenter
	Data         []byte   // of InstructionExperimenter, after the id
}

// Apply is the instruction that applies actions at once, in order.
func Apply(actions ...Action) Instruction {
	return Instruction{Type: InstructionApplyActions, Actions: actions}
}

// GotoTable is the instruction that goes on in a later table.
func GotoTable(table uint8) Instruction {
	return Instruction{Type: InstructionGotoTable, Table: table}
}

// UseMeter is the instruction that passes the packet through a meter first.
func UseMeter(meter uint32) Instruction {
	return Instruction{Type: InstructionMeter, Meter: meter}
}
