package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
)

// Source is how drift was noticed.
type Source uint8

// The sources.
const (
	SourceRemoved Source = iota // a flow-removed message
	SourceMonitor               // the flow monitor
	SourceReading               // a reading
	sources
)

// String is "flow-removed", "monitor" or "reading".
func (s Source) String() string { return [...]string{"flow-removed", "monitor", "reading"}[s] }

// drift puts back a rule that the switch was known to hold and lost or changed: at once the first
// time, then with growing backoff. A rule that is lost repeatedly is no accident: the switch lies,
// or someone removes it.
func (c *Core) drift(sw *switchState, w *row, s Source, now time.Time) {
	c.counters.Repairs++
	c.counters.Drift[s]++
	if w.losses == 0 || !sw.lying && now.Sub(w.lostSince) > c.config.LieWindow {
		w.losses, w.lostSince = 0, now
	}
	w.losses++
	c.markChanged(sw, w)
	c.raiseDriftAlarm(sw, fmt.Sprintf("%s's rule %s was lost or changed: it is put back (noticed by %s)",
		w.rule.Owner, w.name(), s))
	if w.losses >= c.config.LieCount {
		c.markLying(sw, w.name(), w.losses, w.lostSince, now)
	}
	pause := c.lossBackoff(sw, w.losses)
	if s == SourceReading { // only a reading can show that it is held this time
		sw.scheduleAudit(now.Add(pause + c.config.RetryFirst))
	}
	c.report(w, c.unconfirmedStatus(sw, w))
	if w.state != rowIdle {
		return
	}
	if pause > 0 {
		w.retryAt = now.Add(pause)
		sw.retries = append(sw.retries, w)
		return
	}
	sw.enqueue(w)
}

// raiseDriftAlarm raises the alarm drift. If the session ends before anything was put back the
// alarm is cleared: a bridge that is deleted reports its entries one by one.
func (c *Core) raiseDriftAlarm(sw *switchState, text string) {
	c.raise(netview.AlarmDrift, sw.dpid, text)
	sw.driftAlarm = true
}

// lossBackoff returns how long a rule waits before it is put back, after a number of losses.
func (c *Core) lossBackoff(sw *switchState, losses int) time.Duration {
	switch {
	case sw.lying:
		return c.config.RetryMax
	case losses < 2:
		return 0
	}
	return c.config.backoff(losses - 1)
}

// markLying marks a switch that does not keep what it confirms.
func (c *Core) markLying(sw *switchState, name string, losses int, since, now time.Time) {
	sw.lyingUntil = now.Add(c.config.LieWindow + 2*c.config.RetryMax)
	sw.lying = true
	c.raise(netview.AlarmLyingSwitch, sw.dpid, fmt.Sprintf("confirmed %s and did not hold it, %d times in %s",
		name, losses, now.Sub(since).Round(time.Second)))
}

// clearLying removes the mark, after a time without losses.
func (c *Core) clearLying(sw *switchState) {
	sw.lying, sw.lyingUntil = false, time.Time{}
	c.clear(netview.AlarmLyingSwitch, sw.dpid)
}

// needsReading reports whether a barrier reply does not suffice to call a rule installed: a reading
// has to show it.
func (c *Core) needsReading(sw *switchState, w *row) bool {
	return sw.lying && w.losses >= c.config.LieCount
}

// unconfirmedStatus returns the status of a rule that is not confirmed.
func (c *Core) unconfirmedStatus(sw *switchState, w *row) ruleStatus {
	switch {
	case sw.stuck:
		return ruleStatus{netview.RuleFailed, netview.ReasonUnanswered}
	case c.needsReading(sw, w):
		return ruleStatus{netview.RuleFailed, fmt.Sprintf("%s: lost %d times", netview.ReasonNotKept, w.losses)}
	}
	return pending
}

// name returns a rule's place, for people.
func (w *row) name() string {
	return fmt.Sprintf("table=%d priority=%d match=%s", w.key.table, w.key.priority, w.rule.Match.String())
}

// Alarm is an alarm to be raised or, if Clear, cleared.
type Alarm struct {
	Kind   netview.AlarmKind
	Object string
	Text   string
	Clear  bool
}

func (c *Core) raise(kind netview.AlarmKind, dpid netview.DPID, text string) {
	c.ready.Alarms = append(c.ready.Alarms, Alarm{Kind: kind, Object: dpid.String(), Text: text})
}

// raiseLimit raises the alarm that a limit is reached.
func (c *Core) raiseLimit(limit, text string) {
	c.ready.Alarms = append(c.ready.Alarms, Alarm{Kind: netview.AlarmLimit, Object: limit, Text: text})
}

func (c *Core) clear(kind netview.AlarmKind, dpid netview.DPID) {
	c.ready.Alarms = append(c.ready.Alarms, Alarm{Kind: kind, Object: dpid.String(), Clear: true})
}
