package openflow

import "slices"

// PortDescList is the answer to a PortDescRequest: all ports. OpenFlow 1.3; in 1.0 they are in the
// FeaturesReply.
type PortDescList struct{ Ports []Port }

// Kind is MultipartPortDesc.
func (*PortDescList) Kind() MultipartType { return MultipartPortDesc }

func (*PortDescList) isReply() {}

func (l *PortDescList) parse(v Version, body []byte) error {
	l.Ports = parsePorts(nil, v, body)
	return nil
}

func (l *PortDescList) append(b []byte, v Version) ([]byte, error) {
	return appendEach(b, v, l.Ports, (*Port).append)
}

func (l *PortDescList) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "ports"), v, l.Ports, (*Port).appendText)
}

func (l *PortDescList) merge(next multipartBody) bool {
	return mergeList(next, func(n *PortDescList) {
		if need := len(l.Ports) + len(n.Ports); need > cap(l.Ports) {
			l.Ports = slices.Grow(l.Ports, need) // twice as many: answers have up to a thousand parts
		}
		l.Ports = append(l.Ports, n.Ports...)
	})
}
