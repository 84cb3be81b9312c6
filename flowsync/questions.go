package flowsync

import "github.com/weirnet/weir/openflow"

// questions asks switches what they hold, and has the answers wait in the inbox: one each, also where a session
// does not take the question.
type questions struct {
	config *Config
	inbox  *inbox
}

// ask sends a multipart request to a session that has not ended.
func (q *questions) ask(a Address, body openflow.RequestBody, answer func(openflow.ReplyBody, error)) {
	if conn := q.inbox.connOf(a); conn != nil {
		if err := conn.Multipart(body, answer); err != nil {
			answer(nil, err)
		}
	}
}

// features asks which groups and meters a switch can have.
func (q *questions) features(a Address) {
	in := Features{Address: a}
	q.ask(a, &openflow.GroupFeaturesRequest{}, func(body openflow.ReplyBody, err error) {
		if f, ok := body.(*openflow.GroupFeatures); ok && err == nil {
			in.Groups = f
		}
		q.ask(a, &openflow.MeterFeaturesRequest{}, func(body openflow.ReplyBody, err error) {
			if f, ok := body.(*openflow.MeterFeatures); ok && err == nil {
				in.Meters = f
			}
			q.inbox.post(in)
		})
	})
}

// monitor requests a flow monitor of all changes by others.
func (q *questions) monitor(a Address) {
	request := &openflow.FlowMonitorRequest{Monitors: []openflow.FlowMonitor{{
		ID: monitorID, Table: openflow.TableAll, OutPort: openflow.PortAny,
		Flags: openflow.MonitorAdd | openflow.MonitorDelete | openflow.MonitorModify | openflow.MonitorActions,
	}}}
	q.ask(a, request, func(body openflow.ReplyBody, err error) {
		if _, ok := body.(*openflow.FlowUpdateList); !ok && err == nil {
			err = errAnswer
		}
		q.inbox.post(MonitorAnswer{a, err})
	})
}

// entries asks for a switch's groups and meters, if these are asked for, and its entries. Firm ones of ours, of which
// there may be very many, go to the core part by part.
func (q *questions) entries(r *Request) {
	conn := q.inbox.connOf(r.Address)
	if conn == nil {
		return
	}
	copied := *r
	list := &incomingListing{questions: q, request: &copied}
	if err := list.ask(conn); err != nil && !r.ObjectsOnly {
		list.end(err)
	}
}
