package openflow

// A wireForm is how one version encodes messages of a type. Lengths are of the whole message, in
// bytes, header included, and are checked before a body is read.
type wireForm struct {
	number   uint8  // on the wire
	min, max uint16 // shortest and longest
	step     uint16 // what a longer one than min grows by
}

const longest = 65535

// Lengths are those of the structs in Open vSwitch's include/openflow/openflow-1.{0,1,2,3}.h and
// the message table of its include/openvswitch/ofp-msgs.h.

// wireForms are the messages of OpenFlow 1.0 and of 1.3; a form without min does not exist. The role
// messages of 1.0 are Nicira's, carried by OFPT_VENDOR.
var wireForms = [TypeMeterMod + 1][2]wireForm{
	TypeHello:                 {{0, 8, longest, 1}, {0, 8, longest, 1}},
	TypeError:                 {{1, 12, longest, 1}, {1, 12, longest, 1}},
	TypeEchoRequest:           {{2, 8, longest, 1}, {2, 8, longest, 1}},
	TypeEchoReply:             {{3, 8, longest, 1}, {3, 8, longest, 1}},
	TypeExperimenter:          {{4, 12, longest, 1}, {4, 16, longest, 1}},
	TypeFeaturesRequest:       {{5, 8, 8, 1}, {5, 8, 8, 1}},
	TypeFeaturesReply:         {{6, 32, longest, 48}, {6, 32, 32, 1}},
	TypeGetConfigRequest:      {{7, 8, 8, 1}, {7, 8, 8, 1}},
	TypeGetConfigReply:        {{8, 12, 12, 1}, {8, 12, 12, 1}},
	TypeSetConfig:             {{9, 12, 12, 1}, {9, 12, 12, 1}},
	TypePacketIn:              {{10, 18, longest, 1}, {10, 34, longest, 1}},
	TypeFlowRemoved:           {{11, 88, 88, 1}, {11, 56, longest, 8}},
	TypePortStatus:            {{12, 64, 64, 1}, {12, 80, 80, 1}},
	TypePacketOut:             {{13, 16, longest, 1}, {13, 24, longest, 1}},
	TypeFlowMod:               {{14, 72, longest, 8}, {14, 56, longest, 8}},
	TypeGroupMod:              {{}, {15, 16, longest, 8}},
	TypePortMod:               {{15, 32, 32, 1}, {16, 40, 40, 1}},
	TypeTableMod:              {{}, {17, 16, 16, 1}},
	TypeMultipartRequest:      {{16, 12, longest, 1}, {18, 16, longest, 1}},
	TypeMultipartReply:        {{17, 12, longest, 1}, {19, 16, longest, 1}},
	TypeBarrierRequest:        {{18, 8, 8, 1}, {20, 8, 8, 1}},
	TypeBarrierReply:          {{19, 8, 8, 1}, {21, 8, 8, 1}},
	TypeQueueGetConfigRequest: {{20, 12, 12, 1}, {22, 16, 16, 1}},
	TypeQueueGetConfigReply:   {{21, 16, longest, 1}, {23, 16, longest, 1}},
	TypeRoleRequest:           {{4, 20, 20, 1}, {24, 24, 24, 1}},
	TypeRoleReply:             {{4, 20, 20, 1}, {25, 24, 24, 1}},
	TypeGetAsyncRequest:       {{}, {26, 8, 8, 1}},
	TypeGetAsyncReply:         {{}, {27, 32, 32, 1}},
	TypeSetAsync:              {{}, {28, 32, 32, 1}},
	TypeMeterMod:              {{}, {29, 16, longest, 8}},
}

// typeUnknown is Header.Type of a type that the version does not have.
const typeUnknown Type = 0xff

// types10 are the neutral types in the order of the numbers of OpenFlow 1.0. Those of 1.3 are the
// neutral ones.
var types10 = [...]Type{
	TypeHello, TypeError, TypeEchoRequest, TypeEchoReply, TypeExperimenter, TypeFeaturesRequest, TypeFeaturesReply,
	TypeGetConfigRequest, TypeGetConfigReply, TypeSetConfig, TypePacketIn, TypeFlowRemoved, TypePortStatus, TypePacketOut,
	TypeFlowMod, TypePortMod, TypeMultipartRequest, TypeMultipartReply, TypeBarrierRequest, TypeBarrierReply,
	TypeQueueGetConfigRequest, TypeQueueGetConfigReply,
}

