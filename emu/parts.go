package emu

import (
	"errors"
	"fmt"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// partItems is how many items one part of an answer has at most: ports of 112 bytes, entries of a
// few hundred. Where they are longer than 64 KiB together, the part is halved.
const partItems = 128

// sendParts sends an answer in parts that fit into messages.
func sendParts(s *session.Session, xid uint32, body openflow.ReplyBody) error {
	switch l := body.(type) {
	case *openflow.PortStatsList:
		return sendSplit(s, xid, l.Ports, false,
			func(p []openflow.PortStats) openflow.ReplyBody { return &openflow.PortStatsList{Ports: p} })
	case *openflow.PortDescList:
		return sendSplit(s, xid, l.Ports, false,
			func(p []openflow.Port) openflow.ReplyBody { return &openflow.PortDescList{Ports: p} })
	case *openflow.TableStatsList:
		return sendSplit(s, xid, l.Tables, false,
			func(p []openflow.TableStats) openflow.ReplyBody { return &openflow.TableStatsList{Tables: p} })
	case *openflow.TableFeaturesList:
		return sendSplit(s, xid, l.Tables, false,
			func(p []openflow.TableFeatures) openflow.ReplyBody { return &openflow.TableFeaturesList{Tables: p} })
	case *openflow.QueueStatsList:
		return sendSplit(s, xid, l.Queues, false,
			func(p []openflow.QueueStats) openflow.ReplyBody { return &openflow.QueueStatsList{Queues: p} })
	case *openflow.GroupStatsList:
		return sendSplit(s, xid, l.Groups, false,
			func(p []openflow.GroupStats) openflow.ReplyBody { return &openflow.GroupStatsList{Groups: p} })
	case *openflow.GroupDescList:
		return sendSplit(s, xid, l.Groups, false,
			func(p []openflow.GroupDesc) openflow.ReplyBody { return &openflow.GroupDescList{Groups: p} })
	case *openflow.MeterStatsList:
		return sendSplit(s, xid, l.Meters, false,
			func(p []openflow.MeterStats) openflow.ReplyBody { return &openflow.MeterStatsList{Meters: p} })
	case *openflow.MeterConfigList:
		return sendSplit(s, xid, l.Meters, false,
			func(p []openflow.MeterConfig) openflow.ReplyBody { return &openflow.MeterConfigList{Meters: p} })
	}
	return s.Reply(xid, &openflow.MultipartReply{Body: body})
}

// flowPart is a part of statistics of flows.
func flowPart(p []openflow.FlowStats) openflow.ReplyBody { return &openflow.FlowStatsList{Flows: p} }

// sendSplit sends items in parts, of which all but the last say that more come, and that one too if
// there are more.
func sendSplit[T any](s *session.Session, xid uint32, items []T, more bool, body func([]T) openflow.ReplyBody) error {
	for size := partItems; ; {
		n := min(size, len(items))
		m := &openflow.MultipartReply{Body: body(items[:n])}
		if more || n < len(items) {
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
		items = items[n:]
		if len(items) == 0 {
			return nil
		}
	}
}

// sessionGone says of an error of the session that there is nobody to tell of it: it has ended, or
// does not take more.
func sessionGone(err error) bool {
	return errors.Is(err, session.ErrClosed) || errors.Is(err, session.ErrFull)
}
