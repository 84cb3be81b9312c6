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

func (l *GroupDescList) parse(v Version, body []byte) (err error) {
	a := arena{report: true}
	l.Groups, err = parseItems(l.Groups, "group", body, 0, groupDescLen, func(g *GroupDesc, item []byte) (err error) {
		g.Kind, g.Group = GroupType(item[2]), be32(item[4:])
		g.Buckets, err = parseBuckets(v, item[groupDescLen:], nil, &a)
		return err
	})
	return err
}

func (l *GroupDescList) append(b []byte, v Version) ([]byte, error) {
	return appendItems(b, v, l.Groups, 0, (*GroupDesc).append)
}

// append writes a group with 0 for its length.
func (g *GroupDesc) append(b []byte, v Version) ([]byte, error) {
	return appendBuckets(append32(append(b, 0, 0, uint8(g.Kind), 0), g.Group), v, g.Buckets)
}

func (l *GroupDescList) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "groups"), v, l.Groups, (*GroupDesc).appendText)
}

func (g *GroupDesc) appendText(b []byte, v Version) []byte {
	b = append(appendKey(append(b, '{'), ',', "type"), g.Kind.String()...)
	b = appendGroup(appendKey(b, ',', "group"), g.Group)
	return append(appendListText(appendKey(b, ',', "buckets"), v, g.Buckets, (*Bucket).appendText), '}')
}

func (l *GroupDescList) merge(next multipartBody) bool {
	return mergeList(next, func(n *GroupDescList) { l.Groups = append(l.Groups, n.Groups...) })
}
