package session

import "github.com/weirnet/weir/openflow"

// maxAnswer is how long an answer may be whose parts are merged: of those of the handshake, the
// longest is that of the ports.
func (c *Core) maxAnswer(r *request) int {
	if r.own {
		return min((c.cfg.MaxPorts+1)*portBytes+maxFrame, MaxMergedBytes)
	}
	return MaxMergedBytes
}

// addPart takes one part of a multipart answer. An answer above the limits is given up: what still
// comes of it finds no request any more and is dropped.
func (c *Core) addPart(r *request, m *openflow.MultipartReply, length int) {
	r.parts++
	r.bytes += length
	c.holds.Add(heldFactor * int64(length))
	if r.bytes > c.maxAnswer(r) || r.parts > MaxMultipartParts {
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
