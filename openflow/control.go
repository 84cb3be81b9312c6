package openflow

// newControlMessage is an empty message of one of the types that newMessage leaves to it.
func newControlMessage(t Type) Message {
	switch t {
	case TypeHello:
		return new(Hello)
	case TypeError:
		return new(ErrorMsg)
	case TypeEchoRequest:
		return new(EchoRequest)
	case TypeEchoReply:
		return new(EchoReply)
	case TypeExperimenter:
		return new(Experimenter)
	case TypePortStatus:
		return new(PortStatus)
	case TypeMultipartRequest:
		return new(MultipartRequest)
	case TypeMultipartReply:
		return new(MultipartReply)
	case TypeBarrierRequest:
		return new(BarrierRequest)
	case TypeBarrierReply:
		return new(BarrierReply)
	case TypeRoleRequest:
		return new(RoleRequest)
	case TypeRoleReply:
		return new(RoleReply)
	}
	return newConfigMessage(t)
}

// newConfigMessage is an empty message of one of the types that newControlMessage leaves to it: all
// the others.
func newConfigMessage(t Type) Message {
	switch t {
	case TypeFeaturesRequest:
		return new(FeaturesRequest)
	case TypeFeaturesReply:
		return new(FeaturesReply)
	case TypeGetConfigRequest:
		return new(GetConfigRequest)
	case TypeGetConfigReply:
		return new(GetConfigReply)
	case TypeSetConfig:
		return new(SetConfig)
	case TypePortMod:
		return new(PortMod)
	case TypeTableMod:
		return new(TableMod)
	case TypeQueueGetConfigRequest:
		return new(QueueGetConfigRequest)
	case TypeQueueGetConfigReply:
		return new(QueueGetConfigReply)
	case TypeGetAsyncRequest:
		return new(GetAsyncRequest)
	case TypeGetAsyncReply:
		return new(GetAsyncReply)
	case TypeSetAsync:
		return new(SetAsync)
	}
	panic("openflow: no message of type " + t.String())
}

// checkLen checks the length of a body against the table of messages, for those who call the Parse
// of a message without ParseHeader.
func checkLen(t Type, v Version, body []byte) error {
	f := t.form(v)
	if f.min == 0 {
		return refuse(BadRequestBadType, "OpenFlow %s has no %s", v, t)
	}
	if n := len(body) + HeaderLen; n > longest || !f.fits(uint16(n)) {
		return badLength(t, v, n)
	}
	return nil
}
