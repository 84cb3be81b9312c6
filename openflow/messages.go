package openflow

// PacketIn is a packet that the switch hands to the controller.
type PacketIn struct {
	Buffer   uint32 // NoBuffer if the switch keeps none
	TotalLen uint16
	Reason   PacketInReason
	Table    uint8  // 0 in OpenFlow 1.0
	Cookie   uint64 // all ones in OpenFlow 1.0
	InPort   uint32 // of the match in OpenFlow 1.3
	Match    Match  // OpenFlow 1.3: in_port, metadata, tunnel and the like. If empty, Append makes it from InPort
	Data     []byte // the frame, or its beginning
}

// PacketInReason says why a packet came to the controller (enum ofp_packet_in_reason).
type PacketInReason uint8

// The reasons of a packet-in.
const (
	ReasonNoMatch PacketInReason = 0
	ReasonAction  PacketInReason = 1
	ReasonBadTTL  PacketInReason = 2 // OpenFlow 1.3: OFPR_INVALID_TTL
)

// PacketOut is a packet that the controller has the switch send.
type PacketOut struct {
	Buffer  uint32
	InPort  uint32
	Actions []Action
	Data    []byte // the frame if Buffer is NoBuffer
}

// FlowModCommand is what a flow-mod does (enum ofp_flow_mod_command).
type FlowModCommand uint8

// The commands of a flow-mod.
const (
	FlowAdd FlowModCommand = iota
	FlowModify
	FlowModifyStrict
	FlowDelete
	FlowDeleteStrict
)

// FlowFlags are the flags of a flow-mod and of flow statistics, as OpenFlow 1.3 numbers them.
type FlowFlags uint16

// The flags of a flow entry.
const (
	FlagSendFlowRemoved FlowFlags = 1 << 0
	FlagCheckOverlap    FlowFlags = 1 << 1
	FlagResetCounts     FlowFlags = 1 << 2  // OpenFlow 1.3
	FlagNoPacketCounts  FlowFlags = 1 << 3  // OpenFlow 1.3
	FlagNoByteCounts    FlowFlags = 1 << 4  // OpenFlow 1.3
	FlagEmergency       FlowFlags = 1 << 15 // OpenFlow 1.0: OFPFF_EMERG, 1<<2 on its wire
)

// FlowMod adds, changes or deletes flow entries.
type FlowMod struct {
	Cookie       uint64
	CookieMask   uint64 // OpenFlow 1.3
	Table        uint8  // OpenFlow 1.3
	Command      FlowModCommand
	IdleTimeout  uint16 // seconds; 0 never
	HardTimeout  uint16 // seconds; 0 never
	Priority     uint16
	Buffer       uint32
	OutPort      uint32 // of deletions; PortAny for no filter
	OutGroup     uint32 // of deletions, OpenFlow 1.3; GroupAny for no filter
	Flags        FlowFlags
	Match        Match
	Instructions []Instruction

	actions []Action // backing of the Actions of Instructions, reused by Parse
}

// FlowRemovedReason says why a flow entry went (enum ofp_flow_removed_reason).
type FlowRemovedReason uint8

// The reasons of a flow-removed.
const (
	RemovedIdle   FlowRemovedReason = 0
	RemovedHard   FlowRemovedReason = 1
	RemovedDelete FlowRemovedReason = 2
	RemovedGroup  FlowRemovedReason = 3 // OpenFlow 1.3
)

// FlowRemoved tells that a flow entry went.
type FlowRemoved struct {
	Cookie       uint64
	Priority     uint16
	Reason       FlowRemovedReason
	Table        uint8 // OpenFlow 1.3
	DurationSec  uint32
	DurationNsec uint32
	IdleTimeout  uint16
	HardTimeout  uint16 // OpenFlow 1.3
	Packets      uint64
	Bytes        uint64
	Match        Match
}

