package agent

import (
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Limits of requests in several parts.
const (
	maxPartial      = 8       // requests of one connection of which parts are awaited
	maxRefused      = 64      // requests that were refused before their last part came
	maxPartialItems = 254 * 2 // tables in one of them
)

// multipart answers a multipart request, in as many parts as it takes.
func (a *Agent) multipart(s *session.Session, h openflow.Header, m *openflow.MultipartRequest) {
	m, err := a.Assemble(h, m)
	if m == nil && err == nil {
		return
	}
	if err == nil && s.Role() == openflow.RoleSlave && sets(m.Body) {
		err = &flowtable.Error{Code: openflow.BadRequestIsSlave, Reason: "table features set by a slave"}
	}
	if err == nil {
		err = a.Answer(s, h, m.Body)
	}
	if err != nil {
		Refuse(s, h, m, err)
	}
}

// sets reports whether a request changes the switch.
func sets(body openflow.RequestBody) bool {
	l, ok := body.(*openflow.TableFeaturesList)
	return ok && len(l.Tables) > 0
}

// Assemble puts the parts of a request together; nil without an error while there are more to come.
func (a *Agent) Assemble(h openflow.Header, m *openflow.MultipartRequest) (*openflow.MultipartRequest, error) {
	first := a.parts[h.XID]
	more := m.Flags&openflow.MultipartMore != 0
	if a.refused[h.XID] {
		if !more {
			delete(a.refused, h.XID)
		}
		return nil, nil
	}
	if first == nil && !more {
		return m, nil
	}
	overflow := &flowtable.Error{Code: openflow.BadRequestMultipartBufferOverflow, Reason: "too many parts of requests"}
	if first == nil {
		if len(a.parts) >= maxPartial {
			a.refuse(h.XID)
			return m, overflow
		}
		if a.parts == nil {
			a.parts = make(map[uint32]*openflow.MultipartRequest)
		}
		a.parts[h.XID] = m
		return nil, nil
	}
	delete(a.parts, h.XID)
	if err := first.Merge(m); err != nil {
		if more {
			a.refuse(h.XID)
		}
		return m, &flowtable.Error{Code: openflow.BadRequestBadMultipart, Reason: err.Error()}
	}
	if l, ok := first.Body.(*openflow.TableFeaturesList); !ok && more || ok && len(l.Tables) > maxPartialItems {
		if more {
			a.refuse(h.XID)
		}
		return m, overflow
	}
	if more {
		a.parts[h.XID] = first
		return nil, nil
	}
	return first, nil
}

// refuse notes that a request was refused whose last part is to come, and is not to be taken for one by itself. Of more
// than maxRefused at once those before are forgotten.
func (a *Agent) refuse(xid uint32) {
	if a.refused == nil || len(a.refused) >= maxRefused {
		a.refused = make(map[uint32]bool)
	}
	a.refused[xid] = true
}

// Answer answers a complete request; an error is to be answered by Refuse.
func (a *Agent) Answer(s *session.Session, h openflow.Header, body openflow.RequestBody) error {
	switch body := body.(type) {
	case *openflow.DescRequest:
		return s.Reply(h.XID, &openflow.MultipartReply{Body: a.of.Desc()})
	case *openflow.FlowRequest:
		return a.answerFlows(s, h, body)
	case *openflow.MultipartExperimenterBody:
		return notUnderstood(a.version, body.Experimenter)
	case *openflow.FlowMonitorRequest: // Nicira's
		return notUnderstood(a.version, openflow.ExperimenterNicira)
	}
	_, err := a.of.Tables(func(t *flowtable.Switch, now time.Duration, _ flowtable.Output) error {
		reply, err := t.Multipart(a.version, body, now)
		if err != nil {
			return err
		}
		a.of.Show(reply)
		before := s.Queue()
		err = sendParts(s, h.XID, reply, false)
		a.asked += max(s.Queue()-before, 0)
		return err
	})
	return err
}
