package wire

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/weirnet/weir/intent/spec"
)

// fieldValue is a field's value.
type fieldValue struct {
	kind protowire.Type
	n    uint64
	raw  []byte
	text string
}

// given names the value, for errors.
func (v fieldValue) given() string {
	switch v.kind {
	case protowire.VarintType:
		return "the number " + strconv.FormatUint(v.n, 10)
	case protowire.Fixed64Type:
		return "a fixed64"
	}
	return strconv.Itoa(len(v.raw)) + " bytes"
}

// fields returns a reader of the message that is a field's value.
func (v fieldValue) fields() fieldReader { return fieldReader{b: v.raw, text: v.text} }

// fieldReader reads the fields of a message, one after the other. Text is b as a string.
type fieldReader struct {
	b      []byte
	text   string
	number protowire.Number
	v      fieldValue
	err    error // why there is no next
}

// next reads a field; it is false at the end, and where the bytes are none.
func (s *fieldReader) next(what string) bool {
	if len(s.b) == 0 || s.err != nil {
		return false
	}
	number, kind, at := protowire.ConsumeTag(s.b)
	if at < 0 {
		s.err = &spec.Error{Field: what, Given: "bytes that are no protobuf", Want: "a message as in intents.proto"}
		return false
	}
	n := -1
	s.number, s.v = number, fieldValue{kind: kind}
	switch kind {
	case protowire.VarintType:
		s.v.n, n = protowire.ConsumeVarint(s.b[at:])
	case protowire.Fixed64Type:
		s.v.n, n = protowire.ConsumeFixed64(s.b[at:])
	case protowire.BytesType:
		s.v.raw, n = protowire.ConsumeBytes(s.b[at:])
		if n > 0 {
			s.v.text = s.text[at+n-len(s.v.raw) : at+n]
		}
	}
	if n < 0 {
		s.err = &spec.Error{Field: what,
			Given: "field " + strconv.Itoa(int(number)) + " of a form that is not known, or cut off",
			Want:  "a message as in intents.proto"}
		return false
	}
	s.b, s.text = s.b[at+n:], s.text[at+n:]
	return true
}
