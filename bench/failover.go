package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/cluster/local"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Failover is what happens when an instance of a cluster dies: to switches, to packets on installed paths, and to
// requests. The instances are processes, which are killed by SIGKILL and started again with what they have on the disk;
// the emulated network is in this process, and its switches connect to all of them. The zero value of a field means its
// default.
type Failover struct {
	Instances int    // default 3
	Topology  string // as topo.Parse reads it; default wan:100,hosts=2. Every other pair of hosts has intents
	Kill      []Victim
	Interval  time.Duration // between two pings of a host over an intent; default 100 ms
	Rate      int           // intents offered a second, each by its own request; default 100
	Intents   int           // that are there from the beginning, beside those between hosts, for packets that no host sends
	Tenant    int           // flow entries a second that a tenant's controller adds, each with a barrier; 0: there is no tenant
	Before    time.Duration // load before each kill, and at least as long after what is waited for; default 2 s
	LateLimit time.Duration // by which one offered intent in a hundred may be late; default 20 ms
	Limit     time.Duration // for everything that is waited for; default 2 min
	Seed      uint64
	Dir       string // for the data of instances, in a directory that is removed; empty: that of temporary files
	Program   string // the weir binary of instances; default this one
	Options          // Runs is how often each is killed; default 10
	topology  *topo.Topology
}

// Victim is who is killed, or how.
type Victim string

// The victims.
const (
	Owner     Victim = "owner"     // decides for the network
	Leader    Victim = "leader"    // leads the store, and is not the owner
	Bystander Victim = "bystander" // neither
	Handover  Victim = "handover"  // the owner, which is ended by SIGTERM
	Stopped   Victim = "stopped"   // the owner, which is stopped by SIGSTOP, and goes on when another one has its place
)

// Victims are all of them.
var Victims = []Victim{Owner, Leader, Bystander, Handover, Stopped}

// owns reports whether switches lose their master.
func (v Victim) owns() bool { return v == Owner || v == Handover || v == Stopped }

// subject is the name of its result.
func (v Victim) subject() string {
	switch v {
	case Leader:
		return "the store's leader is killed"
	case Handover:
		return "the owner is ended"
	case Stopped:
		return "the owner is stopped"
	}
	return "the " + string(v) + " is killed"
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Failover) Check() error {
	c.Instances = cmp.Or(c.Instances, 3)
	c.Topology = cmp.Or(c.Topology, "wan:100,hosts=2")
	c.Interval = cmp.Or(c.Interval, 100*time.Millisecond)
	c.Rate = cmp.Or(c.Rate, 100)
	c.Before = cmp.Or(c.Before, 2*time.Second)
	c.LateLimit = cmp.Or(c.LateLimit, 20*time.Millisecond)
	c.Limit = cmp.Or(c.Limit, 2*time.Minute)
	if len(c.Kill) == 0 {
		c.Kill = []Victim{Owner, Leader, Bystander}
	}
	if err := c.Options.check(10); err != nil {
		return err
	}
	if c.Instances < 3 || c.Instances > local.MaxInstances {
		return fmt.Errorf("%d instances given, want 3 to %d: fewer survive no loss", c.Instances, local.MaxInstances)
	}
	for i, v := range c.Kill {
		if !slices.Contains(Victims, v) || slices.Contains(c.Kill[:i], v) {
			return fmt.Errorf("%q given, want some of %s, each once", v, victimNames())
		}
	}
	if c.Interval < time.Millisecond || c.Rate < 1 || c.Rate > maxOffered || c.Before < 0 || c.LateLimit < 0 || c.Limit < 0 {
		return fmt.Errorf("pings every %v, %d intents a second and %v before a kill given, want positive ones, an interval of 1 ms or more, and %d intents a second or less",
			c.Interval, c.Rate, c.Before, maxOffered)
	}
	if c.Intents < 0 || c.Intents > maxBackground {
		return fmt.Errorf("%d intents given that are there from the beginning, want 0 to %d", c.Intents, maxBackground)
	}
	if c.Tenant < 0 || c.Tenant > maxOffered {
		return fmt.Errorf("%d entries a second of a tenant given, want 0 to %d", c.Tenant, maxOffered)
	}
	t, err := topo.Parse(c.Topology, c.Seed)
	if err == nil && len(t.Hosts) < 4 {
		err = fmt.Errorf("topology %q given, want one with four hosts or more", c.Topology)
	}
	c.topology = t
	return err
}

// maxOffered bounds the rate of offered intents, maxBackground the number of those that are there from the beginning.
const (
	maxOffered    = 5000
	maxBackground = 1 << 21
)

