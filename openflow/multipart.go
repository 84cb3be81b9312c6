package openflow

// MultipartType is the kind of a multipart request and reply, as OpenFlow 1.3 numbers them (enum
// ofp_multipart_types). Those that OpenFlow 1.0 has (enum ofp_stats_types: up to MultipartQueue,
// and MultipartExperimenter) have the same numbers.
type MultipartType uint16

// The kinds of multipart messages.
const (
	MultipartDesc          MultipartType = 0
	MultipartFlow          MultipartType = 1
	MultipartAggregate     MultipartType = 2
	MultipartTable         MultipartType = 3
	MultipartPortStats     MultipartType = 4
	MultipartQueue         MultipartType = 5
	MultipartGroup         MultipartType = 6
	MultipartGroupDesc     MultipartType = 7
	MultipartGroupFeatures MultipartType = 8
	MultipartMeter         MultipartType = 9
	MultipartMeterConfig   MultipartType = 10
	MultipartMeterFeatures MultipartType = 11
	MultipartTableFeatures MultipartType = 12
	MultipartPortDesc      MultipartType = 13
	MultipartExperimenter  MultipartType = 0xffff
)

// MultipartFlags are the flags of a multipart message; both enums, of requests and replies, have
// one.
type MultipartFlags uint16

// MultipartMore: another part follows (OFPMPF_REQ_MORE, OFPMPF_REPLY_MORE).
const MultipartMore MultipartFlags = 1 << 0

// MultipartRequest asks for what Body names. Parse makes a new Body each time; it holds views into
// the bytes parsed.
type MultipartRequest struct {
	Flags MultipartFlags
	Body  RequestBody
}

// MultipartReply answers a MultipartRequest, in one part or several of the same transaction: all
// but the last have MultipartMore. Parse makes a new Body each time; it holds views into the bytes
// parsed, which the caller must keep while it keeps the body.
type MultipartReply struct {
	Flags MultipartFlags
	Body  ReplyBody
}

// RequestBody is the body of a MultipartRequest: a pointer to one of the types called …Request, to
// TableFeaturesList or to MultipartExperimenterBody, which is any experimenter's that has no type
// here.
type RequestBody interface {
	multipartBody
	isRequest()
}

// ReplyBody is the body of a MultipartReply: a pointer to one of the types called …List, or to
// Desc, AggregateStats, GroupFeatures, MeterFeatures or MultipartExperimenterBody.
type ReplyBody interface {
	multipartBody
	isReply()
}

type multipartBody interface {
	// Kind is the kind of the multipart message.
	Kind() MultipartType
	// parse reads a body whose length has been checked against the table of multipart messages.
	parse(v Version, body []byte) error
	append(b []byte, v Version) ([]byte, error)
	appendText(b []byte, v Version) []byte
}

// merger is a body that comes in parts.
type merger interface {
	// merge adds the items of the next part; false if that is of another kind.
	merge(next multipartBody) bool
}

// Type is TypeMultipartRequest.
func (m *MultipartRequest) Type() Type { return TypeMultipartRequest }

// Type is TypeMultipartReply.
func (m *MultipartReply) Type() Type { return TypeMultipartReply }

// Parse reads the kind, the flags and the body.
func (m *MultipartRequest) Parse(v Version, body []byte) error {
	kind, flags, rest, err := parseMultipart(TypeMultipartRequest, v, body)
	if err != nil {
		return err
	}
	m.Flags, m.Body = flags, newRequestBody(kind)
	if kind == MultipartExperimenter && isFlowMonitor(v, rest) {
		m.Body = new(FlowMonitorRequest)
	}
	return m.Body.parse(v, rest)
}

// Parse reads the kind, the flags and the body.
func (m *MultipartReply) Parse(v Version, body []byte) error {
	kind, flags, rest, err := parseMultipart(TypeMultipartReply, v, body)
	if err != nil {
		return err
	}
	m.Flags, m.Body = flags, newReplyBody(kind)
	if kind == MultipartExperimenter && isFlowMonitor(v, rest) {
		m.Body = new(FlowUpdateList)
	}
	return m.Body.parse(v, rest)
}

// parseMultipart reads the header of a multipart body, 4 bytes or, in OpenFlow 1.3, 8 with pad, and
// checks the length of what follows against the table.
func parseMultipart(t Type, v Version, body []byte) (MultipartType, MultipartFlags, []byte, error) {
	if err := checkLen(t, v, body); err != nil {
		return 0, 0, nil, err
	}
	kind, flags := MultipartType(be16(body)), MultipartFlags(be16(body[2:]))
	rest := body[multipartHeaderLen(v):]
	f := kind.form(t, v)
	if f == nil {
		return 0, 0, nil, refuse(BadRequestBadMultipart, "OpenFlow %s has no %s of type %d", v, t, kind)
	}
	if !f.fits(len(rest)) {
		return 0, 0, nil, refuse(BadRequestBadLen, "%s of type %s with a body of %d bytes", t, kind, len(rest))
	}
	return kind, flags, rest, nil
}

// Append writes kind, flags and body.
func (m *MultipartRequest) Append(b []byte, v Version) ([]byte, error) {
	return appendMultipart(b, v, TypeMultipartRequest, m.Flags, m.Body)
}

// Append writes kind, flags and body.
func (m *MultipartReply) Append(b []byte, v Version) ([]byte, error) {
	return appendMultipart(b, v, TypeMultipartReply, m.Flags, m.Body)
}

func appendMultipart(b []byte, v Version, t Type, flags MultipartFlags, body multipartBody) ([]byte, error) {
	kind := body.Kind()
	if kind.form(t, v) == nil {
		return b, inexpressible(v, "%s of type %s", t, kind)
	}
	b = append16(append16(b, uint16(kind)), uint16(flags))
	return body.append(appendPad(b, multipartHeaderLen(v)-4), v)
}

// AppendText prints kind, flags and the body.
func (m *MultipartRequest) AppendText(b []byte, v Version) []byte {
	return appendMultipartText(b, v, m.Flags, m.Body)
}

// AppendText prints kind, flags and the body.
func (m *MultipartReply) AppendText(b []byte, v Version) []byte {
	return appendMultipartText(b, v, m.Flags, m.Body)
}

var multipartFlagNames = []flagName{{uint32(MultipartMore), "more"}}

func appendMultipartText(b []byte, v Version, flags MultipartFlags, body multipartBody) []byte {
	b = append(appendKey(b, ' ', "type"), body.Kind().String()...)
	b = appendFlags(appendKey(b, ' ', "flags"), uint32(flags), multipartFlagNames)
	return body.appendText(b, v)
}
