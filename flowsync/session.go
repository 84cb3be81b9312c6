package flowsync

import (
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// phase is how far a session has come.
type phase uint8

const (
	phaseDown    phase = iota // no session
	phaseReading              // the entries are being read; nothing is sent
	phaseReady                // the entries are known
)

// session is what all parts of a switch's core go by: which switch it is, and its session.
type session struct {
	*shared

	dpid        netview.DPID
	facts       *netview.Switch // the switch in the view; nil if the view does not have it
	epoch       uint64          // of the last session
	version     openflow.Version
	singleTable bool // the single-table form of the plan is in use
	cookieMasks bool // the version can restrict deletions and readings by cookie
	phase       phase
	denied      bool // another instance is its master: nothing is sent but questions
	watch       Watch
	wake        time.Time // the valid entry in shared.deadlines
}

func (s *session) address() Address { return Address{s.dpid, s.epoch} }

// wakeAt sees to it that the switch is looked at no later than t.
func (s *session) wakeAt(t time.Time) {
	if s.wake.IsZero() || t.Before(s.wake) {
		s.wake = t
		s.deadlines.Add(t, s.dpid)
	}
}

// ourKey returns the key of an entry of ours. In the single-table form all entries are in one
// table, whatever number the switch gives it.
func (s *session) ourKey(key entryKey) entryKey {
	if s.singleTable {
		key.table = plan.TableSingle
	}
	return key
}

// raise raises an alarm of the switch.
func (s *session) raise(kind netview.AlarmKind, text string) {
	s.ready.Alarms = append(s.ready.Alarms, Alarm{Kind: kind, Object: s.dpid.String(), Text: text})
}

// raiseLimit raises the alarm that a limit is reached.
func (s *session) raiseLimit(limit, text string) {
	s.ready.Alarms = append(s.ready.Alarms, Alarm{Kind: netview.AlarmLimit, Object: limit, Text: text})
}

// clearAlarm clears an alarm of the switch.
func (s *session) clearAlarm(kind netview.AlarmKind) {
	s.ready.Alarms = append(s.ready.Alarms, Alarm{Kind: kind, Object: s.dpid.String(), Clear: true})
}

// onUp begins a session: the switch is read before anything is sent.
func (sw *switchCore) onUp(in Up, now time.Time) {
	sw.reset()
	sw.health.setStuckAlarm("")
	sw.epoch, sw.version = in.Epoch, in.Version
	sw.batch.barrierTime = 0
	sw.batch.pace.begin()
	sw.watch = WatchReading
	if !sw.config.NoMonitor {
		sw.watch = WatchAsked
		sw.ready.Monitors = append(sw.ready.Monitors, sw.address())
	}
	if single := plan.SingleTable(in.Version, in.Tables); single != sw.singleTable {
		sw.singleTable = single
		sw.rules.ofView().settlePlaces()
	}
	sw.objects.beginSession(in.Version)
	sw.cookieMasks = sw.codec.hasCookieMasks(in.Version)
	sw.health.unanswered, sw.reading.failed = 0, 0
	sw.ready.Infrastructure = append(sw.ready.Infrastructure,
		sw.infrastructure.desire(sw.dpid, sw.config.Domain, in.Version, in.Tables))
	sw.startReading(now)
}

// reset ends a session: the fate of messages in flight is unknown. Rules that were installed remain installed.
func (sw *switchCore) reset() {
	sw.phase, sw.denied, sw.watch = phaseDown, false, WatchReading
	sw.checks.fail()
	if sw.health.stuck {
		sw.health.clearStuck()
		sw.rules.ofView().restate(unanswered, pending)
	}
	sw.health.batchUnanswered, sw.health.answerDeadline = false, time.Time{}
	sw.batch.inflight, sw.batch.resendAt = nil, time.Time{}
	sw.batch.follow(nil)
	sw.reading.reset()
	sw.notices.reset()
	sw.soft.reset()
	sw.foreign.at, sw.foreign.places, sw.foreign.overflow = nil, nil, 0
	sw.objects.reset()
	for i := range sw.sending {
		sw.sending[i].reset()
	}
	sw.rules.reset()
}

// onDown ends a session.
func (sw *switchCore) onDown(in Down) {
	sw.reset()
	sw.health.setStuckAlarm(in.Stuck)
	sw.health.clearDriftAlarm()
}

// onMastered begins to write to a switch, or ends. What is in flight then has an unknown fate, and who
// begins does not know what the master before has written: either way the switch is read anew. Meanwhile the
// view took no reports of ours: it has of each rule what the row says.
func (sw *switchCore) onMastered(in Mastered, now time.Time) {
	if sw.denied == !in.On {
		return
	}
	sw.denied = !in.On
	if in.On {
		sw.rules.ofView().reportAnew()
	}
	switch {
	case sw.phase == phaseReading && in.On:
		sw.notices.overflow = true // what is being read may be older
	case sw.phase == phaseReady && (in.On || sw.batch.inflight != nil):
		owed, batch := sw.health.unanswered, sw.health.batchUnanswered
		if sw.rereadLater(now); in.On {
			sw.objects.ForgetNumbers()
		}
		sw.health.unanswered, sw.health.batchUnanswered, sw.reading.at = owed, batch, now // the switch owes no answer
	}
}
