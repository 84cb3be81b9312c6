package agent

import (
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// describeItems is how many entries are described while the tables can do nothing else.
const describeItems = 1024

// answerFlows sends flow statistics part by part: a table may be large, and the switch's engine
// serves other switches too.
func (a *Agent) answerFlows(s *session.Session, h openflow.Header, r *openflow.FlowRequest) error {
	var survey *flowtable.Survey
	for more := true; more; {
		part := &openflow.FlowStatsList{}
		ok, err := a.of.Tables(func(t *flowtable.Switch, now time.Duration, _ flowtable.Output) (err error) {
			if survey == nil {
				if survey, err = t.Survey(a.version, r, now); err != nil {
					return err
				}
			}
			part, more = t.Describe(survey, describeItems, now)
			a.of.Show(part)
			return nil
		})
		if err != nil || !ok {
			return err
		}
		before := s.Queue()
		if err := sendParts(s, h.XID, part, more); err != nil {
			return err
		}
		a.queueStats(s.Queue() - before)
	}
	return nil
}

// queueStats adds to the bytes of statistics that are queued for the controller.
func (a *Agent) queueStats(bytes int) {
	_, _ = a.of.Tables(func(*flowtable.Switch, time.Duration, flowtable.Output) error {
		a.asked += max(bytes, 0)
		return nil
	})
}
