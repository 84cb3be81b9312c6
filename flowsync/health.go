package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
)

// health is whether a switch answers, and keeps what it confirms, with the alarms that follow.
type health struct {
	*session

	answerDeadline  time.Time // timeout of the reading or batch in flight; zero if none is
	unanswered      int       // consecutive batches and readings without an answer
	batchUnanswered bool      // a batch was abandoned since one was confirmed
	stuck           bool      // answers neither barriers nor readings
	stuckAlarm      bool      // the alarm stuck-switch is raised
	driftAlarm      bool      // the alarm drift is raised and no batch was confirmed since
	lying           bool      // does not keep what it confirms
	lyingUntil      time.Time // when lying is cleared
}

// unanswered is the status of rules at a switch that does not answer.
var unanswered = ruleStatus{netview.RuleFailed, netview.ReasonUnanswered}

// batchAnswered records that the switch has confirmed a batch.
func (h *health) batchAnswered() {
	h.answerDeadline, h.unanswered, h.batchUnanswered, h.driftAlarm = time.Time{}, 0, false, false
}

// markStuck marks a switch that answers neither barriers nor readings though its session is alive. Its rules
// are sent all the same, and installed as soon as the switch, or its listing, confirms them.
func (h *health) markStuck() {
	h.stuck = true
	h.setStuckAlarm(fmt.Sprintf("left %d questions in a row unanswered", h.unanswered))
}

// clearStuck removes the mark.
func (h *health) clearStuck() { h.stuck, h.unanswered = false, 0 }

// setStuckAlarm raises the alarm stuck-switch with a text, or clears it if text is empty. It is raised here
// only: for a switch that answers nothing though its session is alive (markStuck), or whose session was ended
// for that (Down.Stuck), until it answers, begins another session, or is released.
func (h *health) setStuckAlarm(text string) {
	switch {
	case text != "":
		h.raise(netview.AlarmStuckSwitch, text)
	case h.stuckAlarm:
		h.clearAlarm(netview.AlarmStuckSwitch)
	}
	h.stuckAlarm = text != ""
}

// raiseDriftAlarm raises the alarm drift. If the session ends before anything was put back the
// alarm is cleared: a bridge that is deleted reports its entries one by one.
func (h *health) raiseDriftAlarm(text string) {
	h.raise(netview.AlarmDrift, text)
	h.driftAlarm = true
}

// clearDriftAlarm clears it, if no batch was confirmed since.
func (h *health) clearDriftAlarm() {
	if h.driftAlarm {
		h.driftAlarm = false
		h.clearAlarm(netview.AlarmDrift)
	}
}

// lossBackoff returns how long a rule waits before it is put back, after a number of losses.
func (h *health) lossBackoff(losses int) time.Duration {
	switch {
	case h.lying:
		return h.config.RetryMax
	case losses < 2:
		return 0
	}
	return h.config.backoff(losses - 1)
}

// markLying marks a switch that does not keep what it confirms.
func (h *health) markLying(name string, losses int, since, now time.Time) {
	h.lyingUntil = now.Add(h.config.LieWindow + 2*h.config.RetryMax)
	h.lying = true
	h.raise(netview.AlarmLyingSwitch, fmt.Sprintf("confirmed %s and did not hold it, %d times in %s",
		name, losses, now.Sub(since).Round(time.Second)))
}

// clearLying removes the mark, after a time without losses.
func (h *health) clearLying() {
	h.lying, h.lyingUntil = false, time.Time{}
	h.clearAlarm(netview.AlarmLyingSwitch)
}

// needsReading reports whether a barrier reply does not suffice to call a rule installed that was lost so often:
// a reading has to show it.
func (h *health) needsReading(losses int) bool { return h.lying && losses >= h.config.LieCount }

// unconfirmed returns the status of a rule that is not confirmed, and was lost so often.
func (h *health) unconfirmed(losses int) ruleStatus {
	switch {
	case h.stuck:
		return unanswered
	case h.needsReading(losses):
		return ruleStatus{netview.RuleFailed, fmt.Sprintf("%s: lost %d times", netview.ReasonNotKept, losses)}
	}
	return pending
}

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
