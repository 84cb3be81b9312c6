package session

import "github.com/weirnet/weir/openflow"

// MultipartParts sends a multipart request and hands over each part of the answer as it comes, as
// the bytes of the reply's body, which are valid during the call; with its last part, or with an
// error of Request, it calls answer, once. An error of part ends the request with that error. Both
// are called on the session's reader. As long as parts come in time the request does not time out.
func (s *Session) MultipartParts(body openflow.RequestBody, part func(v openflow.Version, body []byte) error,
	answer func(error)) error {
	m := &openflow.MultipartRequest{Body: body}
	_, err := s.request(m, part, func(_ openflow.Message, err error) { answer(err) })
	return err
}

// deliverPart hands over a part of an answer that was requested part by part, and reports whether
// it was one.
func (s *Session) deliverPart(h openflow.Header, frame []byte) bool {
	now := s.group.now()
	s.mu.Lock()
	r := s.core.requests.find(h.XID)
	if r == nil || r.part == nil {
		s.mu.Unlock()
		return false
	}
	r.parts++
	r.bytes += len(frame)
	r.deadline = now.Add(s.cfg.MultipartTimeout)
	tooLarge := r.bytes > MaxMultipartBytes || r.parts > MaxMultipartParts
	s.mu.Unlock()
	body := frame[openflow.HeaderLen:]
	_, flags, err := openflow.MultipartHeader(h.Version, body)
	switch {
	case tooLarge:
		err = ErrTooLarge
	case err == nil:
		err = r.part(h.Version, body)
	}
	if err == nil && flags&openflow.MultipartMore != 0 {
		return true
	}
	s.mu.Lock()
	s.core.requests.remove(r)
	s.setDeadline(s.core.nextDeadline())
	s.mu.Unlock()
	r.answer(nil, err)
	return true
}
