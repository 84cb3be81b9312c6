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

func (l *GroupStatsList) parse(_ Version, body []byte) error {
	for len(body) > 0 {
		item, rest, err := cutItem("group", body, 0, groupStatsLen)
		if err != nil {
			return err
		}
		if (len(item)-groupStatsLen)%bucketCounterLen != 0 {
			return refuse(BadRequestBadLen, "group of %d bytes, not 40 and a multiple of 16", len(item))
		}
		g := GroupStats{
			Group: be32(item[4:]), RefCount: be32(item[8:]), Packets: be64(item[16:]), Bytes: be64(item[24:]),
			DurationSec: be32(item[32:]), DurationNsec: be32(item[36:]),
		}
		for c := item[groupStatsLen:]; len(c) > 0; c = c[bucketCounterLen:] {
			g.Buckets = append(g.Buckets, BucketCounter{Packets: be64(c), Bytes: be64(c[8:])})
		}
		l.Groups = append(l.Groups, g)
		body = rest
	}
	return nil
}

func (l *GroupStatsList) append(b []byte, _ Version) ([]byte, error) {
	for i := range l.Groups {
		g, start := &l.Groups[i], len(b)
		b = appendPad(append32(append32(appendPad(b, 4), g.Group), g.RefCount), 4)
		b = append64(append64(b, g.Packets), g.Bytes)
		b = append32(append32(b, g.DurationSec), g.DurationNsec)
		for _, c := range g.Buckets {
			b = append64(append64(b, c.Packets), c.Bytes)
		}
		if err := setLen16(b, start, start); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (l *GroupStatsList) appendText(b []byte, _ Version) []byte {
	b = append(appendKey(b, ' ', "groups"), '[')
	for i := range l.Groups {
		g := &l.Groups[i]
		b = appendGroup(appendKey(append(appendSep(b), '{'), ',', "group"), g.Group)
		b = appendDec(appendKey(b, ',', "ref_count"), g.RefCount)
		b = appendDec(appendKey(b, ',', "packet_count"), g.Packets)
		b = appendDec(appendKey(b, ',', "byte_count"), g.Bytes)
		b = appendDec(appendKey(b, ',', "duration_sec"), g.DurationSec)
		b = appendDec(appendKey(b, ',', "duration_nsec"), g.DurationNsec)
		b = append(appendKey(b, ',', "bucket_stats"), '[')
		for _, c := range g.Buckets {
			b = appendDec(appendKey(append(appendSep(b), '{'), ',', "packet_count"), c.Packets)
			b = append(appendDec(appendKey(b, ',', "byte_count"), c.Bytes), '}')
		}
		b = append(b, ']', '}')
	}
	return append(b, ']')
}

func (l *GroupStatsList) merge(next multipartBody) bool {
	n, ok := next.(*GroupStatsList)
	if ok {
		l.Groups = append(l.Groups, n.Groups...)
	}
	return ok
}
