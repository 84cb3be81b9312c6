package client

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/intent/schema"
)

// AppendJSON appends the request as a line of JSON, without the newline. It allocates only for what
// is not plain ASCII.
func (r *IntentRequest) AppendJSON(b []byte) ([]byte, error) {
	if len(r.OXM) > 0 {
		return b, fmt.Errorf("intent %q: a selector in TLVs can only be sent in protobuf", r.ID)
	}
	b = append(b, '{')
	for i := range schema.Rows {
		row := &schema.Rows[i]
		if row.Unserved != "" {
			continue
		}
		switch row.Form {
		case schema.Text, schema.Enum:
			b = appendJSONString(b, row.Begin, *r.text(row.Field))
		case schema.Number:
			if n := *r.number(row.Field); n != nil {
				b = strconv.AppendUint(appendBegin(b, row.Begin), uint64(*n), 10)
			}
		case schema.Flag:
			if *r.flag(row.Field) {
				b = append(appendBegin(b, row.Begin), "true"...)
			}
		case schema.Ends:
			b = r.ends(row.Field).appendJSON(b, row.Begin)
		case schema.HopList:
			b = appendHopsJSON(b, row.Begin, r.Hops)
		case schema.Match:
			b = r.Selector.appendJSON(b, row.Begin)
		}
	}
	return append(b, '}'), nil
}

func appendHopsJSON(b []byte, begin string, hops []IntentHop) []byte {
	if len(hops) == 0 {
		return b
	}
	b = append(appendBegin(b, begin), '[')
	for i, h := range hops {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSONString(append(b, '{'), `"dpid":`, h.DPID)
		b = strconv.AppendUint(appendBegin(b, `"in":`), uint64(h.In), 10)
		b = append(strconv.AppendUint(appendBegin(b, `"out":`), uint64(h.Out), 10), '}')
	}
	return append(b, ']')
}

func (s Selector) appendJSON(b []byte, begin string) []byte {
	if len(s) == 0 {
		return b
	}
	b = append(appendBegin(b, begin), '{')
	first := true
	for name, value := range s {
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendQuoted(append(appendQuoted(b, name), ':'), value)
	}
	return append(b, '}')
}

// appendBegin appends what a field begins with, its name and a colon, after a comma if it is not the
// first of its object.
func appendBegin(b []byte, begin string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(b, begin...)
}

// appendJSONString appends a field, unless it is empty.
func appendJSONString(b []byte, begin, s string) []byte {
	if s == "" {
		return b
	}
	return appendQuoted(appendBegin(b, begin), s)
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

func (e *IntentEnds) appendJSON(b []byte, begin string) []byte {
	if e.Host != "" {
		return appendJSONString(b, begin, e.Host)
	}
	if len(e.Points) == 0 {
		return b
	}
	b = appendBegin(b, begin)
	if len(e.Points) > 1 {
		b = append(b, '[')
	}
	for i, p := range e.Points {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSONString(append(b, '{'), `"dpid":`, p.DPID)
		b = append(strconv.AppendUint(appendBegin(b, `"port":`), uint64(p.Port), 10), '}')
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
	for i := range schema.Rows {
		row := &schema.Rows[i]
		if row.Unserved != "" {
			continue
		}
		number := protowire.Number(row.Number)
		switch row.Form {
		case schema.Text:
			b = intentpb.AppendText(b, number, *r.text(row.Field))
		case schema.Enum:
			if name := *r.text(row.Field); name != "" {
				n, ok := row.ValueOf(name)
				if !ok {
					return b, fmt.Errorf("%s %q: want %s", row.Name, name, row.Choices())
				}
				b = intentpb.AppendNumber(b, number, n)
			}
		case schema.Number:
			if n := *r.number(row.Field); n != nil {
				b = protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), uint64(*n))
			}
		case schema.Flag:
			if *r.flag(row.Field) {
				b = intentpb.AppendNumber(b, number, 1)
			}
		case schema.Ends:
			if b, err = r.ends(row.Field).appendMessage(b, number, protowire.Number(row.AlsoNumber)); err != nil {
				return b, fmt.Errorf("%s: %w", row.Name, err)
			}
		case schema.HopList:
			if b, err = appendHops(b, number, r.Hops); err != nil {
				return b, err
			}
		case schema.Match:
			b = r.Selector.appendMessage(b, number)
			if len(r.OXM) > 0 {
				b = protowire.AppendBytes(protowire.AppendTag(b, protowire.Number(row.AlsoNumber), protowire.BytesType), r.OXM)
			}
		}
	}
	return b, nil
}

func appendHops(b []byte, number protowire.Number, hops []IntentHop) ([]byte, error) {
	for _, h := range hops {
		dpid, err := ParseDPID(h.DPID)
		if err != nil {
			return b, err
		}
		n := 9 + sizeNumber(h.In) + sizeNumber(h.Out)
		b = protowire.AppendVarint(protowire.AppendTag(b, number, protowire.BytesType), uint64(n))
		b = appendFixed(b, intentpb.HopDPID, dpid)
		b = intentpb.AppendNumber(b, intentpb.HopIn, uint64(h.In))
		b = intentpb.AppendNumber(b, intentpb.HopOut, uint64(h.Out))
	}
	return b, nil
}

func (s Selector) appendMessage(b []byte, number protowire.Number) []byte {
	for name, value := range s {
		n := 2 + protowire.SizeBytes(len(name)) + protowire.SizeBytes(len(value))
		b = protowire.AppendVarint(protowire.AppendTag(b, number, protowire.BytesType), uint64(n))
		b = protowire.AppendString(protowire.AppendTag(b, intentpb.FieldName, protowire.BytesType), name)
		b = protowire.AppendString(protowire.AppendTag(b, intentpb.FieldValue, protowire.BytesType), value)
	}
	return b
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
