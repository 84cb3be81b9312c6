package node

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Frame takes the news that a rule of an intent went, which switches send in great numbers when
// intents are withdrawn: nobody but flowsync wants to know. All else goes the usual way.
func (n *switches) Frame(s *session.Session, h openflow.Header, frame []byte) bool {
	if h.Type != openflow.TypeFlowRemoved {
		return false
	}
	d := s.Value().(*device)
	return n.flowsync.RemovedFrame(d.dpid, s, h.Version, frame)
}

var _ session.FrameHandler = (*switches)(nil)
