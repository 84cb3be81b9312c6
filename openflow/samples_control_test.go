package openflow

import (
	"fmt"
	"slices"
)

func helloSamples() []sample {
	return []sample{
		{"1.0/hello", V10, &Hello{}},
		{"1.0/hello-bitmap", V10, &Hello{Versions: 1<<V10 | 1<<V13}},
		{"1.3/hello", V13, &Hello{}},
		{"1.3/hello-bitmap", V13, &Hello{Versions: 1<<V10 | 1<<V13}},
		{"1.3/hello-unknown-element", V13, &Hello{Elements: []byte{
			0, 9, 0, 7, 1, 2, 3, 0, 0, 1, 0, 12, 0, 0, 0, 0x12, 0, 0, 0, 0, 0, 0, 0, 0,
		}}},
	}
}

// errorSamples are all errors: every type and code that each version names, one without a name, an
// experimenter's.
func errorSamples() []sample {
	data := []byte{0x01, 0x05, 0x00, 0x08, 0x01, 0x02, 0x03, 0x04} // a whole message
	var all []sample
	for _, code := range slices.Concat(codes10[:]...) {
		typ, name := code.Names(V10)
		all = append(all, sample{fmt.Sprintf("1.0/error-%s-%s", typ, name), V10, &ErrorMsg{Code: code, Data: data}})
	}
	data = []byte{0x04, 0x05, 0x00, 0x08, 0x05, 0x06, 0x07, 0x08}
	for _, code := range errorCodes13() {
		typ, name := code.Names(V13)
		all = append(all, sample{fmt.Sprintf("1.3/error-%s-%s", typ, name), V13, &ErrorMsg{Code: code, Data: data}})
	}
	return append(all,
		sample{"1.0/error-unnamed", V10, &ErrorMsg{Code: ErrorUnnamed, Wire: 5<<16 | 17, Data: data}},
		sample{"1.3/error-unnamed", V13, &ErrorMsg{Code: ErrorUnnamed, Wire: 5<<16 | 17, Data: data}},
		sample{"1.3/error-experimenter", V13, &ErrorMsg{
			Code: ErrorExperimenter, Experimenter: 0x4f4e4600, ExpType: 2301, Data: data,
		}},
	)
}

func controlSamples() []sample {
	data := []byte{0xde, 0xad, 0xbe, 0xef, 0x01}
	var all []sample
	for _, m := range []Message{
		&EchoRequest{}, &EchoReply{Data: data}, &BarrierRequest{}, &BarrierReply{}, &FeaturesRequest{}, &GetConfigRequest{},
		&GetConfigReply{Flags: ConfigFragReasm, MissSendLen: 0x1234},
		&SetConfig{Flags: ConfigFragDrop, MissSendLen: ControllerNoCut},
	} {
		for _, v := range []Version{V10, V13} {
			all = append(all, sample{v.String() + "/" + m.Type().String(), v, m})
		}
	}
	return append(all,
		sample{"1.0/echo_request-data", V10, &EchoRequest{Data: data}},
		sample{"1.3/echo_request-data", V13, &EchoRequest{Data: data}},
		sample{"1.0/experimenter", V10, &Experimenter{Experimenter: 0x00002320, Data: []byte{0, 0, 0, 16, 0, 0, 0, 1}}},
		sample{"1.0/experimenter-short", V10, &Experimenter{Experimenter: 0x00abcdef, Data: []byte{1, 2}}},
		only13("experimenter", &Experimenter{Experimenter: 0x00abcdef, ExpType: 77, Data: data}),
		sample{"1.0/role_request", V10, &RoleRequest{Role: RoleMaster}},
		sample{"1.0/role_reply", V10, &RoleReply{Role: RoleSlave}},
		sample{"1.0/role_request-equal", V10, &RoleRequest{Role: RoleEqual}},
		only13("role_request", &RoleRequest{Role: RoleMaster, Generation: 0x0102030405060708}),
		only13("role_request-nochange", &RoleRequest{Role: RoleNoChange}),
		only13("role_reply", &RoleReply{Role: RoleSlave, Generation: 0xfffffffffffffffe}),
		only13("role_reply-equal", &RoleReply{Role: RoleEqual}),
		only13("table_mod", &TableMod{Table: 17, Config: 3}),
		only13("get_async_request", &GetAsyncRequest{}),
		only13("get_async_reply", &GetAsyncReply{asyncSample}),
		only13("set_async", &SetAsync{asyncSample}),
	)
}

var asyncSample = AsyncMasks{
	PacketIn: [2]uint32{1 << ReasonNoMatch, 1<<ReasonAction | 1<<ReasonBadTTL}, PortStatus: [2]uint32{7, 1 << PortModified},
	FlowRemoved: [2]uint32{15, 1<<RemovedHard | 1<<RemovedGroup},
}
