package openflow

import "slices"

// MultipartExperimenterBody is the body of an experimenter's multipart request or reply (vendor
// statistics, in OpenFlow 1.0); its bytes are kept exactly.
type MultipartExperimenterBody struct {
	Experimenter uint32
	ExpType      uint32 // OpenFlow 1.3; in 1.0 the first four bytes of Data are the vendor's own
	Data         []byte
}

// Kind is MultipartExperimenter.
func (*MultipartExperimenterBody) Kind() MultipartType { return MultipartExperimenter }

func (*MultipartExperimenterBody) isRequest() {}
func (*MultipartExperimenterBody) isReply()   {}

func (e *MultipartExperimenterBody) parse(v Version, body []byte) error {
	e.Experimenter, e.Data = be32(body), body[4:]
	if v != V10 {
		e.ExpType, e.Data = be32(body[4:]), body[8:]
	}
	return nil
}

func (e *MultipartExperimenterBody) append(b []byte, v Version) ([]byte, error) {
	b, err := appendExperimenter(b, v, e.Experimenter, e.ExpType)
	return append(b, e.Data...), err
}

func (e *MultipartExperimenterBody) appendText(b []byte, v Version) []byte {
	return appendExperimenterText(b, v, e.Experimenter, e.ExpType, e.Data)
}

// merge joins the data of the parts of one experimenter's answer.
func (e *MultipartExperimenterBody) merge(next multipartBody) bool {
	n, ok := next.(*MultipartExperimenterBody)
	if !ok || n.Experimenter != e.Experimenter || n.ExpType != e.ExpType {
		return false
	}
	e.Data = slices.Concat(e.Data, n.Data)
	return true
}
