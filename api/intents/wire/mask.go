package wire

import (
	"bytes"

	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/openflow"
)

// withinMask refuses a value in text whose own bits go beyond its mask: 10.0.0.3/8 may mean a
// network, or a host. Bare is what stands before the slash, masked the TLV that was made of all of
// it.
func withinMask(f openflow.Field, text, bare string, masked []byte) error {
	var room [4 + 16]byte
	whole, err := openflow.AppendFieldText(room[:0], f, bare)
	if err != nil {
		return nil
	}
	value := append(make([]byte, 0, 16), masked[4:len(whole)]...)
	if f == openflow.FieldVLANVID { // a bare one has the present bit besides
		value[0] |= byte(openflow.VLANPresent >> 8)
	}
	if bytes.Equal(value, whole[4:]) {
		return nil
	}
	exact := bare
	switch f {
	case openflow.FieldIPv4Src, openflow.FieldIPv4Dst, openflow.FieldARPSPA, openflow.FieldARPTPA:
		exact += "/32"
	case openflow.FieldIPv6Src, openflow.FieldIPv6Dst, openflow.FieldIPv6NDTarget:
		exact += "/128"
	}
	network := ""
	openflow.Match{OXM: masked}.Each(func(_, value string) { network = value })
	return &spec.Error{Field: "selector." + f.String(), Given: quote(text) + ", which has bits outside its mask,",
		Want: network + " or " + exact}
}
