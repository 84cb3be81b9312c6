package openflow

// GroupRequest asks for the counters of a group. OpenFlow 1.3.
type GroupRequest struct {
	Group uint32 // GroupAll for all
}

// GroupStatsList is the answer to a GroupRequest.
type GroupStatsList struct{ Groups []GroupStats }

// GroupStats are the counters of a group.
type GroupStats struct {
	Group        uint32
	RefCount     uint32 // flow entries and groups that send to it
	Packets      uint64
	Bytes        uint64
	DurationSec  uint32
	DurationNsec uint32
	Buckets      []BucketCounter
}

// BucketCounter are the counters of a bucket.
type BucketCounter struct {
	Packets uint64
	Bytes   uint64
}

// Lengths of struct ofp_group_stats before its buckets, and of struct ofp_bucket_counter.
const (
	groupStatsLen    = 40
	bucketCounterLen = 16
)

// Kind is MultipartGroup.
func (*GroupRequest) Kind() MultipartType { return MultipartGroup }

func (*GroupRequest) isRequest() {}

func (r *GroupRequest) parse(_ Version, body []byte) error {
	r.Group = be32(body)
	return nil
}

func (r *GroupRequest) append(b []byte, _ Version) ([]byte, error) {
	return appendPad(append32(b, r.Group), 4), nil
}

func (r *GroupRequest) appendText(b []byte, _ Version) []byte {
	return appendGroup(appendKey(b, ' ', "group"), r.Group)
}

// Kind is MultipartGroup.
func (*GroupStatsList) Kind() MultipartType { return MultipartGroup }

func (*GroupStatsList) isReply() {}

func (l *GroupStatsList) parse(_ Version, body []byte) (err error) {
	l.Groups, err = parseItems(l.Groups, "group", body, 0, groupStatsLen, (*GroupStats).parse)
	return err
}

func (g *GroupStats) parse(item []byte) error {
	if (len(item)-groupStatsLen)%bucketCounterLen != 0 {
		return refuse(BadRequestBadLen, "group of %d bytes, not 40 and a multiple of 16", len(item))
	}
	g.Group, g.RefCount = be32(item[4:]), be32(item[8:])
	g.Packets, g.Bytes = be64(item[16:]), be64(item[24:])
	g.DurationSec, g.DurationNsec = be32(item[32:]), be32(item[36:])
	for c := item[groupStatsLen:]; len(c) > 0; c = c[bucketCounterLen:] {
		g.Buckets = append(g.Buckets, BucketCounter{Packets: be64(c), Bytes: be64(c[8:])})
	}
	return nil
}

func (l *GroupStatsList) append(b []byte, v Version) ([]byte, error) {
	return appendItems(b, v, l.Groups, 0, (*GroupStats).append)
}

// append writes the counters of a group with 0 for their length.
func (g *GroupStats) append(b []byte, _ Version) ([]byte, error) {
	b = appendPad(append32(append32(appendPad(b, 4), g.Group), g.RefCount), 4)
	b = append64(append64(b, g.Packets), g.Bytes)
	b = append32(append32(b, g.DurationSec), g.DurationNsec)
	for _, c := range g.Buckets {
		b = append64(append64(b, c.Packets), c.Bytes)
	}
	return b, nil
}

func (l *GroupStatsList) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "groups"), v, l.Groups, (*GroupStats).appendText)
}

func (g *GroupStats) appendText(b []byte, v Version) []byte {
	b = appendGroup(appendKey(append(b, '{'), ',', "group"), g.Group)
	b = appendDec(appendKey(b, ',', "ref_count"), g.RefCount)
	b = appendDec(appendKey(b, ',', "packet_count"), g.Packets)
	b = appendDec(appendKey(b, ',', "byte_count"), g.Bytes)
	b = appendDec(appendKey(b, ',', "duration_sec"), g.DurationSec)
	b = appendDec(appendKey(b, ',', "duration_nsec"), g.DurationNsec)
	return append(appendListText(appendKey(b, ',', "bucket_stats"), v, g.Buckets, (*BucketCounter).appendText), '}')
}

func (c *BucketCounter) appendText(b []byte, _ Version) []byte {
	b = appendDec(appendKey(append(b, '{'), ',', "packet_count"), c.Packets)
	return append(appendDec(appendKey(b, ',', "byte_count"), c.Bytes), '}')
}

func (l *GroupStatsList) merge(next multipartBody) bool {
	return mergeList(next, func(n *GroupStatsList) { l.Groups = append(l.Groups, n.Groups...) })
}
