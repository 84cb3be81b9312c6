package openflow

// arena is memory that the parts of a parsed message live in. It belongs to the message and is used
// again when the message is parsed again, so that the hot messages parse without allocation. Parts
// that were handed out stay valid when the arena grows.
type arena struct {
	// report is set where the bytes are what a switch reports of itself: then only structure is
	// checked, not meaning.
	report  bool
	actions []Action
	bytes   []byte // OXM TLVs made from the fixed structs of OpenFlow 1.0
}

func (a *arena) reset() {
	a.actions = a.actions[:0]
	a.bytes = a.bytes[:0]
}

// oxm makes a TLV without a mask and returns it.
func (a *arena) oxm(f Field, value []byte) []byte {
	start := len(a.bytes)
	a.bytes = appendOXM(a.bytes, f, value, nil)
	return view(a.bytes, start, len(a.bytes))
}

// appendOXM appends the TLV of a field; mask is nil or as long as value.
func appendOXM(b []byte, f Field, value, mask []byte) []byte {
	field := uint8(f) << 1
	if mask != nil {
		field |= 1
	}
	b = append(b, oxmClassBasic>>8, 0, field, uint8(len(value)+len(mask)))
	return append(append(b, value...), mask...)
}
