package flowtable

import "github.com/weirnet/weir/openflow"

// Observer is notified of every change of an entry: that it was added (also in the place of another
// with its match and priority), modified, or deleted, and then why. The entry is as it is then; a
// deleted one as it was. It is valid until the Observer returns.
type Observer func(what openflow.FlowEvent, why openflow.FlowRemovedReason, e *openflow.FlowStats)

// Observe has o told during the calls that change entries; nil ends it. With it a flow monitor can
// be offered.
func (s *Switch) Observe(o Observer) { s.observer = o }

// changed tells the observer. Why counts for a deleted entry only.
func (s *Switch) changed(what openflow.FlowEvent, why openflow.FlowRemovedReason, e *entry) {
	if s.observer == nil {
		return
	}
	var f filter
	stats := s.flowStats(e, &f, nil)
	s.observer(what, why, &stats)
}
