package wire

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/topology"
)

// The errors of a stream of delimited messages, after which nothing more of it can be read.
var (
	// ErrLength is the error of a length that is no varint.
	ErrLength = errors.New("the length before a message is no varint of at most 10 bytes")
	// ErrLong is the error of a message longer than MaxItem.
	ErrLong = errors.New("a message of more than " + strconv.Itoa(MaxItem) + " bytes")
)

// Delimited returns the first message of b, and how many bytes it takes with its length. Zero
// bytes: b is too short for it.
func Delimited(b []byte) (message []byte, n int, err error) {
	length, k := protowire.ConsumeVarint(b)
	switch {
	case k < 0 && len(b) < 10:
		return nil, 0, nil
	case k < 0:
		return nil, 0, ErrLength
	case length > MaxItem:
		return nil, 0, ErrLong
	case uint64(len(b)-k) < length:
		return nil, 0, nil
	}
	n = k + int(length)
	return b[k:n:n], n, nil
}

// Message reads one IntentRequest into the batch. Text is the message as a string; ids of requests
// are parts of it.
func (b *Batch) Message(raw []byte, text string) {
	r := &b.scratch
	*r = intent.Request{Op: intent.Create}
	r.Spec.SetDefaults()
	m := message{b: b, r: r, oxm: len(b.oxm)}
	err := m.read(fieldReader{b: raw, text: text})
	m.finish()
	b.add(r, 0, err)
}

func (m *message) read(s fieldReader) error {
	for s.next("message") {
		if err := m.known(s.number, s.v); err == errForm {
			row := schema.Numbered(int(s.number))
			return &spec.Error{Field: row.NameOf(int(s.number)), Given: s.v.given(), Want: row.Want() + ", as in intents.proto"}
		} else if err != nil {
			return err
		}
	}
	return s.err
}

// message is a request that is being read. Elements of its lists need not come together.
type message struct {
	b    *Batch
	r    *intent.Request
	oxm  int // len(b.oxm) before it
	both bool
}

// finish puts what was gathered where it belongs.
func (m *message) finish() {
	s := &m.r.Spec
	if end := len(m.b.oxm); m.both {
		s.Selector.OXM = m.b.oxm[m.oxm:end:end]
	} else {
		s.Selector.OXM = m.b.selector(m.oxm)
	}
	if m.r.Op == intent.Withdraw {
		m.r.ID = s.ID
	}
}

var errForm = errors.New("form")

func (v fieldValue) varint(most uint64) (uint64, error) {
	if v.kind != protowire.VarintType || v.n > most {
		return 0, errForm
	}
	return v.n, nil
}

func (v fieldValue) str() (string, error) {
	if v.kind != protowire.BytesType || !utf8.ValidString(v.text) {
		return "", errForm
	}
	return v.text, nil
}

func (m *message) known(field protowire.Number, v fieldValue) (err error) {
	row := schema.Numbered(int(field))
	if row == nil {
		return &spec.Error{Field: "field " + strconv.Itoa(int(field)), Given: "a value",
			Want: "none: no such field is known or served"}
	}
	var n uint64
	switch row.Form {
	case schema.Text:
		*text(m.r, row.Field), err = v.str()
	case schema.Enum:
		if n, err = v.varint(uint64(len(row.Values) - 1)); err == nil {
			setEnum(m.r, row.Field, n)
		}
	case schema.Number:
		n, err = v.varint(math.MaxUint16)
		*m.r.Spec.NumberOf(row.Field) = uint16(n)
	case schema.Flag:
		n, err = v.varint(1)
		*m.r.Spec.FlagOf(row.Field) = n == 1
	case schema.Ends:
		list := m.r.Spec.EndsOf(row.Field)
		if int(field) == row.AlsoNumber {
			*list, err = m.host(*list, v, row.Also)
		} else {
			*list, err = m.point(*list, v, row.Name)
		}
	case schema.HopList:
		err = m.hop(v)
	case schema.Match:
		err = m.selector(v, int(field) == row.AlsoNumber)
	}
	return err
}

