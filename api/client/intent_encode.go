package client

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/weirnet/weir/api/client/intentpb"
)

// AppendJSON appends the request as a line of JSON, without the newline. It allocates only for what
// is not plain ASCII.
func (r *IntentRequest) AppendJSON(b []byte) ([]byte, error) {
	b = append(b, '{')
	b = appendJSONString(b, "op", r.Op)
	b = appendJSONString(b, "id", r.ID)
	b = appendJSONString(b, "kind", r.Kind)
	if r.Priority != nil {
		b = strconv.AppendUint(appendName(b, "priority"), uint64(*r.Priority), 10)
	}
	b = r.Src.appendJSON(b, "src")
	b = r.Dst.appendJSON(b, "dst")
	if len(r.Hops) > 0 {
		b = append(appendName(b, "hops"), '[')
		for i, h := range r.Hops {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSONString(append(b, '{'), "dpid", h.DPID)
			b = strconv.AppendUint(appendName(b, "in"), uint64(h.In), 10)
			b = append(strconv.AppendUint(appendName(b, "out"), uint64(h.Out), 10), '}')
		}
		b = append(b, ']')
	}
	if len(r.OXM) > 0 {
		return b, fmt.Errorf("intent %q: a selector in TLVs can only be sent in protobuf", r.ID)
	}
	if len(r.Selector) > 0 {
		b = append(appendName(b, "selector"), '{')
		for name, value := range r.Selector {
			b = appendQuoted(appendName(b, name), value)
		}
		b = append(b, '}')
	}
	if r.Wide {
		b = append(appendName(b, "wide"), "true"...)
	}
	b = appendJSONString(b, "if_match", r.IfMatch)
	b = appendJSONString(b, "key", r.Key)
	return append(b, '}'), nil
}

func appendName(b []byte, name string) []byte {
	if c := b[len(b)-1]; c != '{' {
		b = append(b, ',')
	}
	return append(appendQuoted(b, name), ':')
}

// appendJSONString appends a field, unless it is empty.
func appendJSONString(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return appendQuoted(appendName(b, name), s)
}

// appendQuoted appends a string; it allocates only for what is not printable ASCII.
func appendQuoted(b []byte, s string) []byte {
	start, from := len(b), 0
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(append(append(b, s[from:i]...), '\\'), c)
			from = i + 1
		case c < ' ' || c >= 0x7f:
			q, _ := json.Marshal(s) // of a string: no error
			return append(b[:start], q...)
		}
	}
	return append(append(b, s[from:]...), '"')
}

func (e *IntentEnds) appendJSON(b []byte, name string) []byte {
	if e.Host != "" {
		return appendJSONString(b, name, e.Host)
	}
	if len(e.Points) == 0 {
		return b
	}
	b = appendName(b, name)
	if len(e.Points) > 1 {
		b = append(b, '[')
	}
	for i, p := range e.Points {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSONString(append(b, '{'), "dpid", p.DPID)
		b = append(strconv.AppendUint(appendName(b, "port"), uint64(p.Port), 10), '}')
	}
	if len(e.Points) > 1 {
		b = append(b, ']')
	}
	return b
}

// AppendMessage appends the request as an IntentRequest of intents.proto with its length before it.
// The error is of what cannot be said there: a kind, an operation or an id that is none.
func (r *IntentRequest) AppendMessage(b []byte) ([]byte, error) {
	const room = 3 // for the length, which is below 2 MiB
	start := len(b)
	b = append(b, make([]byte, room)...)
	b, err := r.appendFields(b)
	if err != nil {
		return b[:start], err
	}
	n := len(b) - start - room
	if n >= 1<<21 {
		return b[:start], fmt.Errorf("intent %q: %d bytes, too long", r.ID, n)
	}
	// The length takes room bytes: a varint may have leading zeros, that is, more bytes than it
	// needs.
	b[start], b[start+1], b[start+2] = byte(n)|0x80, byte(n>>7)|0x80, byte(n>>14)
	return b, nil
}

