package flowtable

import (
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
)

// Survey is the entries that a request for statistics of flows selects, to be described part by
// part: a caller who shares the Switch with others lets them in between.
type Survey struct {
	version openflow.Version
	left    []*entry
}

// Survey selects what a request of a controller of version v is about. The error is an *Error.
func (s *Switch) Survey(v openflow.Version, r *openflow.FlowRequest, now time.Duration) (*Survey, error) {
	s.begin(now, nil)
	defer s.end()
	picked, err := s.selected(v, &r.FlowFilter)
	if err != nil {
		return nil, err
	}
	return &Survey{v, slices.Clone(picked)}, nil
}

// Describe is the next part of a survey, of at most so many entries as they are now, and whether
// there are more. An entry that was removed since is left out, one that was written anew is
// described as it is now; those that were added are not in the survey.
func (s *Switch) Describe(x *Survey, most int, now time.Duration) (part *openflow.FlowStatsList, more bool) {
	s.begin(now, nil)
	defer s.end()
	n := min(most, len(x.left))
	part = &openflow.FlowStatsList{Flows: make([]openflow.FlowStats, 0, n)}
	var g filter
	oxm := make([]byte, 0, 32*n)
	for _, e := range x.left[:n] {
		if e.tuple == nil {
			continue
		}
		at := len(oxm)
		st := s.flowStats(e, &g, oxm)
		oxm = st.Match.OXM
		st.Match.OXM = oxm[at:len(oxm):len(oxm)]
		if x.version != openflow.V10 || expressibleIn10(&st) {
			part.Flows = append(part.Flows, st)
		}
	}
	clear(x.left[:n])
	x.left = x.left[n:]
	return part, len(x.left) > 0
}
