package intentpb

import "google.golang.org/protobuf/encoding/protowire"

// AppendNumber appends a field that is a number, unless it is 0.
func AppendNumber(b []byte, field protowire.Number, n uint64) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

// AppendText appends a field that is text, unless it is empty.
func AppendText(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}
