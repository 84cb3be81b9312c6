package emu

import (
	"fmt"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Message does what the session does not do itself: requests, and changes of groups, meters, ports
// and tables.
func (c *conn) Message(s *session.Session, h openflow.Header, m openflow.Message) {
	switch m := m.(type) {
	case *openflow.GroupMod:
		c.do(s, h, m, func(t *flowtable.Switch, out *output) error { return t.GroupMod(c.version, m, out.now, out) })
	case *openflow.MeterMod:
		c.do(s, h, m, func(t *flowtable.Switch, out *output) error { return t.MeterMod(c.version, m, out.now, out) })
	case *openflow.TableMod:
		c.do(s, h, m, func(t *flowtable.Switch, out *output) error { return t.TableMod(c.version, m, out.now, out) })
	case *openflow.PortMod:
		c.portMod(s, h, m)
	case *openflow.MultipartRequest:
		c.multipart(s, h, m)
	case *openflow.QueueGetConfigRequest:
		c.queues(s, h, m)
	case *openflow.SetAsync:
		c.setAsync(m)
	case *openflow.GetAsyncRequest:
		_ = s.Reply(h.XID, &openflow.GetAsyncReply{AsyncMasks: c.getAsync()})
	case *openflow.ErrorMsg:
		c.lastError = &rejection{code: m.Code, text: string(m.Data)}
	case *openflow.Experimenter:
		refuse(s, h, m, &flowtable.Error{Code: openflow.BadRequestBadExperimenter,
			Reason: fmt.Sprintf("experimenter %#x, none is known", m.Experimenter)})
	default:
		refuse(s, h, m, &flowtable.Error{Code: openflow.BadRequestBadType, Reason: fmt.Sprintf("%s sent to a switch", h.Type)})
	}
}

// portMod configures a port. One that is switched off has no carrier, at both ends of its link.
func (c *conn) portMod(s *session.Session, h openflow.Header, m *openflow.PortMod) {
	p, changed := c.sw.ports.find(m.Port), false
	c.do(s, h, m, func(t *flowtable.Switch, out *output) error {
		if err := t.PortMod(c.version, m, out.now, out); err != nil || p == nil || m.Mask&openflow.PortConfigDown == 0 {
			return err
		}
		p.stopped.Store(m.Config&openflow.PortConfigDown != 0) // under the lock: the tables and it say the same
		changed = true
		return nil
	})
	if changed {
		p.link.refresh()
	}
}

// queues answers which queues a port has.
func (c *conn) queues(s *session.Session, h openflow.Header, m *openflow.QueueGetConfigRequest) {
	c.do(s, h, m, func(t *flowtable.Switch, _ *output) error {
		list, err := t.Queues(c.version, m.Port)
		if err != nil {
			return err
		}
		return s.Reply(h.XID, &openflow.QueueGetConfigReply{Port: m.Port, Queues: list})
	})
}
