package openflow

// ActionType is the type of an action, as OpenFlow 1.3 numbers them (enum ofp_action_type).
type ActionType uint16

// The actions. Those of OpenFlow 1.0 that set a field are ActionSetField; the three it alone has come last, under
// numbers of ours.
const (
	ActionOutput       ActionType = 0
	ActionCopyTTLOut   ActionType = 11
	ActionCopyTTLIn    ActionType = 12
	ActionSetMPLSTTL   ActionType = 15
	ActionDecMPLSTTL   ActionType = 16
	ActionPushVLAN     ActionType = 17
	ActionPopVLAN      ActionType = 18 // OFPAT_STRIP_VLAN in OpenFlow 1.0
	ActionPushMPLS     ActionType = 19
	ActionPopMPLS      ActionType = 20
	ActionSetQueue     ActionType = 21
	ActionGroup        ActionType = 22
	ActionSetNwTTL     ActionType = 23
	ActionDecNwTTL     ActionType = 24
	ActionSetField     ActionType = 25
	ActionPushPBB      ActionType = 26
	ActionPopPBB       ActionType = 27
	ActionExperimenter ActionType = 0xffff

	ActionSetVLANVID ActionType = 0x8001 // OpenFlow 1.0: set the VLAN id, adding a tag where there is none
	ActionSetVLANPCP ActionType = 0x8002 // OpenFlow 1.0: set the priority, adding a tag where there is none
	ActionEnqueue    ActionType = 0x8003 // OpenFlow 1.0: output to a queue of a port
)

// Action is one action. Which fields count depends on Type.
type Action struct {
	Type ActionType
	// TTL of ActionSetMPLSTTL and ActionSetNwTTL.
	TTL uint8
	// EtherType of the pushes and ActionPopMPLS.
	EtherType uint16
	// MaxLen is how many bytes of a packet ActionOutput sends to PortController.
	MaxLen uint16
	// Port of ActionOutput and ActionEnqueue, in the numbers of OpenFlow 1.3.
	Port uint32
	// ID is a group of ActionGroup, a queue of ActionSetQueue and ActionEnqueue, the VLAN id or priority of
	// ActionSetVLANVID and ActionSetVLANPCP, the experimenter of ActionExperimenter.
	ID uint32
	// Data is the OXM TLV of ActionSetField (without mask and padding), or the bytes after the experimenter's id.
	Data []byte
}

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

// Instruction is one instruction of a flow entry. The action list of OpenFlow 1.0 is one InstructionApplyActions, or
// none where the list is empty.
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

// Output forwards to a port, with the numbers of OpenFlow 1.3.
func Output(port uint32) Action { return Action{Type: ActionOutput, Port: port} }

// OutputController sends the first maxLen bytes to the controller; ControllerNoCut sends all.
func OutputController(maxLen uint16) Action {
	return Action{Type: ActionOutput, Port: PortController, MaxLen: maxLen}
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
