package openflow

// ErrorMsg tells that a message was refused (OFPT_ERROR).
type ErrorMsg struct {
	// Code is the type and code; ErrorUnnamed if the version has no name for the pair,
	// ErrorExperimenter for those of an experimenter.
	Code ErrorCode
	// Wire is the pair, type<<16 | code, of ErrorUnnamed.
	Wire uint32
	// Experimenter and ExpType are those of ErrorExperimenter.
	Experimenter uint32
	ExpType      uint16
	// Data is, of most codes, at least the first 64 bytes of the message refused; of
	// HelloFailedIncompatible text.
	Data []byte
}

// errorDataLen is how much of a refused message goes into an error: the specification wants at
// least 64 bytes.
const errorDataLen = 64

// NewError is the message that answers bytes which the parser refused. Its code is one that the
// version of refused, its first byte, has; its Data is a view into refused.
func NewError(err *DecodeError, refused []byte) *ErrorMsg {
	m := &ErrorMsg{Code: err.Code, Data: view(refused, 0, min(len(refused), errorDataLen))}
	if len(refused) > 0 && Version(refused[0]) == V10 {
		m.Code = m.Code.in10()
	}
	return m
}

// in10 is the code of OpenFlow 1.0 that comes nearest.
func (c ErrorCode) in10() ErrorCode {
	if _, ok := c.wireOf(V10); ok {
		return c
	}
	switch c {
	case BadInstructionUnknownInst, BadInstructionUnsupInst, BadActionBadSetType:
		return BadActionBadType
	case BadInstructionBadLen, BadActionBadSetLen:
		return BadActionBadLen
	case FlowModFailedBadTimeout, FlowModFailedBadFlags, FlowModFailedUnknown:
		return FlowModFailedUnsupported
	}
	switch c >> 16 {
	case BadActionBadType >> 16, BadInstructionUnknownInst >> 16:
		return BadActionBadArgument
	case FlowModFailedUnknown >> 16:
		return FlowModFailedUnsupported
	}
	return in10Request(c)
}

// in10Request is in10 for what is neither action nor flow-mod: OpenFlow 1.0 has only the codes of
// OFPET_BAD_REQUEST for it.
func in10Request(c ErrorCode) ErrorCode {
	switch c {
	case BadRequestIsSlave, BadMatchEPerm, RoleRequestFailedBadRole, RoleRequestFailedUnsup, PortModFailedEPerm:
		return BadRequestEPerm
	case PortModFailedBadConfig, PortModFailedBadAdvertise:
		return PortModFailedBadPort
	}
	return BadRequestBadLen
}

// Type is TypeError.
func (m *ErrorMsg) Type() Type { return TypeError }

// Parse reads the pair of type and code.
func (m *ErrorMsg) Parse(v Version, body []byte) error {
	if err := checkLen(TypeError, v, body); err != nil {
		return err
	}
	wire := be32(body)
	if v != V10 && wire>>16 == uint32(ErrorExperimenter>>16) {
		if len(body) < 8 {
			return refuse(BadRequestBadLen, "error of an experimenter of %d bytes, shorter than 16", len(body)+HeaderLen)
		}
		*m = ErrorMsg{Code: ErrorExperimenter, ExpType: uint16(wire), Experimenter: be32(body[4:]), Data: body[8:]}
		return nil
	}
	*m = ErrorMsg{Code: errorCodeOf(v, wire), Data: body[4:]}
	if m.Code == ErrorUnnamed {
		m.Wire = wire
	}
	return nil
}

// Append writes the numbers of version v.
func (m *ErrorMsg) Append(b []byte, v Version) ([]byte, error) {
	switch m.Code {
	case ErrorUnnamed:
		return append(append32(b, m.Wire), m.Data...), nil
	case ErrorExperimenter:
		if v == V10 {
			return b, inexpressible(v, "error of an experimenter")
		}
		b = append32(b, uint32(ErrorExperimenter)|uint32(m.ExpType))
		return append(append32(b, m.Experimenter), m.Data...), nil
	}
	wire, ok := m.Code.wireOf(v)
	if !ok {
		return b, inexpressible(v, "error %s", m.Code)
	}
	return append(append32(b, wire), m.Data...), nil
}

// AppendText prints type and code by the names that the specification of v has for them.
func (m *ErrorMsg) AppendText(b []byte, v Version) []byte {
	switch m.Code {
	case ErrorUnnamed:
		b = appendDec(appendKey(b, ' ', "type"), m.Wire>>16)
		b = appendDec(appendKey(b, ' ', "code"), m.Wire&0xffff)
	case ErrorExperimenter:
		b = append(appendKey(b, ' ', "type"), "OFPET_EXPERIMENTER"...)
		b = appendHex(appendKey(b, ' ', "experimenter"), m.Experimenter)
		b = appendDec(appendKey(b, ' ', "exp_type"), m.ExpType)
	default:
		typ, code := m.Code.Names(v)
		b = append(appendKey(b, ' ', "type"), typ...)
		b = append(appendKey(b, ' ', "code"), code...)
	}
	return appendHexBytes(appendKey(b, ' ', "data"), m.Data)
}
