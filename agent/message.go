package agent

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Message does what the session does not do itself: requests, and changes of groups, meters, ports
// and tables.
func (a *Agent) Message(s *session.Session, h openflow.Header, m openflow.Message) {
	switch m := m.(type) {
	case *openflow.GroupMod:
		a.change(s, h, m, func(t *flowtable.Switch, now time.Duration, out flowtable.Output) error {
			return t.GroupMod(a.version, m, now, out)
		})
	case *openflow.MeterMod:
		a.change(s, h, m, func(t *flowtable.Switch, now time.Duration, out flowtable.Output) error {
			return t.MeterMod(a.version, m, now, out)
		})
	case *openflow.TableMod:
		a.change(s, h, m, func(t *flowtable.Switch, now time.Duration, out flowtable.Output) error {
			return t.TableMod(a.version, m, now, out)
		})
	case *openflow.PortMod:
		if _, err := a.of.PortMod(a.version, m); err != nil {
			Refuse(s, h, m, err)
		}
	case *openflow.MultipartRequest:
		a.multipart(s, h, m)
	case *openflow.QueueGetConfigRequest:
		a.queues(s, h, m)
	case *openflow.SetAsync:
		a.setAsync(m)
	case *openflow.GetAsyncRequest:
		_ = s.Reply(h.XID, &openflow.GetAsyncReply{AsyncMasks: a.getAsync()})
	case *openflow.ErrorMsg: // an error is not answered
	case *openflow.Experimenter:
		Refuse(s, h, m, notUnderstood(a.version, m.Experimenter))
	default:
		Refuse(s, h, m, &flowtable.Error{Code: openflow.BadRequestBadType, Reason: fmt.Sprintf("%s sent to a switch", h.Type)})
	}
}

// queues answers which queues a port has.
func (a *Agent) queues(s *session.Session, h openflow.Header, m *openflow.QueueGetConfigRequest) {
	a.do(s, h, m, func(t *flowtable.Switch, _ time.Duration, _ flowtable.Output) error {
		list, err := t.Queues(a.version, m.Port)
		if err != nil {
			return err
		}
		return s.Reply(h.XID, &openflow.QueueGetConfigReply{Port: m.Port, Queues: list})
	})
}
