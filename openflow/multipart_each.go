package openflow

// FlowStatsReader reads the parts of the answer to a FlowRequest entry by entry, in memory that is
// used again: a switch may list a hundred thousand.
type FlowStatsReader struct {
	entry FlowStats
	arena arena
}

// Each calls f for each entry of a part, the body of a multipart reply, and returns the part's
// flags. The entry, and what it points to, is valid during the call. After an error the entries
// before it have been handed over.
func (r *FlowStatsReader) Each(v Version, body []byte, f func(*FlowStats)) (MultipartFlags, error) {
	kind, flags, rest, err := parseMultipart(TypeMultipartReply, v, body)
	if err != nil {
		return 0, err
	}
	if kind != MultipartFlow {
		return flags, refuse(BadRequestBadMultipart, "%s in an answer of %s", kind, MultipartFlow)
	}
	r.arena.report = true
	for len(rest) > 0 {
		var item []byte
		if item, rest, err = cutItem("flow entry", rest, 0, flowStatsLeast(v)); err != nil {
			return flags, err
		}
		r.arena.reset()
		if err = r.entry.parse(v, item, &r.arena); err != nil {
			return flags, err
		}
		f(&r.entry)
	}
	return flags, nil
}

// MultipartHeader reads the kind and the flags of the body of a multipart reply.
func MultipartHeader(v Version, body []byte) (MultipartType, MultipartFlags, error) {
	kind, flags, _, err := parseMultipart(TypeMultipartReply, v, body)
	return kind, flags, err
}
