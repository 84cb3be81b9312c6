package liveness

import (
	"cmp"
	"slices"
	"time"
)

// Config says what an instance is, and how long it waits. Durations that are 0 have the default.
type Config struct {
	Self Life
	// Every is the period of heartbeats, and twice that while all is quiet: 10 ms.
	Every time.Duration
	// Missed is how many of these periods a member is silent before it is suspected: 4. With less, heartbeats are not sent
	// less often while all is quiet.
	Missed int
	// MaxDelay bounds by how much delays widen a limit: 2 s.
	MaxDelay time.Duration
	// FirstContact is how long one that was never heard is waited for: 2 s.
	FirstContact time.Duration
}

// State is what an instance knows of a member.
type State uint8

// The states of a member.
const (
	Waited    State = iota // never heard, and it has time yet
	Heard                  // its heartbeats come
	Suspected              // its heartbeats do not come
)

// String is the state's name in lower case.
func (s State) String() string { return [...]string{"waited", "heard", "suspected"}[s] }

// formerLives is how many lives of a member that have ended are remembered, so that what comes late of them is known.
const formerLives = 8

// member is what is known of another instance.
type member struct {
	Life             // heard last; no incarnation: never heard
	former  []uint64 // incarnations before, newest last
	state   State
	since   time.Time // of its silence: its last heartbeat, a new stream, the end of a gap
	lost    bool      // its streams broke at since, and it was not heard after
	number  uint64    // of its last heartbeat
	period  time.Duration
	delay   time.Duration
	hears   []Life
	contact bool // it was heard
}

// Core is what one instance knows of the others. One goroutine at a time uses it.
type Core struct {
	cfg     Config
	due     time.Time // of the next tick
	late    lateness
	members []*member // by ID
	hears   []Life    // whom this instance hears, by ID: for heartbeats
	unsaid  bool      // no heartbeat has said that yet
	number  uint64
	counts  Counts
}

// Counts are what a Core has counted.
type Counts struct {
	Received   uint64 // heartbeats that counted
	Missed     uint64 // heartbeats that never came, by the numbers of those that did
	Stale      uint64 // heartbeats that came late, twice, from a former life or from no member
	Suspicions uint64 // members that were suspected
	Gaps       uint64 // ticks that came so late that this process did not run
}

// New makes the Core of an instance that has no members yet. Its first tick is due a period later.
func New(cfg Config, now time.Time) *Core {
	cfg.Every = cmp.Or(cfg.Every, 10*time.Millisecond)
	cfg.Missed = cmp.Or(cfg.Missed, 4)
	cfg.MaxDelay = cmp.Or(cfg.MaxDelay, 2*time.Second)
	cfg.FirstContact = cmp.Or(cfg.FirstContact, 2*time.Second)
	if cfg.Self.ID == 0 || cfg.Self.Incarnation == 0 {
		panic("liveness: an instance without a number or an incarnation")
	}
	return &Core{cfg: cfg, due: now.Add(cfg.Every)}
}

// member is one; nil: it is none.
func (c *Core) member(id ID) *member {
	at, ok := slices.BinarySearchFunc(c.members, id, func(m *member, id ID) int { return cmp.Compare(m.ID, id) })
	if !ok {
		return nil
	}
	return c.members[at]
}

// SetMembers says who the members are. The own number is passed over; those that are not listed are forgotten.
func (c *Core) SetMembers(ids []ID, now time.Time) {
	var list []*member
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		m := c.member(id)
		if m == nil {
			m = &member{Life: Life{ID: id}, since: now, period: c.cfg.Every}
		}
		if id != c.cfg.Self.ID && id != 0 && len(list) < MaxMembers {
			list = append(list, m)
		}
	}
	c.members = list
	c.heard()
}

// heard makes the list of those that are heard.
func (c *Core) heard() {
	var list []Life
	for _, m := range c.members {
		if m.state == Heard {
			list = append(list, m.Life)
		}
	}
	c.unsaid = c.unsaid || !slices.Equal(list, c.hears)
	c.hears = list
}

