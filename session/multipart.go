package session

import "github.com/weirnet/weir/openflow"

// maxAnswer is how long an answer may be whose parts are merged: of those of the handshake, the
// longest is that of the ports.
func (q *requests) maxAnswer(r *request) int {
	if r.own {
		return min((q.cfg.MaxPorts+1)*portBytes+maxFrame, MaxMergedBytes)
	}
	return MaxMergedBytes
}

// addPart takes one part of a multipart answer. An answer above the limits is given up: what still
// comes of it finds no request any more and is dropped.
func (q *requests) addPart(r *request, m *openflow.MultipartReply, length int) {
	r.parts++
	r.bytes += length
	q.holds.Add(heldFactor * int64(length))
	if r.bytes > q.maxAnswer(r) || r.parts > MaxMultipartParts {
		q.end(r, nil, ErrTooLarge)
		return
	}
	if r.whole == nil {
		r.whole = m
	} else if err := r.whole.Merge(m); err != nil {
		q.end(r, nil, err)
		return
	}
	if m.Flags&openflow.MultipartMore == 0 {
		q.end(r, r.whole, nil)
	}
}
