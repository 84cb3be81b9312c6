package session

import "github.com/weirnet/weir/openflow"

// part takes one part of a multipart answer. An answer above the limits is given up: what still comes of it finds no
// request any more and is dropped.
func (c *Core) part(r *request, m *openflow.MultipartReply, length int) {
	r.parts++
	r.bytes += length
	if r.bytes > MaxMultipartBytes || r.parts > MaxMultipartParts {
		c.answer(r, nil, ErrTooLarge)
		return
	}
	if r.whole == nil {
		r.whole = m
	} else if err := r.whole.Merge(m); err != nil {
		c.answer(r, nil, err)
		return
	}
	if m.Flags&openflow.MultipartMore == 0 {
		c.answer(r, r.whole, nil)
	}
}
