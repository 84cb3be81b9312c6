package emu

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
func (c *conn) answerFlows(s *session.Session, h openflow.Header, r *openflow.FlowRequest) error {
	var survey *flowtable.Survey
	for more := true; more; {
		part := &openflow.FlowStatsList{}
		ok, err := c.inspect(func(t *flowtable.Switch, now time.Duration) (err error) {
			if survey == nil {
				if survey, err = t.Survey(c.version, r, now); err != nil {
					return err
				}
			}
			part, more = t.Describe(survey, describeItems, now)
			c.sw.misbehaviour.hide(part)
			return nil
		})
		if err != nil || !ok {
			return err
		}
		before := s.Queue()
		if err := sendParts(s, h.XID, part, more); err != nil {
			return err
		}
		c.queueStats(s.Queue() - before)
	}
	return nil
}

// inspect calls f with the tables; ok is false if they are no longer those of this connection.
func (c *conn) inspect(f func(t *flowtable.Switch, now time.Duration) error) (ok bool, err error) {
	sw := c.sw
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.roles != c.roles {
		return false, nil
	}
	return true, f(sw.data.table, sw.data.clock(sw.net.now()))
}

// queueStats adds to the bytes of statistics that are queued for the controller.
func (c *conn) queueStats(bytes int) {
	c.sw.mu.Lock()
	defer c.sw.mu.Unlock()
	c.asked += max(bytes, 0)
}
