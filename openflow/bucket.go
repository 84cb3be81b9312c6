package openflow

// Bucket is one list of actions of a group.
type Bucket struct {
	Weight     uint16 // of GroupTypeSelect
	WatchPort  uint32 // of GroupTypeFastFailover; PortAny for none
	WatchGroup uint32 // of GroupTypeFastFailover; GroupAny for none
	Actions    []Action
}

const bucketLen = 16 // of a bucket without actions

// parseBuckets reads a list of buckets that fills b and appends it to dst.
func parseBuckets(v Version, b []byte, dst []Bucket, a *arena) ([]Bucket, error) {
	for len(b) > 0 {
		if len(b) < bucketLen {
			return dst, refuse(GroupModFailedBadBucket, "%d bytes after the last bucket", len(b))
		}
		n := int(be16(b))
		if n < bucketLen || n%8 != 0 || n > len(b) {
			return dst, refuse(GroupModFailedBadBucket, "bucket of %d bytes in %d", n, len(b))
		}
		actions, err := parseActions(v, b[bucketLen:n], a)
		if err != nil {
			return dst, err
		}
		dst = append(dst, Bucket{Weight: be16(b[2:]), WatchPort: be32(b[4:]), WatchGroup: be32(b[8:]), Actions: actions})
		b = b[n:]
	}
	return dst, nil
}

// appendBuckets appends a list of buckets.
func appendBuckets(b []byte, v Version, list []Bucket) ([]byte, error) {
	return appendItems(b, v, list, 0, (*Bucket).append)
}

// append writes a bucket with 0 for its length.
func (k *Bucket) append(b []byte, v Version) ([]byte, error) {
	b = append16(append(b, 0, 0), k.Weight)
	b = append32(append32(b, k.WatchPort), k.WatchGroup)
	return appendActions(appendPad(b, 4), v, k.Actions)
}

// appendText appends a bucket: {weight=1,actions=[output:3]}.
func (k *Bucket) appendText(b []byte, _ Version) []byte {
	b = append(b, '{')
	if k.Weight != 0 {
		b = appendDec(appendKey(b, ',', "weight"), k.Weight)
	}
	if k.WatchPort != PortAny {
		b = appendPort(appendKey(b, ',', "watch_port"), k.WatchPort)
	}
	if k.WatchGroup != GroupAny {
		b = appendGroup(appendKey(b, ',', "watch_group"), k.WatchGroup)
	}
	return append(appendActionsText(appendKey(b, ',', "actions"), k.Actions), '}')
}
