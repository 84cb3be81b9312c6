package session

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session/pipe"
)

// asked is a switch that keeps its controller's multipart requests for the test to answer.
type asked struct {
	*datapath
	xids []uint32
}

func (a *asked) Message(s *Session, h openflow.Header, m openflow.Message) {
	if r, ok := m.(*openflow.MultipartRequest); ok && r.Body.Kind() == openflow.MultipartFlow {
		a.xids = append(a.xids, h.XID)
		return
	}
	a.datapath.Message(s, h, m)
}

// flows is a part of a listing: one entry with a priority.
func flows(priority uint16, more bool) *openflow.MultipartReply {
	m := &openflow.MultipartReply{Body: &openflow.FlowStatsList{Flows: []openflow.FlowStats{{Priority: priority}}}}
	if more {
		m.Flags = openflow.MultipartMore
	}
	return m
}

func TestMultipartParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{EchoInterval: -1, MultipartTimeout: 10 * time.Second}, pipe.Options{})
		d := &asked{datapath: &datapath{id: 1}}
		a, b := pipe.New(p.options)
		p.server.ServeConn(a)
		sw, _ := p.dialer.ServeConn(b, &Roles{}, d)
		synctest.Wait()
		ctl := p.handler.last()
		var log []string
		errStop := errors.New("enough")
		ask := func(stop uint16) {
			log = nil
			var r openflow.FlowStatsReader
			err := ctl.MultipartParts(&openflow.FlowRequest{
				FlowFilter: openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny,
					OutGroup: openflow.GroupAny}},
				func(v openflow.Version, body []byte) (err error) {
					_, failed := r.Each(v, body, func(s *openflow.FlowStats) {
						log = append(log, fmt.Sprint(s.Priority))
						if s.Priority == stop {
							err = errStop
						}
					})
					return errors.Join(err, failed)
				}, func(err error) { log = append(log, fmt.Sprintf("end: %v", err)) })
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		reply := func(m openflow.Message) {
			sw.Reply(d.xids[len(d.xids)-1], m)
			synctest.Wait()
		}
		ask(0)
		for i := range uint16(4) { // longer than the time-out, but for its parts
			time.Sleep(6 * time.Second)
			reply(flows(i+1, i < 3))
		}
		expect(t, log, "1", "2", "3", "4", "end: <nil>")
		ask(2)
		reply(flows(1, true))
		reply(flows(2, true))
		reply(flows(3, false)) // belongs to nothing
		expect(t, log, "1", "2", "end: enough")
		ask(0)
		reply(flows(1, true))
		time.Sleep(11 * time.Second)
		synctest.Wait()
		expect(t, log, "1", "end: "+ErrTimeout.Error())
		ask(0)
		reply(&openflow.ErrorMsg{Code: openflow.BadRequestBadMultipart})
		if len(log) != 1 || log[0] == "end: <nil>" {
			t.Errorf("%q", log)
		}
		ask(0)
		reply(&openflow.MultipartReply{Body: &openflow.Desc{}})
		if len(log) != 1 || log[0] == "end: <nil>" {
			t.Errorf("another kind: %q", log)
		}
		ask(0)
		reply(flows(1, true))
		p.close()
		if len(log) != 2 || log[1] == "end: <nil>" {
			t.Errorf("at the end of the session: %q", log)
		}
	})
}

// TestMergedAnswersAreBounded has a switch answer a question that is answered whole with ever more
// parts.
func TestMergedAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, Config{EchoInterval: -1, MaxHeld: 1 << 30}, pipe.Options{})
		d := &asked{datapath: &datapath{id: 1}}
		a, b := pipe.New(p.options)
		p.server.ServeConn(a)
		sw, _ := p.dialer.ServeConn(b, &Roles{}, d)
		synctest.Wait()
		var got error
		done := false
		filter := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
		err := p.handler.last().Multipart(&openflow.FlowRequest{FlowFilter: filter},
			func(_ openflow.ReplyBody, err error) { got, done = err, true })
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		part := &openflow.MultipartReply{Flags: openflow.MultipartMore,
			Body: &openflow.FlowStatsList{Flows: make([]openflow.FlowStats, 1000)}}
		frame, err := openflow.Append(nil, openflow.V13, 0, part)
		if err != nil {
			t.Fatal(err)
		}
		parts := 0
		for ; !done && parts <= MaxMergedBytes/len(frame); parts++ {
			sw.Reply(d.xids[0], part)
			synctest.Wait()
		}
		if want := MaxMergedBytes/len(frame) + 1; !errors.Is(got, ErrTooLarge) || parts != want || p.server.Held() != 0 {
			t.Errorf("%v after %d parts, want %d; %d bytes are held", got, parts, want, p.server.Held())
		}
		p.close()
	})
}