func victimNames() string {
	var names []string
	for _, v := range Victims {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

func (c *Failover) plan(r *report.Report) (list []participant) {
	t := c.topology
	title := fmt.Sprintf("an instance of %d dies: %s, %s, half of which ping each other every %v over intents; %d intents offered a second",
		c.Instances, report.Plural(len(t.Switches), "switch", "switches"), report.Plural(len(t.Hosts), "host", "hosts"),
		c.Interval, c.Rate)
	if c.Intents > 0 {
		title += fmt.Sprintf("; %d are there from the beginning", c.Intents)
	}
	if c.Tenant > 0 {
		title += fmt.Sprintf("; a tenant's controller adds %d entries a second", c.Tenant)
	}
	about(r, "failover", title, openflow.V13, c.Topology, t, c.Seed)
	r.Load.Rate = c.Rate
	bed := &failoverBed{c: c, report: r}
	for _, v := range c.Kill {
		x := r.Add(v.subject())
		s := &failoverScore{subject: subject{x}, c: c, victim: v, bed: bed}
		since := "from the signal to "
		if v.owns() {
			s.first = x.Distribution("first master", since+"when the first switch had a living instance as its master")
			s.last = x.Distribution("last master", since+"when the last one had")
			s.wrote = x.Distribution("first write", since+"the first change or packet-out of a living instance that a switch accepted")
			if c.Tenant > 0 {
				s.tenantBack = x.Distribution("tenant's switches back",
					since+"when the last switch of the tenant was connected to its controller again")
			}
			s.shown = x.Distribution("switches shown", since+"the first answer to GET /v1/switches with all of them connected")
		}
		s.accepted = x.Distribution("first intent accepted", since+"the first answer of a living instance that accepts an intent offered after it")
		s.installed = x.Distribution("that intent installed", since+"the last entry of that intent at a switch")
		s.gap = x.Distribution("longest gap",
			"between two answers that accepted intents, offered at a set rate: the longest that ended after the signal")
		list = append(list, s)
	}
	return list
}

// failoverScore is what is measured of all kills of a victim.
type failoverScore struct {
	subject
	c      *Failover
	victim Victim
	bed    *failoverBed

	first, last, wrote, shown, accepted, installed, gap, tenantBack report.Histogram
	ledToo                                                          int // owners that led the store too
}

// failoverRun is what is measured of one kill. Times are since the signal.
type failoverRun struct {
	first, last, wrote, shown, accepted, installed, gap time.Duration

	refused                  int    // offered intents without an answer that accepts them
	sent, lost               uint64 // pings over intents
	otherSent, otherLost     uint64 // and of the other hosts
	writes, stale            uint64
	acceptedIntents, missing int
	entries, entriesMissing  int // confirmed to the tenant, and of those
	tenantRestarts           int // switches of the tenant whose restart was announced
	tenantBack               time.Duration
	lateness                 time.Duration // of offered intents, one in a hundred
	back                     time.Duration // from the start of the victim to when it stands by
	ledToo                   bool
	moved                    int // owners that were replaced while they lived
}

// check tells why a run is no result.
func (k *failoverRun) check(c *Failover) error {
	switch {
	case k.lateness > c.LateLimit:
		return fmt.Errorf("%w: one intent in a hundred was offered %v late or more, allowed are %v", report.ErrLate, k.lateness,
			c.LateLimit)
	case k.stale > 0:
		return fmt.Errorf("%w: %d of %d", report.ErrStale, k.stale, k.writes)
	case k.missing > 0:
		return fmt.Errorf("%w: %d of %d intents that were accepted are not there any more", report.ErrMissing, k.missing,
			k.acceptedIntents)
	case k.entriesMissing > 0:
		return fmt.Errorf("%w: %d of %d entries that a barrier had confirmed to a tenant are not there any more, and no restart was announced",
			report.ErrMissing, k.entriesMissing, k.entries)
	case k.lost > 0:
		return fmt.Errorf("%w: %d of %d packets on installed paths were lost", report.ErrMisforwarded, k.lost, k.sent)
	case k.sent == 0:
		return fmt.Errorf("%w: no ping was sent", report.ErrNothing)
	}
	return nil
}

// take adds a run to the result.
func (s *failoverScore) take(i int, k *failoverRun) {
	x := s.result
	time := func(h report.Histogram, name string, d time.Duration) {
		if h == (report.Histogram{}) {
			return
		}
		h.Record(int64(d))
		x.Take(name, "ms", report.Milliseconds(d))
	}
	time(s.last, "last switch has a master", k.last)
	time(s.first, "first switch has a master", k.first)
	time(s.wrote, "first write", k.wrote)
	time(s.shown, "all switches shown", k.shown)
	time(s.tenantBack, "tenant's switches back", k.tenantBack)
	time(s.accepted, "first intent accepted", k.accepted)
	time(s.installed, "that intent installed", k.installed)
	time(s.gap, "longest gap between accepted intents", k.gap)
	x.Take("packets on installed paths", "", float64(k.sent))
	x.Take("of them lost", "", float64(k.lost))
	x.Take("pings of other hosts lost", "%", 100*float64(k.otherLost)/float64(max(k.otherSent, 1)))
	x.Take("writes that switches accepted", "", float64(k.writes))
	x.Take("of them stale", "", float64(k.stale))
	x.Take("intents accepted", "", float64(k.acceptedIntents))
	x.Take("of them missing afterwards", "", float64(k.missing))
	if s.c.Tenant > 0 {
		x.Take("entries confirmed to a tenant", "", float64(k.entries))
		x.Take("of them missing, without an announced restart", "", float64(k.entriesMissing))
		x.Take("switches of the tenant whose restart was announced", "", float64(k.tenantRestarts))
	}
	x.Take("intents refused, or without an answer", "", float64(k.refused))
	x.Take("owners replaced that lived", "", float64(k.moved))
	x.Take("begun again, or going on, to standing by", "ms", report.Milliseconds(k.back))
	if k.ledToo {
		s.ledToo++
	}
	s.c.Note("run %d of %d: %s: last master after %.1f ms, first intent after %.1f ms, longest gap %.1f ms, %d of %d packets lost, %d stale writes of %d",
		i+1, s.c.Runs, x.Subject, report.Milliseconds(k.last), report.Milliseconds(k.accepted), report.Milliseconds(k.gap),
		k.lost, k.sent, k.stale, k.writes)
}

func (s *failoverScore) finish() {
	if s.victim.owns() {
		s.result.Notes = append(s.result.Notes, fmt.Sprintf("%d of %d led the store too", s.ledToo, s.c.Runs))
	}
}
