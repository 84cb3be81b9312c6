package stats

import (
	"errors"
	"sync/atomic"
)

// Counts are what was asked and answered since start. They are safe to read at any time.
type Counts struct {
	Asked, Answered [kinds]atomic.Uint64 // by Kind
	Refused         atomic.Uint64        // questions that a switch answered with an error: it is asked again after MaxPeriod
	Unanswered      atomic.Uint64        // questions without an answer in time, or with one that makes no sense
	Busy            atomic.Uint64        // questions that were not asked because the switch does not take what is queued
	Held            atomic.Uint64        // times at which switches were due and the budget was spent
	Bytes           atomic.Uint64        // of answers, about
}

// Kinds are all kinds of questions.
func Kinds() []Kind {
	return []Kind{KindPorts, KindTables, KindTotals, KindFlows, KindTenants, KindGroups, KindMeters}
}

// end counts the end of a question.
func (c *Counts) end(k Kind, err error) {
	switch {
	case err == nil:
		c.Answered[k].Add(1)
	case errors.Is(err, ErrRefused):
		c.Refused.Add(1)
	case errors.Is(err, ErrBusy):
		c.Busy.Add(1)
	default:
		c.Unanswered.Add(1)
	}
}