// Port is a port as a switch describes it. The bits of Config and State and of the four features are those of OpenFlow
// 1.3; bits that only OpenFlow 1.0 has are kept above 1<<16 (Config, State) as the constants say.
type Port struct {
	Number     uint32
	HWAddr     [6]byte
	Name       string
	Config     uint32
	State      uint32
	Curr       uint32
	Advertised uint32
	Supported  uint32
	Peer       uint32
	CurrSpeed  uint32 // kbit/s, OpenFlow 1.3
	MaxSpeed   uint32 // kbit/s, OpenFlow 1.3
}

// Bits of Port.Config and Port.State.
const (
	PortConfigDown   uint32 = 1 << 0 // administratively down
	PortStateDown    uint32 = 1 << 0 // no carrier
	PortStateBlocked uint32 = 1 << 1
	PortStateLive    uint32 = 1 << 2
)

// PortReason says what happened to a port (enum ofp_port_reason).
type PortReason uint8

// The reasons of a port status.
const (
	PortAdded PortReason = iota
	PortDeleted
	PortModified
)

// PortStatus tells that a port came, went or changed.
type PortStatus struct {
	Reason PortReason
	Port   Port
}

// Hello opens a connection.
type Hello struct {
	// Versions is the bitmap of versions offered, bit n for version n; 0 if the message carried none.
	Versions uint32
	// Elements are the bytes after the header as received; kept so that unknown elements survive. Append writes them
	// if set, and otherwise makes a version bitmap element from Versions (OpenFlow 1.3) or nothing (0).
	Elements []byte
}

// EchoRequest asks whether the peer lives; EchoReply answers with the same data.
type EchoRequest struct{ Data []byte }

// EchoReply answers an EchoRequest with its data.
type EchoReply struct{ Data []byte }

// BarrierRequest asks for all before it to be done before anything after it.
type BarrierRequest struct{}

// BarrierReply answers a BarrierRequest.
type BarrierReply struct{}

// FeaturesRequest asks what the switch is.
type FeaturesRequest struct{}

// FeaturesReply says what the switch is.
type FeaturesReply struct {
	DatapathID   uint64
	Buffers      uint32
	Tables       uint8
	Auxiliary    uint8  // OpenFlow 1.3: auxiliary_id; 0 is the main connection
	Capabilities uint32 // bits as the version has them
	Actions      uint32 // OpenFlow 1.0: bitmap of actions; reserved in 1.3
	Ports        []Port // OpenFlow 1.0; empty in 1.3
}

// Role is a controller's role (enum ofp_controller_role).
type Role uint32

// The roles.
const (
	RoleNoChange Role = iota
	RoleEqual
	RoleMaster
	RoleSlave
)

// RoleRequest asks for a role. In OpenFlow 1.0 it is written as the Nicira role request (NXT_ROLE_REQUEST), which has
// neither RoleNoChange nor a generation.
type RoleRequest struct {
	Role       Role
	Generation uint64
}

// RoleReply answers a RoleRequest with the role that now holds.
type RoleReply struct {
	Role       Role
	Generation uint64
}

// Experimenter is an experimenter's message (vendor, in OpenFlow 1.0); its bytes are kept exactly.
type Experimenter struct {
	Experimenter uint32
	ExpType      uint32 // OpenFlow 1.3; in 1.0 the first four bytes of Data are the vendor's own
	Data         []byte
}

// Desc is the answer to the multipart request MultipartDesc.
type Desc struct {
	Manufacturer string
	Hardware     string
	Software     string
	Serial       string
	Datapath     string
}

// FlowStats is one flow entry as the switch reports it.
type FlowStats struct {
	Table        uint8
	DurationSec  uint32
	DurationNsec uint32
	Priority     uint16
	IdleTimeout  uint16
	HardTimeout  uint16
	Flags        FlowFlags // OpenFlow 1.3
	Cookie       uint64
	Packets      uint64
	Bytes        uint64
	Match        Match
	Instructions []Instruction
}
