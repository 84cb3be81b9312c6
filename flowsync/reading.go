package flowsync

import (
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// reading is when and how the entries of a switch are read: before anything is written to it, and then in
// audits, how often being a question of what they cost. A switch takes a weight in the read queue only while it
// is read for the first time, and an audit is in flight only while it is ready.
type reading struct {
	*session
	health *health

	everRead bool      // at least once: before that nothing is written, so all entries are of an earlier run
	wasRead  bool      // at least once in this session
	tree     []Entry   // of the first reading in this session, until it ends: entries of the broadcast tree
	holds    bool      // and whether the switch holds any firm entry of ours
	oursOnly bool      // the reading in flight is restricted to our cookies
	failed   int       // consecutive readings that the session or the switch refused
	id       uint64    // of the latest reading during which nothing is written
	at       time.Time // when to read again before anything is sent; zero for never

	weight int       // part of readQueue.rules
	since  time.Time // when the latest reading, or audit, was requested
	queued bool      // in the read queue

	audit     audit // the reading in flight during which writing continues; audit.id is 0 if none
	auditAt   time.Time
	regularAt time.Time     // the last auditAt set by scheduleRegular
	cost      time.Duration // processor time of one reading; part of shared.readCosts
	took      time.Duration // duration of the last audit, from request to answer
}

// audit is a reading of a switch while writing to it continues. Places written to between request
// and answer are not compared: the listing may have been made before or after.
type audit struct {
	id          uint64 // of the request; 0 if none is in flight
	objectsMark uint64 // objects.Table.Mark
	requestedAt time.Time
	deadline    time.Time // timeout
}

// reset ends a session.
func (r *reading) reset() {
	r.freeSlot()
	r.setCost(0)
	r.wasRead, r.tree, r.holds, r.audit, r.took = false, nil, false, audit{}, 0
	r.at, r.auditAt = time.Time{}, time.Time{}
}

// request requests the switch's entries, and returns the number of the request. After a
// failure it requests all entries and ours only in turn: all may be too many for an answer.
func (r *reading) request(o *switchObjects) uint64 {
	r.requests++
	r.counters.Readings++
	request := Request{Address: r.address(), ID: r.requests}
	if r.oursOnly = r.cookieMasks && r.failed%2 == 1; r.oursOnly {
		request.Cookie, request.Mask = plan.Cookie{Domain: r.config.Domain}.Encode(), plan.DomainMask
	}
	request.InTurn = r.failed > 0
	o.begin(&request)
	r.ready.Readings = append(r.ready.Readings, request)
	return request.ID
}

// awaits reports whether a request is that of the reading in flight during which nothing is written.
func (r *reading) awaits(id uint64) bool {
	return r.phase == phaseReading && !r.health.answerDeadline.IsZero() && id == r.id
}

// takeSlot counts a switch, with so many ordered rules, among those being read.
func (r *reading) takeSlot(rules int, now time.Time) {
	r.weight, r.since = rules, now
	r.readQueue.rules += rules
}

// freeSlot ends that.
func (r *reading) freeSlot() {
	r.readQueue.rules -= r.weight
	r.weight = 0
}

// scheduleAudit schedules an audit for t at the latest.
func (r *reading) scheduleAudit(t time.Time) {
	if r.auditAt.IsZero() || t.Before(r.auditAt) {
		r.auditAt = t
	}
}

// beginAudit requests the switch's entries.
func (r *reading) beginAudit(o *switchObjects, now time.Time) {
	r.auditAt, o.differences, r.since = time.Time{}, nil, now
	r.audit = audit{id: r.request(o), objectsMark: o.Mark(), requestedAt: now, deadline: now.Add(r.config.Answer)}
}

// endAudit ends the audit in flight.
func (r *reading) endAudit(now time.Time) { r.audit, r.took = audit{}, now.Sub(r.audit.requestedAt) }

// found looks for entries of the broadcast tree in a part of a listing, if it is the first of a session.
func (r *reading) found(packed *Packed) {
	if r.wasRead {
		return
	}
	for b := packed.bytes; len(b) > 0; {
		var e packedEntry
		if e, b = nextPacked(b); plan.Decode(e.cookie).Kind == plan.KindTree {
			key := e.place.key()
			r.tree = append(r.tree, Entry{Table: key.table, Priority: key.priority, Cookie: e.cookie,
				Match: openflow.Match{OXM: []byte(key.match)}, Instructions: ruleset.ParseKey(string(e.do))})
		}
	}
	r.holds = r.holds || packed.Count > 0
}

// interval returns the time between two regular readings of a switch: long enough for all such
// readings to use no more than Config.ReadShare of a processor.
func (r *reading) interval() time.Duration {
	return max(r.config.ReadEvery, time.Duration(float64(r.readCosts)/r.config.ReadShare))
}

// scheduleRegular schedules the next reading of a switch without a flow monitor. The first
// ones are spread over the interval by datapath id, since many switches connect at once.
func (r *reading) scheduleRegular(now time.Time, first bool) {
	if r.watch != WatchReading || r.phase != phaseReady {
		return
	}
	if r.cost == 0 {
		r.setCost(r.config.ReadCost)
	}
	r.regularAt = r.regular(now, first)
	r.scheduleAudit(r.regularAt)
}

// regular returns when to read a switch again.
func (r *reading) regular(now time.Time, first bool) time.Time {
	d := r.interval()
	if first {
		const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio: multiples of it spread evenly
		d = d/2 + time.Duration(float64(d/2)*float64(uint64(r.dpid)*golden>>11)/(1<<53))
	}
	at := now.Add(d)
	return at.Add(beat.Wait(at))
}

// entryCost is the assumed cost of a reading per entry, if a switch holds many more than when the
// cost was measured.
const entryCost = 500 * time.Nanosecond

// costGrew reports whether a switch has so many more ordered rules than at the last
// reading that reading it costs far more; the next reading is then scheduled anew.
func (r *reading) costGrew(rules int) bool {
	expected := time.Duration(rules) * entryCost
	if expected < 2*r.cost {
		return false
	}
	r.setCost(expected)
	return true
}

// setCost records the cost of reading a switch.
func (r *reading) setCost(cost time.Duration) {
	r.readCosts += cost - r.cost
	r.cost = cost
}

// updateCost smooths the measured cost of a reading. A single measurement may have been
// interrupted: it counts for a quarter.
func (r *reading) updateCost(cost time.Duration) {
	if r.watch != WatchReading || cost <= 0 {
		return
	}
	if r.cost > 0 {
		cost = (3*r.cost + min(cost, 8*r.cost)) / 4
	}
	r.setCost(cost)
}

// driftBound returns how long drift that the switch does not report stays undetected at most;
// negative if that is not known.
func (r *reading) driftBound() time.Duration {
	switch {
	case r.phase == phaseDown || r.watch == WatchAsked || r.watch == WatchPaused:
		return -1
	case r.watch == WatchMonitor:
		return 0
	}
	return r.interval() + r.took
}

// alarmNoRoom raises an alarm that not all of a listing could be kept.
func (r *reading) alarmNoRoom() {
	r.raiseLimit("limits.switch_listings",
		"switch "+r.dpid.String()+" lists more entries than there is room for: not all are remembered")
}