// Next is the time at which the next tick is due. Tick measures by it how late a tick is.
func (c *Core) Next() time.Time { return c.due }

// Tick is to be called when a tick is due, and however late. It reports whether anything has changed that others ask.
func (c *Core) Tick(now time.Time) (changed bool) {
	late := max(now.Sub(c.due), 0)
	gap := late > 2*c.Delay(now)+c.cfg.Every
	c.late.add(min(late, c.cfg.MaxDelay), now)
	c.due = now.Add(c.cfg.Every)
	if gap {
		c.counts.Gaps++
	}
	for _, m := range c.members {
		switch {
		case gap:
			m.since = now
		case m.state != Suspected && now.Sub(m.since) > c.limit(m, now):
			m.state = Suspected
			c.counts.Suspicions++
			changed = true
		}
	}
	c.heard()
	return changed
}

// Turn is that of who sends heartbeats: a tick, if one is due or tick is set, and the next heartbeat. The next tick is due after
// wait: with the next heartbeat, or when a silence has to be noticed.
func (c *Core) Turn(now time.Time, tick bool) (beat Heartbeat, wait time.Duration, changed bool) {
	changed = (tick || !now.Before(c.due)) && c.Tick(now)
	beat = c.Heartbeat(now)
	wait = untilMultiple(now, c.Period(now))
	if first := c.Deadline(now); !first.IsZero() {
		wait = min(wait, max(first.Sub(now), 0))
	}
	c.due = now.Add(wait)
	return beat, wait, changed
}

// untilMultiple is the time until the next whole multiple of a period by the system's clock, so that the instances of a machine,
// or of machines whose clocks agree, wake at the same times: a heartbeat then comes while its receiver is awake.
func untilMultiple(now time.Time, period time.Duration) time.Duration {
	return period - now.Sub(now.Truncate(period))
}

// Delay is by how much own ticks came late, lately.
func (c *Core) Delay(now time.Time) time.Duration { return c.late.now(now) }

// limit is how long a member may be silent.
func (c *Core) limit(m *member, now time.Time) time.Duration {
	delay := min(c.Delay(now)+m.delay, c.cfg.MaxDelay)
	switch {
	case !m.contact:
		return max(c.cfg.FirstContact, delay)
	case m.lost:
		return 2*c.cfg.Every + delay
	}
	return max(time.Duration(c.cfg.Missed)*c.cfg.Every, 2*m.period) + delay
}

// Period is the time until the next heartbeat is due: Every, or twice that while all is quiet: ticks here and those of all
// that are heard come on time. Limits are the same then, since each has room for two of the longer periods.
func (c *Core) Period(now time.Time) time.Duration {
	late := c.Delay(now)
	for _, m := range c.members {
		if m.state == Heard {
			late = max(late, m.delay)
		}
	}
	if late > c.cfg.Every/2 || c.cfg.Missed < 4 {
		return c.cfg.Every
	}
	return 2 * c.cfg.Every
}