// appendEnd appends an end, in the batch's memory as long as the list has but one.
func (m *message) appendEnd(list []spec.End, e spec.End) []spec.End {
	if list != nil {
		return append(list, e)
	}
	m.b.ends = append(m.b.ends, e)
	n := len(m.b.ends)
	return m.b.ends[n-1 : n : n]
}

func (m *message) point(list []spec.End, v fieldValue, what string) ([]spec.End, error) {
	if v.kind != protowire.BytesType || len(list) > spec.MaxEnds {
		return list, errForm
	}
	var e spec.End
	s := v.fields()
	for s.next(what) {
		number, v := s.number, s.v
		switch {
		case number == intentpb.PointDPID && v.kind == protowire.Fixed64Type:
			e.Point.DPID = netview.DPID(v.n)
		case number == intentpb.PointPort && v.kind == protowire.VarintType && v.n <= math.MaxUint32:
			e.Point.Port = uint32(v.n)
		default:
			return list, errForm
		}
	}
	return m.appendEnd(list, e), s.err
}

func (m *message) host(list []spec.End, v fieldValue, what string) ([]spec.End, error) {
	if v.kind != protowire.BytesType {
		return list, errForm
	}
	var e spec.End
	s := v.fields()
	for s.next(what) {
		number, v := s.number, s.v
		switch {
		case number == intentpb.HostMAC && v.kind == protowire.Fixed64Type && v.n>>48 == 0:
			e.Host.MAC = packet.MACFromUint64(v.n)
		case number == intentpb.HostVLAN && v.kind == protowire.VarintType && v.n <= math.MaxUint16:
			e.Host.VLAN = uint16(v.n)
		default:
			return list, errForm
		}
	}
	return m.appendEnd(list, e), s.err
}

func (m *message) hop(v fieldValue) error {
	if v.kind != protowire.BytesType || len(m.r.Spec.Hops) > spec.MaxHops {
		return errForm
	}
	var h topology.Hop
	s := v.fields()
	for s.next("hops") {
		number, v := s.number, s.v
		switch {
		case number == intentpb.HopDPID && v.kind == protowire.Fixed64Type:
			h.DPID = netview.DPID(v.n)
		case number == intentpb.HopIn && v.kind == protowire.VarintType && v.n <= math.MaxUint32:
			h.In = uint32(v.n)
		case number == intentpb.HopOut && v.kind == protowire.VarintType && v.n <= math.MaxUint32:
			h.Out = uint32(v.n)
		default:
			return errForm
		}
	}
	m.r.Spec.Hops = append(m.r.Spec.Hops, h)
	return s.err
}

// selector reads a match field in text, or all of them as TLVs.
func (m *message) selector(v fieldValue, tlvs bool) error {
	switch {
	case v.kind != protowire.BytesType:
		return errForm
	case m.both || tlvs && len(m.b.oxm) > m.oxm:
		return &spec.Error{Field: "selector_oxm", Given: "a value beside another selector", Want: "one selector"}
	case tlvs:
		if n := len(v.raw); n > spec.MaxSelector {
			return &spec.Error{Field: "selector_oxm", Given: strconv.Itoa(n) + " bytes",
				Want: "at most " + strconv.Itoa(spec.MaxSelector)}
		}
		m.both = true
		m.b.oxm = append(m.b.oxm, v.raw...)
		return nil
	}
	var name, value string
	s := v.fields()
	for s.next("selector") {
		number, v := s.number, s.v
		var err error
		switch number {
		case intentpb.FieldName:
			name, err = v.str()
		case intentpb.FieldValue:
			value, err = v.str()
		default:
			err = errForm
		}
		if err != nil {
			return err
		}
	}
	if s.err != nil {
		return s.err
	}
	if len(m.b.oxm)-m.oxm > spec.MaxSelector {
		return errForm
	}
	return m.b.addField(name, value)
}
