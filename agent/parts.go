package agent

import (
	"errors"
	"fmt"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// partItems is how many items one part of an answer has at most: ports of 112 bytes, entries of a
// few hundred. Where they are longer than 64 KiB together, the part is halved.
const partItems = 128

// sendParts sends an answer in parts that fit into messages. All but the last say that more come, and
// the last too if there are more.
func sendParts(s *session.Session, xid uint32, body openflow.ReplyBody, more bool) error {
	left, part := items(body)
	if part == nil {
		return s.Reply(xid, &openflow.MultipartReply{Body: body})
	}
	for size, sent := partItems, 0; ; {
		n := min(size, left)
		m := &openflow.MultipartReply{Body: part(sent, sent+n)}
		if more || n < left {
			m.Flags = openflow.MultipartMore
		}
		err := s.Reply(xid, m)
		switch {
		case sessionGone(err):
			return err
		case err != nil && n > 1:
			size = n / 2
			continue
		case err != nil:
			return fmt.Errorf("part of an answer: %w", err)
		}
		if sent, left = sent+n, left-n; left == 0 {
			return nil
		}
	}
}

// items is how many items a list has, and a list of those from one to before another; part is nil
// for what is no list.
func items(body openflow.ReplyBody) (n int, part func(from, to int) openflow.ReplyBody) {
	switch l := body.(type) {
	case *openflow.FlowStatsList:
		return len(l.Flows), func(i, j int) openflow.ReplyBody { return &openflow.FlowStatsList{Flows: l.Flows[i:j]} }
	case *openflow.PortStatsList:
		return len(l.Ports), func(i, j int) openflow.ReplyBody { return &openflow.PortStatsList{Ports: l.Ports[i:j]} }
	case *openflow.PortDescList:
		return len(l.Ports), func(i, j int) openflow.ReplyBody { return &openflow.PortDescList{Ports: l.Ports[i:j]} }
	case *openflow.TableStatsList:
		return len(l.Tables), func(i, j int) openflow.ReplyBody { return &openflow.TableStatsList{Tables: l.Tables[i:j]} }
	case *openflow.TableFeaturesList:
		return len(l.Tables), func(i, j int) openflow.ReplyBody { return &openflow.TableFeaturesList{Tables: l.Tables[i:j]} }
	case *openflow.QueueStatsList:
		return len(l.Queues), func(i, j int) openflow.ReplyBody { return &openflow.QueueStatsList{Queues: l.Queues[i:j]} }
	case *openflow.GroupStatsList:
		return len(l.Groups), func(i, j int) openflow.ReplyBody { return &openflow.GroupStatsList{Groups: l.Groups[i:j]} }
	case *openflow.GroupDescList:
		return len(l.Groups), func(i, j int) openflow.ReplyBody { return &openflow.GroupDescList{Groups: l.Groups[i:j]} }
	case *openflow.MeterStatsList:
		return len(l.Meters), func(i, j int) openflow.ReplyBody { return &openflow.MeterStatsList{Meters: l.Meters[i:j]} }
	case *openflow.MeterConfigList:
		return len(l.Meters), func(i, j int) openflow.ReplyBody { return &openflow.MeterConfigList{Meters: l.Meters[i:j]} }
	}
	return 0, nil
}

// sessionGone says of an error of the session that there is nobody to tell of it: it has ended, or
// does not take more.
func sessionGone(err error) bool {
	return errors.Is(err, session.ErrClosed) || errors.Is(err, session.ErrFull)
}
