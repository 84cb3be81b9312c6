package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
)

// Source is how a drift was noticed.
type Source uint8

// The sources.
const (
	SourceRemoved Source = iota // the switch told that the entry went
	SourceMonitor               // its flow monitor told
	SourceReading               // it was found when the switch was read
	sources
)

// String is "flow-removed", "monitor" or "reading".
func (s Source) String() string { return [...]string{"flow-removed", "monitor", "reading"}[s] }

// drift has a rule put back that the switch was known to hold and does not hold as it should: at once the first time,
// then with growing pauses. One that is lost again and again is no accident: the switch lies, or somebody insists.
func (c *Core) drift(l *ledger, w *row, s Source, now time.Time) {
	c.counters.Repairs++
	c.counters.Drift[s]++
	if w.losses == 0 || !l.lying && now.Sub(w.lostSince) > c.config.LieWindow {
		w.losses, w.lostSince = 0, now
	}
	w.losses++
	c.moved(l, w)
	c.alarmDrift(l, fmt.Sprintf("%s's rule %s was lost or changed: it is put back (noticed by %s)", w.rule.Owner, w.name(), s))
	if w.losses >= c.config.LieCount {
		c.distrust(l, w.name(), w.losses, w.lostSince, now)
	}
	if s == SourceReading { // whether it is held this time is seen by reading only
		l.auditBy(now.Add(c.pauseFor(l, w) + c.config.RetryFirst))
	}
	c.tell(w, c.waiting(l, w))
	if w.state != rowIdle {
		return
	}
	if pause := c.pauseFor(l, w); pause > 0 {
		w.retryAt = now.Add(pause)
		l.retries = append(l.retries, w)
		return
	}
	l.enqueue(w)
}

// alarmDrift raises the alarm drift. It is ended when the session ends before anything was put back: a bridge that is deleted tells of its
// entries one by one, and goes.
func (c *Core) alarmDrift(l *ledger, text string) {
	c.raise(netview.AlarmDrift, l.dpid, text)
	l.drifted = true
}

// pauseFor is how long a rule that was lost waits before it is put back.
func (c *Core) pauseFor(l *ledger, w *row) time.Duration {
	return c.pause(l, w.losses)
}

// pause is that after a number of losses.
func (c *Core) pause(l *ledger, losses int) time.Duration {
	switch {
	case l.lying:
		return c.config.RetryMax
	case losses < 2:
		return 0
	}
	return c.config.backoff(losses - 1)
}

// distrust marks a switch that does not keep what it confirms.
func (c *Core) distrust(l *ledger, name string, losses int, since, now time.Time) {
	l.trustAt = now.Add(c.config.LieWindow + 2*c.config.RetryMax)
	l.lying = true
	c.raise(netview.AlarmLyingSwitch, l.dpid, fmt.Sprintf("confirmed %s and did not hold it, %d times in %s",
		name, losses, now.Sub(since).Round(time.Second)))
}

// trust ends that, when nothing was lost for a while.
func (c *Core) trust(l *ledger) {
	l.lying, l.trustAt = false, time.Time{}
	c.clear(netview.AlarmLyingSwitch, l.dpid)
}

// doubted says whether a barrier is not enough for a rule to be called installed: the switch has to show it.
func (c *Core) doubted(l *ledger, w *row) bool {
	return l.lying && w.losses >= c.config.LieCount
}

// waiting is what is said of a rule that is not confirmed.
func (c *Core) waiting(l *ledger, w *row) verdict {
	switch {
	case l.stuck:
		return verdict{netview.RuleFailed, netview.ReasonUnanswered}
	case c.doubted(l, w):
		return verdict{netview.RuleFailed, fmt.Sprintf("%s: lost %d times", netview.ReasonNotKept, w.losses)}
	}
	return pending
}

// name is a rule's place, for people.
func (w *row) name() string {
	return fmt.Sprintf("table=%d priority=%d match=%s", w.key.table, w.key.priority, w.rule.Match.String())
}

// Alarm is an alarm to be raised or, if Clear, to be ended.
type Alarm struct {
	Kind   netview.AlarmKind
	Object string
	Text   string
	Clear  bool
}

func (c *Core) raise(kind netview.AlarmKind, dpid netview.DPID, text string) {
	c.ready.Alarms = append(c.ready.Alarms, Alarm{Kind: kind, Object: dpid.String(), Text: text})
}

func (c *Core) clear(kind netview.AlarmKind, dpid netview.DPID) {
	c.ready.Alarms = append(c.ready.Alarms, Alarm{Kind: kind, Object: dpid.String(), Clear: true})
}
