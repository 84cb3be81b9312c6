package openflow

// PacketOut is a packet that the controller has the switch send.
type PacketOut struct {
	Buffer  uint32
	InPort  uint32
	Actions []Action
	Data    []byte // the frame if Buffer is NoBuffer

	arena arena
}

// Type is TypePacketOut.
func (*PacketOut) Type() Type { return TypePacketOut }

// Parse reads the body of a packet-out.
func (p *PacketOut) Parse(v Version, b []byte) error {
	p.arena.reset()
	head := 16
	if v == V10 {
		head = 8
	}
	if len(b) < head {
		return refuse(BadRequestBadLen, "packet_out with a body of %d bytes", len(b))
	}
	p.Buffer = be32(b)
	var n int
	if v == V10 {
		p.InPort, n = portFrom10(be16(b[4:])), int(be16(b[6:]))
	} else {
		p.InPort, n = be32(b[4:]), int(be16(b[8:]))
	}
	if head+n > len(b) || n%8 != 0 {
		return refuse(BadRequestBadLen, "packet_out with %d bytes of actions in %d", n, len(b)-head)
	}
	var err error
	p.Actions, err = parseActions(v, b[head:head+n], &p.arena)
	p.Data = view(b, head+n, len(b))
	return err
}

// Append appends the body.
func (p *PacketOut) Append(b []byte, v Version) ([]byte, error) {
	b = append(b, uint8(p.Buffer>>24), uint8(p.Buffer>>16), uint8(p.Buffer>>8), uint8(p.Buffer))
	var at int
	if v == V10 {
		port, err := portTo10(p.InPort)
		if err != nil {
			return b, err
		}
		b = append(b, uint8(port>>8), uint8(port), 0, 0)
		at = len(b) - 2
	} else {
		b = append(b, uint8(p.InPort>>24), uint8(p.InPort>>16), uint8(p.InPort>>8), uint8(p.InPort), 0, 0, 0, 0, 0, 0, 0, 0)
		at = len(b) - 8
	}
	start := len(b)
	b, err := appendActions(b, v, p.Actions)
	if err == nil {
		err = setLen16(b, start, at)
	}
	return append(b, p.Data...), err
}

// AppendText appends the body as text.
func (p *PacketOut) AppendText(b []byte, _ Version) []byte {
	if p.Buffer != NoBuffer {
		b = appendHex(appendKey(b, ' ', "buffer"), p.Buffer)
	}
	b = appendPort(appendKey(b, ' ', "in_port"), p.InPort)
	b = appendActionsText(appendKey(b, ' ', "actions"), p.Actions)
	return appendData(b, p.Data)
}
