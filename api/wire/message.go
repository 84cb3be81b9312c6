package wire

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/intent"
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
	r.Spec.Priority = spec.PriorityDefault
	m := message{b: b, r: r, oxm: len(b.oxm)}
	err := m.read(fieldReader{b: raw, text: text})
	m.finish()
	b.add(r, 0, err)
}

func (m *message) read(s fieldReader) error {
	for s.next("message") {
		if err := m.known(s.number, s.v); err == errForm {
			return &spec.Error{Field: requestNames[s.number], Given: "a value of another form, or out of range",
				Want: "one as in intents.proto"}
		} else if err != nil {
			return err
		}
	}
	return s.err
}

// message is a request that is being read. Its lists are gathered apart, since their elements need
// not come together.
type message struct {
	b        *Batch
	r        *intent.Request
	src, dst []spec.End
	hops     []topology.Hop
	oxm      int // len(b.oxm) before it
	both     bool
}

// finish puts the lists where they belong.
func (m *message) finish() {
	s := &m.r.Spec
	s.Src, s.Dst, s.Hops = m.src, m.dst, m.hops
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

var requestNames = [...]string{intentpb.RequestOp: "op", intentpb.RequestID: "id", intentpb.RequestKind: "kind",
	intentpb.RequestPriority: "priority",
	intentpb.RequestSrc:      "src", intentpb.RequestDst: "dst", intentpb.RequestSrcHost: "src_host",
	intentpb.RequestDstHost: "dst_host", intentpb.RequestHops: "hops",
	intentpb.RequestSelector: "selector", intentpb.RequestSelectorOXM: "selector_oxm",
	intentpb.RequestIfMatch: "if_match", intentpb.RequestKey: "key", intentpb.RequestWide: "wide"}

func (m *message) known(number protowire.Number, v fieldValue) (err error) {
	s := &m.r.Spec
	var n uint64
	switch number {
	case intentpb.RequestOp:
		n, err = v.varint(intentpb.OpWithdraw)
		m.r.Op = ops[n]
	case intentpb.RequestID:
		s.ID, err = v.str()
	case intentpb.RequestKind:
		n, err = v.varint(uint64(spec.Path))
		s.Kind = spec.Kind(n)
	case intentpb.RequestPriority:
		n, err = v.varint(math.MaxUint16)
		s.Priority = uint16(n)
	case intentpb.RequestSrc:
		m.src, err = m.point(m.src, v, "src")
	case intentpb.RequestDst:
		m.dst, err = m.point(m.dst, v, "dst")
	case intentpb.RequestSrcHost:
		m.src, err = m.host(m.src, v, "src_host")
	case intentpb.RequestDstHost:
		m.dst, err = m.host(m.dst, v, "dst_host")
	case intentpb.RequestHops:
		err = m.hop(v)
	case intentpb.RequestSelector, intentpb.RequestSelectorOXM:
		err = m.selector(number, v)
	case intentpb.RequestIfMatch:
		m.r.IfMatch, err = v.str()
	case intentpb.RequestKey:
		m.r.Key, err = v.str()
	case intentpb.RequestWide:
		n, err = v.varint(1)
		s.Wide = n == 1
	default:
		return &spec.Error{Field: "field " + strconv.Itoa(int(number)), Given: "a value",
			Want: "none: no such field is known or served"}
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
	if v.kind != protowire.BytesType || len(m.hops) > spec.MaxHops {
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
	m.hops = append(m.hops, h)
	return s.err
}

// selector reads a match field in text, or all of them as TLVs.
func (m *message) selector(number protowire.Number, v fieldValue) error {
	switch {
	case v.kind != protowire.BytesType:
		return errForm
	case m.both || number == intentpb.RequestSelectorOXM && len(m.b.oxm) > m.oxm:
		return &spec.Error{Field: "selector_oxm", Given: "a value beside another selector", Want: "one selector"}
	case number == intentpb.RequestSelectorOXM:
		if len(v.raw) > spec.MaxSelector {
			return errForm
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
