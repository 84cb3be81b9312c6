package bench

import (
	"cmp"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// Events is what event streams cost those who write: intents are installed and withdrawn at a set
// rate, alternately with no event stream open, with many that are not read, and with some that are.
// The zero value of a field means its default.
type Events struct {
	Setup
	Form     paths.Form    // default NDJSON
	Active   int           // paths; default 10,000
	Rate     int           // installs and withdrawals a second together; default 10,000
	Unread   int           // streams that nobody reads; default 1,000
	Read     int           // streams that are read; default 100
	Duration time.Duration // of each turn; default 5 s
	Warmup   time.Duration // of each turn before it counts; default 2 s
}

// Check fills in defaults and finds what is wrong with a configuration, before anything is started.
func (c *Events) Check() error {
	if err := c.check(); err != nil {
		return err
	}
	c.Form = cmp.Or(c.Form, paths.FormNDJSON)
	c.Active = cmp.Or(c.Active, 10_000)
	c.Rate = cmp.Or(c.Rate, 10_000)
	c.Unread = cmp.Or(c.Unread, 1000)
	c.Read = cmp.Or(c.Read, 100)
	c.Duration = cmp.Or(c.Duration, 5*time.Second)
	c.Warmup = cmp.Or(c.Warmup, 2*time.Second)
	if c.Active < load.BatchPaths || c.Active > paths.Max/2 || c.Rate < 1 || c.Unread < 1 || c.Read < 1 || c.Duration < 0 ||
		c.Warmup < 0 {
		return fmt.Errorf("%d active paths, a rate of %d for %v, %d and %d streams given, want positive ones, and %d to %d paths", c.Active, c.Rate, c.Duration,
			c.Unread, c.Read, load.BatchPaths, paths.Max/2)
	}
	return nil
}

func (c *Events) plan(r *report.Report) (list []participant) {
	c.about(r, "events",
		fmt.Sprintf("events: %s paths installed and withdrawn a second, with %s active, beside event streams; %s",
			report.Thousands(c.Rate), report.Thousands(c.Active), c.Form))
	r.Load.Rate, r.Load.Seconds = c.Rate, c.Duration.Seconds()
	ways := []*eventScore{{what: "no stream"},
		{what: report.Plural(c.Unread, "stream", "streams") + " not read", streams: c.Unread},
		{what: report.Plural(c.Read, "stream", "streams") + " read", streams: c.Read, read: true}}
	for _, s := range ways {
		s.c, s.result, s.none = c, r.Add(s.what), &ways[0].turn
		s.requestTimes = newRequestTimes(s.result, true)
		list = append(list, s)
	}
	return list
}

// eventScore is what is measured of one way.
type eventScore struct {
	subject
	requestTimes
	c       *Events
	what    string
	streams int
	read    bool
	turn    eventTurn  // of this run
	none    *eventTurn // of this run, without streams
}

// eventTurn is one turn.
type eventTurn struct {
	usage          target.Usage // the instance's memory at its end
	done           int          // paths that were answered
	overloads      int
	requests, late report.Histogram
	before         int64 // memory of the instance without streams
	received       int64 // bytes that streams which are read were sent
	resets         int   // events of that name that they were sent
	queued         int   // bytes of the one stream for which the system keeps most
	seen           time.Duration
}

func (t *eventTurn) rate() float64 { return float64(t.done) / t.usage.Elapsed.Seconds() }

func (t *eventTurn) p99() float64 { return float64(t.requests.ValueAtQuantile(99)) / 1e6 }

// take adds a turn to the result.
func (s *eventScore) take() {
	x, t, none := s.result, &s.turn, s.none
	x.Take("paths installed and withdrawn, answered", "/s", t.rate())
	x.Take("p99 of a request", "ms", t.p99())
	if s.streams > 0 && none.done > 0 {
		x.Take("rate, ÷ that without streams", "", t.rate()/none.rate())
		x.Take("p99, ÷ that without streams", "", t.p99()/max(none.p99(), 1e-9))
	}
	x.Take("answers of overload", "", float64(t.overloads))
	x.Take("memory of the instance", "MiB", report.Mebibytes(t.usage.TargetMemory))
	if s.streams > 0 {
		more := max(float64(t.usage.TargetMemory-t.before), 0)
		x.Take("memory of the instance, more, a stream", "KiB", more/1024/float64(s.streams))
		x.Take("kept by the system for one stream, at most", "KiB", float64(t.queued)/1024)
		x.Take("last change to the last stream that shows it", "ms", report.Milliseconds(t.seen))
	}
	if !s.read && s.streams > 0 {
		x.Take("resets of those that were read in the end", "", float64(t.resets))
	}
	if s.read {
		x.Take("sent to each stream", "KiB/s", float64(t.received)/1024/float64(s.streams)/t.usage.Elapsed.Seconds())
		x.Take("resets, a stream", "", float64(t.resets)/float64(s.streams))
	}
	t.usage.Take(x, "instance", "switches, writers and readers", float64(t.done))
	s.requests.Merge(t.requests)
	s.late.Merge(t.late)
}
