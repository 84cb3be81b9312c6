package openflow

// The experimenter of Open vSwitch's extensions, and those of its messages that are messages of
// their own here.
const (
	niciraID          = 0x00002320 // NX_VENDOR_ID
	niciraRoleRequest = 10         // NXT_ROLE_REQUEST
	niciraRoleReply   = 11         // NXT_ROLE_REPLY
)

// ParseHeader reads the first eight bytes of a message and checks version, type and length against
// the table of messages. The rest of the message need not be there yet. Of a message that is
// refused, the header is filled in as far as it was understood (the transaction id always is, if
// there are eight bytes), so that an error can be answered; its Type is then above TypeMeterMod if
// there is no such type. Hello and error messages may be of any version, because they come before
// one is agreed on.
func ParseHeader(b []byte) (Header, error) {
	if len(b) < HeaderLen {
		return Header{}, refuse(BadRequestBadLen, "%d bytes, fewer than the 8 of a header", len(b))
	}
	h := Header{Version: Version(b[0]), Length: be16(b[2:]), XID: be32(b[4:])}
	h.Type = typeOnWire(h.Version, b[1])
	if h.Version != V13 && h.Version != V10 && (h.Version == 0 || h.Type > TypeError) {
		return h, refuse(BadRequestBadVersion, "version %s, not 1.0 or 1.3", h.Version)
	}
	if h.Type == typeUnknown {
		return h, refuse(BadRequestBadType, "type %d is none of OpenFlow %s", b[1], h.Version)
	}
	if !h.Type.form(h.Version).fits(h.Length) {
		return h, badLength(h.Type, h.Version, int(h.Length))
	}
	return h, nil
}

// badLength refuses a length that the table does not have.
func badLength(t Type, v Version, length int) error {
	f := t.form(v)
	switch {
	case f.min == f.max:
		return refuse(BadRequestBadLen, "%s of %d bytes, not %d", t, length, f.min)
	case length >= int(f.min) && f.step > 1:
		return refuse(BadRequestBadLen, "%s of %d bytes, not %d and a multiple of %d", t, length, f.min, f.step)
	}
	return refuse(BadRequestBadLen, "%s of %d bytes, shorter than %d", t, length, f.min)
}

// Parse reads the one whole message that b is, into a new struct. Type of the Header returned is
// that of the Message: the Nicira role messages of OpenFlow 1.0 are TypeRoleRequest and
// TypeRoleReply. The message holds views into b.
//
// Where messages are many, use ParseHeader and the Parse of a message that is used again.
func Parse(b []byte) (Header, Message, error) {
	h, err := ParseHeader(b)
	if err != nil {
		return h, nil, err
	}
	if int(h.Length) != len(b) {
		return h, nil, refuse(BadRequestBadLen, "length %d in the header of %d bytes", h.Length, len(b))
	}
	body := view(b, HeaderLen, len(b))
	h.Type = bodyType(h, body)
	if f := h.Type.form(h.Version); !f.fits(h.Length) {
		return h, nil, badLength(h.Type, h.Version, len(b))
	}
	m := newMessage(h.Type)
	if err := m.Parse(h.Version, body); err != nil {
		return h, nil, err
	}
	return h, m, nil
}

// bodyType is the type of a message as its body tells it: OpenFlow 1.0 has the role messages as
// messages of a vendor.
func bodyType(h Header, body []byte) Type {
	if h.Type != TypeExperimenter || h.Version != V10 || len(body) < 8 || be32(body) != niciraID {
		return h.Type
	}
	switch be32(body[4:]) {
	case niciraRoleRequest:
		return TypeRoleRequest
	case niciraRoleReply:
		return TypeRoleReply
	}
	return h.Type
}

// Append appends the whole message m as version v writes it. The error wraps ErrVersion where v
// cannot say it; b is then returned as it was.
func Append(b []byte, v Version, xid uint32, m Message) ([]byte, error) {
	t := m.Type()
	f := t.form(v)
	if f.min == 0 || v != V10 && v != V13 && t > TypeError {
		return b, inexpressible(v, "message %s", t)
	}
	start := len(b)
	out := append(b, uint8(v), f.number, 0, 0, uint8(xid>>24), uint8(xid>>16), uint8(xid>>8), uint8(xid))
	out, err := m.Append(out, v)
	if err != nil {
		return b, err
	}
	if err := setLen16(out, start, start+2); err != nil {
		return b, err
	}
	return out, nil
}

// AppendText appends the canonical text of a message, without an end of line.
func AppendText(b []byte, h Header, m Message) []byte {
	b = append(b, h.Version.String()...)
	b = append(b, ' ')
	b = append(b, m.Type().String()...)
	b = appendKey(b, ' ', "xid")
	b = appendHex(b, h.XID)
	return m.AppendText(b, h.Version)
}

// Text is the canonical text of a message on one line: "1.3 echo_request xid=0x7".
func Text(h Header, m Message) string { return string(AppendText(nil, h, m)) }

// newMessage is an empty message of a type that ParseHeader lets through.
func newMessage(t Type) Message { return messages[t].empty() }

// checkLen checks the length of a body against the table of messages, for callers of the Parse of a
// message without ParseHeader.
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
