package emu

import (
	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Limits of requests in several parts.
const (
	maxPartial      = 8       // requests of one connection of which parts are awaited
	maxPartialItems = 254 * 2 // tables in one of them
)

// multipart answers a multipart request, in as many parts as it takes.
func (c *conn) multipart(s *session.Session, h openflow.Header, m *openflow.MultipartRequest) {
	m, err := c.assemble(h, m)
	if m == nil && err == nil {
		return
	}
	if err == nil && s.Role() == openflow.RoleSlave && sets(m.Body) {
		err = &flowtable.Error{Code: openflow.BadRequestIsSlave, Reason: "table features set by a slave"}
	}
	if err == nil {
		err = c.answer(s, h, m.Body)
	}
	if err != nil {
		refuse(s, h, m, err)
	}
}

// sets reports whether a request changes the switch.
func sets(body openflow.RequestBody) bool {
	l, ok := body.(*openflow.TableFeaturesList)
	return ok && len(l.Tables) > 0
}

// assemble puts the parts of a request together; nil without an error while there are more to come.
func (c *conn) assemble(h openflow.Header, m *openflow.MultipartRequest) (*openflow.MultipartRequest, error) {
	first := c.parts[h.XID]
	more := m.Flags&openflow.MultipartMore != 0
	if first == nil && !more {
		return m, nil
	}
	overflow := &flowtable.Error{Code: openflow.BadRequestMultipartBufferOverflow, Reason: "too many parts of requests"}
	if first == nil {
		if len(c.parts) >= maxPartial {
			return m, overflow
		}
		if c.parts == nil {
			c.parts = make(map[uint32]*openflow.MultipartRequest)
		}
		c.parts[h.XID] = m
		return nil, nil
	}
	delete(c.parts, h.XID)
	if err := first.Merge(m); err != nil {
		return m, &flowtable.Error{Code: openflow.BadRequestBadMultipart, Reason: err.Error()}
	}
	if l, ok := first.Body.(*openflow.TableFeaturesList); !ok && more || ok && len(l.Tables) > maxPartialItems {
		return m, overflow
	}
	if more {
		c.parts[h.XID] = first
		return nil, nil
	}
	return first, nil
}

// answer answers a complete request.
func (c *conn) answer(s *session.Session, h openflow.Header, body openflow.RequestBody) error {
	sw := c.sw
	switch body := body.(type) {
	case *openflow.DescRequest:
		return s.Reply(h.XID, &openflow.MultipartReply{Body: sw.desc()})
	case *openflow.FlowRequest:
		return c.answerFlows(s, h, body)
	case *openflow.MultipartExperimenterBody, *openflow.FlowMonitorRequest:
		return &flowtable.Error{Code: openflow.BadRequestBadExperimenter, Reason: "no experimenter is known"}
	}
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.roles != c.roles {
		return nil
	}
	reply, err := sw.data.table.Multipart(c.version, body, sw.data.clock(sw.net.now()))
	if err != nil {
		return err
	}
	sw.misbehaviour.hide(reply)
	before := s.Queue()
	err = sendParts(s, h.XID, reply, false)
	c.asked += max(s.Queue()-before, 0)
	return err
}