// form is how version v writes messages of type t; its min is 0 if v cannot. Versions above 1.3
// occur in hello and error messages only, which are the same in all.
func (t Type) form(v Version) wireForm {
	if int(t) >= len(wireForms) {
		return wireForm{}
	}
	if v == V10 {
		return wireForms[t][0]
	}
	return wireForms[t][1]
}

// typeOnWire is the neutral type of a message type on the wire of version v.
func typeOnWire(v Version, number uint8) Type {
	if v == V10 {
		if int(number) < len(types10) {
			return types10[number]
		}
		return typeUnknown
	}
	if number <= uint8(TypeMeterMod) {
		return Type(number)
	}
	return typeUnknown
}

// fits reports whether a message may have this length.
func (f wireForm) fits(length uint16) bool {
	if length < f.min || length > f.max {
		return false
	}
	more := length - f.min
	return more == 0 || f.step == 1 || f.step == 8 && more&7 == 0 || more%f.step == 0 // a division takes its time
}

// messages are the messages by their types: the names in text, those of OpenFlow 1.3 in lower case,
// and how an empty one is made.
var messages = [TypeMeterMod + 1]struct {
	name  string
	empty func() Message
}{
	TypeHello:                 {"hello", empty[Hello]},
	TypeError:                 {"error", empty[ErrorMsg]},
	TypeEchoRequest:           {"echo_request", empty[EchoRequest]},
	TypeEchoReply:             {"echo_reply", empty[EchoReply]},
	TypeExperimenter:          {"experimenter", empty[Experimenter]},
	TypeFeaturesRequest:       {"features_request", empty[FeaturesRequest]},
	TypeFeaturesReply:         {"features_reply", empty[FeaturesReply]},
	TypeGetConfigRequest:      {"get_config_request", empty[GetConfigRequest]},
	TypeGetConfigReply:        {"get_config_reply", empty[GetConfigReply]},
	TypeSetConfig:             {"set_config", empty[SetConfig]},
	TypePacketIn:              {"packet_in", empty[PacketIn]},
	TypeFlowRemoved:           {"flow_removed", empty[FlowRemoved]},
	TypePortStatus:            {"port_status", empty[PortStatus]},
	TypePacketOut:             {"packet_out", empty[PacketOut]},
	TypeFlowMod:               {"flow_mod", empty[FlowMod]},
	TypeGroupMod:              {"group_mod", empty[GroupMod]},
	TypePortMod:               {"port_mod", empty[PortMod]},
	TypeTableMod:              {"table_mod", empty[TableMod]},
	TypeMultipartRequest:      {"multipart_request", empty[MultipartRequest]},
	TypeMultipartReply:        {"multipart_reply", empty[MultipartReply]},
	TypeBarrierRequest:        {"barrier_request", empty[BarrierRequest]},
	TypeBarrierReply:          {"barrier_reply", empty[BarrierReply]},
	TypeQueueGetConfigRequest: {"queue_get_config_request", empty[QueueGetConfigRequest]},
	TypeQueueGetConfigReply:   {"queue_get_config_reply", empty[QueueGetConfigReply]},
	TypeRoleRequest:           {"role_request", empty[RoleRequest]},
	TypeRoleReply:             {"role_reply", empty[RoleReply]},
	TypeGetAsyncRequest:       {"get_async_request", empty[GetAsyncRequest]},
	TypeGetAsyncReply:         {"get_async_reply", empty[GetAsyncReply]},
	TypeSetAsync:              {"set_async", empty[SetAsync]},
	TypeMeterMod:              {"meter_mod", empty[MeterMod]},
}

// empty makes an empty message.
func empty[T any, M interface {
	*T
	Message
}]() Message {
	return M(new(T))
}

// String is the name of the type in lower case: "packet_in".
func (t Type) String() string {
	if int(t) < len(messages) {
		return messages[t].name
	}
	return "unknown"
}