// Deadline is when the next member would be suspected, if nothing comes of it: a tick is due then. It is zero where there
// is none.
func (c *Core) Deadline(now time.Time) (first time.Time) {
	for _, m := range c.members {
		if m.state == Suspected {
			continue
		}
		if at := m.since.Add(c.limit(m, now) + 1); first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}

// Receive takes a heartbeat. It reports whether anything has changed that others ask; h may be used again.
func (c *Core) Receive(h *Heartbeat, now time.Time) (changed bool) {
	m := c.member(h.From.ID)
	switch {
	case m == nil, slices.Contains(m.former, h.From.Incarnation),
		h.From.Incarnation == m.Incarnation && h.Number <= m.number:
		c.counts.Stale++
		return false
	case h.From.Incarnation != m.Incarnation:
		if m.contact {
			m.former = append(m.former, m.Incarnation)
			m.former = m.former[max(0, len(m.former)-formerLives):]
		}
		m.Incarnation, m.contact, changed = h.From.Incarnation, true, true
	default:
		c.counts.Missed += h.Number - m.number - 1
	}
	c.counts.Received++
	m.number, m.period, m.delay, m.since, m.lost = h.Number, h.Period, h.Delay, now, false
	if m.state != Heard {
		m.state, changed = Heard, true
	}
	if !slices.Equal(m.hears, h.Hears) {
		m.hears, changed = append(m.hears[:0], h.Hears...), true
	}
	if changed {
		c.heard()
	}
	return changed
}

// Lost says that the stream on which heartbeats of a member came has broken.
func (c *Core) Lost(id ID, now time.Time) {
	if m := c.member(id); m != nil && !m.lost {
		m.lost, m.since = true, now
	}
}

// Connected says that a member has a new stream, on which heartbeats are to come: its silence counts from now.
func (c *Core) Connected(id ID, now time.Time) {
	if m := c.member(id); m != nil {
		m.since, m.lost = now, false
	}
}

// Heartbeat is the next one of this instance. Its list is not to be changed, and valid until the Core is used again.
func (c *Core) Heartbeat(now time.Time) Heartbeat {
	c.number++
	c.unsaid = false
	return Heartbeat{From: c.cfg.Self, Number: c.number, Period: c.Period(now), Delay: c.Delay(now), Hears: c.hears}
}

// Unsaid reports whether whom this instance hears has changed since its last heartbeat. A heartbeat is then due at once:
// others may wait to know.
func (c *Core) Unsaid() bool { return c.unsaid }

// Hears is whom this instance hears, by ascending ID, as its next heartbeat says. Not to be changed.
func (c *Core) Hears() []Life { return c.hears }

// Heard reports whether heartbeats come from a member. An instance hears itself.
func (c *Core) Heard(id ID) bool {
	if id == c.cfg.Self.ID {
		return true
	}
	m := c.member(id)
	return m != nil && m.state == Heard
}

// Suspected reports whether a member's heartbeats do not come any more. It is false of one that was never heard as long
// as it has time, and of who is no member.
func (c *Core) Suspected(id ID) bool {
	m := c.member(id)
	return m != nil && m.state == Suspected
}

// Unheard reports whether nobody is known to hear a life: this instance suspects it, or hears a later one of the same
// instance, or it is none of a member; and of those that this instance hears none says that it hears it.
func (c *Core) Unheard(l Life) bool {
	if l == c.cfg.Self {
		return false
	}
	if m := c.member(l.ID); m != nil && m.state != Suspected && !slices.Contains(m.former, l.Incarnation) {
		return false // heard, waited for, or a life that was not heard yet
	}
	for _, m := range c.members {
		if m.state == Heard && slices.Contains(m.hears, l) {
			return false
		}
	}
	return true
}

// Incarnation is that of a member that was heard last; 0: it was never heard, or is none.
func (c *Core) Incarnation(id ID) uint64 {
	if m := c.member(id); m != nil {
		return m.Incarnation
	}
	return 0
}

// First is the first one in a list that is this instance or is heard by it; 0 if none is.
func (c *Core) First(order []ID) ID {
	for _, id := range order {
		if c.Heard(id) {
			return id
		}
	}
	return 0
}

// Silence is for how long nothing has come from a member on its stream; gaps of this process do not count.
func (c *Core) Silence(id ID, now time.Time) time.Duration {
	if m := c.member(id); m != nil {
		return now.Sub(m.since)
	}
	return 0
}

// Limit is how long a member may be silent before it is suspected.
func (c *Core) Limit(id ID, now time.Time) time.Duration {
	if m := c.member(id); m != nil {
		return c.limit(m, now)
	}
	return 0
}

// Member is what is known of a member, for people.
type Member struct {
	Life  // no incarnation: it was never heard
	State State
	Delay time.Duration // by how much its ticks came late, as it says
	Hears []Life        // whom it says it hears
}

// Members are all members, by ascending ID. The lists are copies.
func (c *Core) Members() []Member {
	list := make([]Member, len(c.members))
	for i, m := range c.members {
		list[i] = Member{m.Life, m.state, m.delay, slices.Clone(m.hears)}
	}
	return list
}

// Counts are a copy of what was counted.
func (c *Core) Counts() Counts { return c.counts }
