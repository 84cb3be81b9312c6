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

// PacketInReason tells why a packet came to the controller (enum ofp_packet_in_reason).
type PacketInReason uint8

// The reasons of a packet-in.
const (
	ReasonNoMatch PacketInReason = 0
	ReasonAction  PacketInReason = 1
	ReasonBadTTL  PacketInReason = 2 // OpenFlow 1.3: OFPR_INVALID_TTL
)

// reasonNames are the reasons of a packet-in in text.
var reasonNames = []string{"no_match", "action", "invalid_ttl"}

// String is the reason in text: "no_match".
func (r PacketInReason) String() string { return string(nameOr(nil, reasonNames, r)) }

// Type is TypePacketIn.
func (*PacketIn) Type() Type { return TypePacketIn }

// Parse reads the body of a packet-in. In OpenFlow 1.3 InPort is PortAny if the match does not say
// it.
func (p *PacketIn) Parse(v Version, b []byte) error {
	if v == V10 {
		return p.parse10(b)
	}
	if len(b) < 26 {
		return refuse(BadRequestBadLen, "packet_in with a body of %d bytes", len(b))
	}
	p.Buffer, p.TotalLen = be32(b), be16(b[4:])
	p.Reason, p.Table, p.Cookie = PacketInReason(b[6]), b[7], be64(b[8:])
	n := 16 // of the usual match, in_port and nothing else, which is recognised as a whole
	if be64(b[16:]) == matchInPort && len(b) >= 16+16 {
		p.InPort = be32(b[24:])
		p.Match = Match{OXM: view(b, 20, 28)}
	} else {
		var err error
		a := arena{report: true}
		if n, err = p.Match.parse(v, b[16:], &a); err != nil {
			return err
		}
		p.InPort = PortAny
		if port, ok := p.Match.Uint(FieldInPort); ok {
			p.InPort = uint32(port)
		}
	}
	data := 16 + n + 2 // the pad aligns the frame's addresses of layer 3
	if len(b) < data {
		return refuse(BadRequestBadLen, "packet_in of %d bytes without the pad after its match", len(b))
	}
	p.Data = view(b, data, len(b))
	return nil
}

// matchInPort begins an ofp_match of 12 bytes, followed by the port and 4 bytes of padding: type,
// length, OXM header.
const matchInPort = matchTypeOXM<<48 | 12<<32 | oxmClassBasic<<16 | uint64(FieldInPort)<<9 | 4

func (p *PacketIn) parse10(b []byte) error {
	if len(b) < 10 {
		return refuse(BadRequestBadLen, "packet_in with a body of %d bytes", len(b))
	}
	p.Buffer, p.TotalLen, p.InPort = be32(b), be16(b[4:]), portFrom10(be16(b[6:]))
	p.Reason, p.Table, p.Cookie = PacketInReason(b[8]), 0, 1<<64-1
	p.Match = Match{}
	p.Data = view(b, 10, len(b))
	return nil
}

// Append appends the body. In OpenFlow 1.3 an empty Match is written as in_port=InPort, or as empty
// if InPort is PortAny. OpenFlow 1.0 has no table and no cookie, which are then not written, and no
// match besides in_port.
func (p *PacketIn) Append(b []byte, v Version) ([]byte, error) {
	b = append(b, uint8(p.Buffer>>24), uint8(p.Buffer>>16), uint8(p.Buffer>>8), uint8(p.Buffer),
		uint8(p.TotalLen>>8), uint8(p.TotalLen))
	if v == V10 {
		port, err := portTo10(p.InPort)
		if err == nil && len(p.Match.OXM) != 0 && !p.onlyInPort() {
			err = inexpressible(v, "packet_in with match %s", p.Match.appendText(nil, V13))
		}
		b = append(b, uint8(port>>8), uint8(port), uint8(p.Reason), 0)
		return append(b, p.Data...), err
	}
	b = append64(append(b, uint8(p.Reason), p.Table), p.Cookie)
	if len(p.Match.OXM) == 0 && p.InPort != PortAny {
		b = append(b, 0, matchTypeOXM, 0, 12, oxmClassBasic>>8, 0, uint8(FieldInPort)<<1, 4,
			uint8(p.InPort>>24), uint8(p.InPort>>16), uint8(p.InPort>>8), uint8(p.InPort), 0, 0, 0, 0)
	} else {
		var err error
		if b, err = p.Match.append(b, v); err != nil {
			return b, err
		}
	}
	return append(append(b, 0, 0), p.Data...), nil
}

// onlyInPort reports whether the match is in_port=InPort and nothing else.
func (p *PacketIn) onlyInPort() bool {
	o := p.Match.OXM
	return len(o) == 8 && be32(o) == oxmClassBasic<<16|4 && be32(o[4:]) == p.InPort
}

// AppendText appends the body as text. A match that is in_port alone is shown as that.
func (p *PacketIn) AppendText(b []byte, v Version) []byte {
	if p.Buffer != NoBuffer {
		b = appendHex(appendKey(b, ' ', "buffer"), p.Buffer)
	}
	b = appendDec(appendKey(b, ' ', "total_len"), p.TotalLen)
	b = append(appendKey(b, ' ', "reason"), p.Reason.String()...)
	if v != V10 {
		b = appendDec(appendKey(b, ' ', "table"), p.Table)
		b = appendHexN(appendKey(b, ' ', "cookie"), p.Cookie, 16)
	}
	if v == V10 || len(p.Match.OXM) == 0 && p.InPort != PortAny || p.onlyInPort() {
		b = appendPort(appendKey(b, ' ', "in_port"), p.InPort)
	} else {
		b = p.Match.appendText(appendKey(b, ' ', "match"), v)
	}
	return appendData(b, p.Data)
}

// appendData appends bytes that a message ends with, if there are any.
func appendData(b, data []byte) []byte {
	if len(data) == 0 {
		return b
	}
	return appendHexBytes(appendKey(b, ' ', "data"), data)
}
