package openflow

// Version is the version number in an OpenFlow header.
type Version uint8

// The versions that this package speaks.
const (
	V10 Version = 0x01 // OpenFlow 1.0
	V13 Version = 0x04 // OpenFlow 1.3
)

// String is the version as people write it: "1.0", "1.3".
func (v Version) String() string {
	switch v {
	case V10:
		return "1.0"
	case V13:
		return "1.3"
	}
	return "0x" + string("0123456789abcdef"[v>>4]) + string("0123456789abcdef"[v&15])
}

// FixedMatch reports whether a version's match is a structure of fixed fields: not every match can be
// said in it. That of OpenFlow 1.0 can neither mask an Ethernet address nor look into IPv6.
func (v Version) FixedMatch() bool { return v == V10 }

// CookieMask reports whether deletions of a version may be restricted to a cookie.
func (v Version) CookieMask() bool { return v >= V13 }

// Type is the type of a message, the same for all versions: the numbers are those of OpenFlow 1.3
// (enum ofp_type), and table.go maps them to the numbers on the wire of each version.
type Type uint8

// The message types.
const (
	TypeHello Type = iota
	TypeError
	TypeEchoRequest
	TypeEchoReply
	TypeExperimenter // OFPT_VENDOR in OpenFlow 1.0
	TypeFeaturesRequest
	TypeFeaturesReply
	TypeGetConfigRequest
	TypeGetConfigReply
	TypeSetConfig
	TypePacketIn
	TypeFlowRemoved
	TypePortStatus
	TypePacketOut
	TypeFlowMod
	TypeGroupMod
	TypePortMod
	TypeTableMod
	TypeMultipartRequest // OFPT_STATS_REQUEST in OpenFlow 1.0
	TypeMultipartReply   // OFPT_STATS_REPLY in OpenFlow 1.0
	TypeBarrierRequest
	TypeBarrierReply
	TypeQueueGetConfigRequest
	TypeQueueGetConfigReply
	TypeRoleRequest // OpenFlow 1.3; the Nicira role request of OpenFlow 1.0 is an Experimenter that parses to RoleRequest
	TypeRoleReply
	TypeGetAsyncRequest
	TypeGetAsyncReply
	TypeSetAsync
	TypeMeterMod
)

// HeaderLen is the length of an OpenFlow header, in bytes.
const HeaderLen = 8

// Header is the first eight bytes of every message. Type is neutral (see Type); Length counts the
// header.
type Header struct {
	Version Version
	Type    Type
	Length  uint16
	XID     uint32
}

// Message is one OpenFlow message of any version, without its header.
type Message interface {
	// Type is the type of the message.
	Type() Type
	// Parse reads the body (all after the header) of a message of version v into the receiver,
	// reusing its slices. The receiver then holds views into body. The error is a *DecodeError.
	Parse(v Version, body []byte) error
	// Append appends the body as version v writes it. The error wraps ErrVersion where v cannot say
	// it.
	Append(b []byte, v Version) ([]byte, error)
	// AppendText appends the canonical text of the body: "key=value" pairs on one line.
	AppendText(b []byte, v Version) []byte
}

// Port numbers, as OpenFlow 1.3 numbers them (enum ofp_port_no); the 16-bit numbers of OpenFlow 1.0
// are mapped.
const (
	PortMax        uint32 = 0xffffff00
	PortInPort     uint32 = 0xfffffff8
	PortTable      uint32 = 0xfffffff9
	PortNormal     uint32 = 0xfffffffa
	PortFlood      uint32 = 0xfffffffb
	PortAll        uint32 = 0xfffffffc
	PortController uint32 = 0xfffffffd
	PortLocal      uint32 = 0xfffffffe
	PortAny        uint32 = 0xffffffff // OFPP_NONE in OpenFlow 1.0
)

// Other reserved numbers.
const (
	NoBuffer        uint32 = 0xffffffff // OFP_NO_BUFFER
	ControllerNoCut uint16 = 0xffff     // OFPCML_NO_BUFFER: send the whole packet to the controller
	TableAll        uint8  = 0xff       // OFPTT_ALL
	GroupAny        uint32 = 0xffffffff // OFPG_ANY
	GroupAll        uint32 = 0xfffffffc // OFPG_ALL
	MeterAll        uint32 = 0xffffffff // OFPM_ALL
	MeterSlowpath   uint32 = 0xfffffffd // OFPM_SLOWPATH
	MeterController uint32 = 0xfffffffe // OFPM_CONTROLLER
	QueueAll        uint32 = 0xffffffff // OFPQ_ALL
)