func (r *IntentRequest) appendFields(b []byte) (_ []byte, err error) {
	switch r.Op {
	case "", OpCreate:
	case OpPut:
		b = intentpb.AppendNumber(b, intentpb.RequestOp, intentpb.OpPut)
	case OpWithdraw:
		b = intentpb.AppendNumber(b, intentpb.RequestOp, intentpb.OpWithdraw)
	default:
		return b, fmt.Errorf("op %q: want create, put or withdraw", r.Op)
	}
	b = intentpb.AppendText(b, intentpb.RequestID, r.ID)
	if r.Kind != "" {
		k, ok := intentpb.NumberOf(intentpb.KindNames, r.Kind)
		if !ok {
			return b, fmt.Errorf("kind %q: want %s", r.Kind, strings.Join(intentpb.KindNames[1:], ", "))
		}
		b = intentpb.AppendNumber(b, intentpb.RequestKind, k)
	}
	if r.Priority != nil {
		b = protowire.AppendVarint(protowire.AppendTag(b, intentpb.RequestPriority, protowire.VarintType), uint64(*r.Priority))
	}
	if b, err = r.Src.appendMessage(b, intentpb.RequestSrc, intentpb.RequestSrcHost); err != nil {
		return b, fmt.Errorf("src: %w", err)
	}
	if b, err = r.Dst.appendMessage(b, intentpb.RequestDst, intentpb.RequestDstHost); err != nil {
		return b, fmt.Errorf("dst: %w", err)
	}
	for _, h := range r.Hops {
		dpid, err := ParseDPID(h.DPID)
		if err != nil {
			return b, err
		}
		n := 9 + sizeNumber(h.In) + sizeNumber(h.Out)
		b = protowire.AppendVarint(protowire.AppendTag(b, intentpb.RequestHops, protowire.BytesType), uint64(n))
		b = appendFixed(b, intentpb.HopDPID, dpid)
		b = intentpb.AppendNumber(b, intentpb.HopIn, uint64(h.In))
		b = intentpb.AppendNumber(b, intentpb.HopOut, uint64(h.Out))
	}
	for name, value := range r.Selector {
		n := 2 + protowire.SizeBytes(len(name)) + protowire.SizeBytes(len(value))
		b = protowire.AppendVarint(protowire.AppendTag(b, intentpb.RequestSelector, protowire.BytesType), uint64(n))
		b = protowire.AppendString(protowire.AppendTag(b, intentpb.FieldName, protowire.BytesType), name)
		b = protowire.AppendString(protowire.AppendTag(b, intentpb.FieldValue, protowire.BytesType), value)
	}
	if len(r.OXM) > 0 {
		b = protowire.AppendBytes(protowire.AppendTag(b, intentpb.RequestSelectorOXM, protowire.BytesType), r.OXM)
	}
	b = intentpb.AppendText(b, intentpb.RequestIfMatch, r.IfMatch)
	b = intentpb.AppendText(b, intentpb.RequestKey, r.Key)
	if r.Wide {
		b = intentpb.AppendNumber(b, intentpb.RequestWide, 1)
	}
	return b, nil
}

func appendFixed(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), v)
}

// sizeNumber returns how many bytes intentpb.AppendNumber appends for a field below 16.
func sizeNumber(n uint32) int {
	if n == 0 {
		return 0
	}
	return 1 + protowire.SizeVarint(uint64(n))
}

func (e *IntentEnds) appendMessage(b []byte, points, host protowire.Number) ([]byte, error) {
	if e.Host != "" {
		mac, vlan, err := parseHost(e.Host)
		if err != nil {
			return b, err
		}
		b = protowire.AppendVarint(protowire.AppendTag(b, host, protowire.BytesType), uint64(9+sizeNumber(vlan)))
		b = appendFixed(b, intentpb.HostMAC, mac)
		return intentpb.AppendNumber(b, intentpb.HostVLAN, uint64(vlan)), nil
	}
	for _, p := range e.Points {
		dpid, err := ParseDPID(p.DPID)
		if err != nil {
			return b, err
		}
		b = protowire.AppendVarint(protowire.AppendTag(b, points, protowire.BytesType), uint64(9+sizeNumber(p.Port)))
		b = appendFixed(b, intentpb.PointDPID, dpid)
		b = intentpb.AppendNumber(b, intentpb.PointPort, uint64(p.Port))
	}
	return b, nil
}

// parseHost reads MAC or MAC/vlan.
func parseHost(id string) (mac uint64, vlan uint32, err error) {
	addr, tag, tagged := strings.Cut(id, "/")
	var raw [8]byte
	ok := len(addr) == 17
	for i := 0; ok && i < 6; i++ {
		n, e := strconv.ParseUint(addr[3*i:3*i+2], 16, 8)
		raw[2+i] = byte(n)
		ok = e == nil && (i == 5 || addr[3*i+2] == ':')
	}
	if tagged && ok {
		n, e := strconv.ParseUint(tag, 10, 12)
		vlan, ok = uint32(n), e == nil
	}
	if !ok {
		return 0, 0, fmt.Errorf("host id %q: want a MAC, such as 00:00:00:00:00:01, or MAC/vlan", id)
	}
	return binary.BigEndian.Uint64(raw[:]), vlan, nil
}
