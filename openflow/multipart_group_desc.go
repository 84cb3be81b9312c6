package openflow

// GroupDescList is the answer to a GroupDescRequest: all groups. OpenFlow 1.3.
type GroupDescList struct{ Groups []GroupDesc }

// GroupDesc is a group as the switch reports it.
type GroupDesc struct {
	Kind    GroupType
	Group   uint32
	Buckets []Bucket
}

// groupDescLen is the length of struct ofp_group_desc before its buckets.
const groupDescLen = 8

// Kind is MultipartGroupDesc.
func (*GroupDescList) Kind() MultipartType { return MultipartGroupDesc }

func (*GroupDescList) isReply() {}

func (l *GroupDescList) parse(v Version, body []byte) error {
	a := arena{report: true}
	for len(body) > 0 {
		item, rest, err := cutItem("group", body, 0, groupDescLen)
		if err != nil {
			return err
		}
		g := GroupDesc{Kind: GroupType(item[2]), Group: be32(item[4:])}
		if g.Buckets, err = parseBuckets(v, item[groupDescLen:], nil, &a); err != nil {
			return err
		}
		l.Groups = append(l.Groups, g)
		body = rest
	}
	return nil
}

func (l *GroupDescList) append(b []byte, v Version) ([]byte, error) {
	for i := range l.Groups {
		g, start := &l.Groups[i], len(b)
		b = append32(append(b, 0, 0, uint8(g.Kind), 0), g.Group)
		var err error
		if b, err = appendBuckets(b, v, g.Buckets); err != nil {
			return b, err
		}
		if err = setLen16(b, start, start); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (l *GroupDescList) appendText(b []byte, _ Version) []byte {
	b = append(appendKey(b, ' ', "groups"), '[')
	for i := range l.Groups {
		g := &l.Groups[i]
		b = append(appendKey(append(appendSep(b), '{'), ',', "type"), g.Kind.String()...)
		b = appendGroup(appendKey(b, ',', "group"), g.Group)
		b = append(appendBucketsText(appendKey(b, ',', "buckets"), g.Buckets), '}')
	}
	return append(b, ']')
}

func (l *GroupDescList) merge(next multipartBody) bool {
	n, ok := next.(*GroupDescList)
	if ok {
		l.Groups = append(l.Groups, n.Groups...)
	}
	return ok
}
