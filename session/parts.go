package session

import "github.com/weirnet/weir/openflow"

// MultipartParts sends a multipart request and hands over each part of the answer as it comes, as
// the bytes of the reply's body, which are valid during the call; with its last part, or with an
// error of Request, it calls answer, once. An error of part ends the request with that error. Both
// are called on the session's reader. As long as parts come in time the request does not time out.
func (s *Session) MultipartParts(body openflow.RequestBody, part func(v openflow.Version, body []byte) error,
	answer func(error)) error {
	m := &openflow.MultipartRequest{Body: body}
	_, err := s.protocol.request(&s.out, m, part, func(_ openflow.Message, err error) { answer(err) })
	return err
}

// part hands over a part of an answer that was requested part by part, and reports whether it was
// one.
func (r *reader) part(h openflow.Header, frame []byte) bool {
	q, err := r.s.protocol.part(h.XID, len(frame))
	if q == nil {
		return false
	}
	body := frame[openflow.HeaderLen:]
	_, flags, malformed := openflow.MultipartHeader(h.Version, body)
	switch {
	case err != nil:
	case malformed != nil:
		err = malformed
	default:
		err = q.part(h.Version, body)
	}
	if err == nil && flags&openflow.MultipartMore != 0 {
		return true
	}
	r.s.protocol.partsEnd(q)
	q.answer(nil, err)
	return true
}
