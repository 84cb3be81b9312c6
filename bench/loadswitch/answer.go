package loadswitch

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// request is a message that a controller waits for the answer of. An answer for which the session has no room is
// lost, as a switch's is that cannot send: the session counts it (session.Stats).
type request struct {
	s *session.Session
	h openflow.Header
}

// refuse answers a message with an error.
func (r request) refuse(m openflow.Message, code openflow.ErrorCode) {
	refused, err := openflow.Append(nil, r.s.Version(), r.h.XID, m)
	if err != nil {
		refused = nil
	}
	e := openflow.NewError(&openflow.DecodeError{Code: code, Reason: fmt.Sprintf("%s refused", r.h.Type)}, refused)
	_ = r.s.Reply(r.h.XID, e)
}

// reply sends statistics, or the last part of them.
func (r request) reply(body openflow.ReplyBody) {
	_ = r.s.Reply(r.h.XID, &openflow.MultipartReply{Body: body})
}

// part sends a part of an answer that is not the last.
func (r request) part(body openflow.ReplyBody) {
	_ = r.s.Reply(r.h.XID, &openflow.MultipartReply{Flags: openflow.MultipartMore, Body: body})
}

// maxPartPorts is how many ports stand in one part of an answer, of at most 112 bytes each.
const maxPartPorts = 500

// portDescs answers with ports, in parts.
func (r request) portDescs(ports []openflow.Port) {
	for len(ports) > maxPartPorts {
		r.part(&openflow.PortDescList{Ports: ports[:maxPartPorts]})
		ports = ports[maxPartPorts:]
	}
	r.reply(&openflow.PortDescList{Ports: ports})
}

// portStats answers with the counters of ports, in parts.
func (r request) portStats(ports []openflow.PortStats) {
	for len(ports) > maxPartPorts {
		r.part(&openflow.PortStatsList{Ports: ports[:maxPartPorts]})
		ports = ports[maxPartPorts:]
	}
	r.reply(&openflow.PortStatsList{Ports: ports})
}
