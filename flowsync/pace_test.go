package flowsync

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// TestBatchesFitTheSwitch has switches take so long for each message and so long for each batch, and wants batches as
// small as cost little more than large ones.
func TestBatchesFitTheSwitch(t *testing.T) {
	for _, c := range []struct {
		each, batch time.Duration
		want        int
	}{
		{10 * time.Microsecond, 0, 32}, {time.Millisecond, 0, 1}, {10 * time.Millisecond, 0, 1}, {time.Second, 0, 1},
		{10 * time.Microsecond, time.Millisecond, 1024}, {time.Millisecond, 2 * time.Millisecond, 16},
		{time.Microsecond, 10 * time.Millisecond, 4096},
	} {
		p := pace{shared: &NewCore(Config{}).shared}
		p.begin()
		for range 20 {
			p.measured(p.limit, c.batch+time.Duration(p.limit)*c.each)
		}
		if p.limit != c.want {
			t.Errorf("%s a message and %s a batch: batches of %d, want %d", c.each, c.batch, p.limit, c.want)
		}
		sizes := make(map[int]int)
		for range 1000 { // and stay there, but for looking around
			p.measured(p.limit, c.batch+time.Duration(p.limit)*c.each)
			sizes[p.limit]++
		}
		if sizes[c.want] < 900 {
			t.Errorf("%s a message and %s a batch: sizes are %v, want mostly %d", c.each, c.batch, sizes, c.want)
		}
		for range 20 { // it becomes slow
			p.measured(p.limit, time.Duration(p.limit)*time.Second)
		}
		if p.limit != 1 {
			t.Errorf("a switch that became slow gets batches of %d", p.limit)
		}
	}
}

// TestReadingIsPaced counts the readings of many switches without flow monitors over ten minutes:
// together they must cost no more than Config.ReadShare of the time, each switch must be read
// within its bound, and not all at once.
func TestReadingIsPaced(t *testing.T) {
	const each = 2 * time.Millisecond
	for _, n := range []int{10, 100, 1000} {
		c := NewCore(Config{})
		now := time.Unix(0, 0)
		for dpid := range netview.DPID(n) {
			r := c.Step([]Input{Up{Address{dpid, 1}, openflow.V13, 254},
				MonitorAnswer{Address: Address{dpid, 1}, Err: errAnswer}}, now)
			c.Step([]Input{Entries{Address: Address{dpid, 1}, ID: r.Readings[0].ID, Cost: each}}, now)
		}
		last := map[netview.DPID]time.Time{}
		began, readings, most := now, 0, 0
		wake := c.Step([]Input{Tick{}}, now).Wake
		var longest time.Duration
		for wake.Before(began.Add(10 * time.Minute)) {
			now = wake
			r := c.Step([]Input{Tick{}}, now)
			var answers []Input
			for _, q := range r.Readings {
				if at, ok := last[q.DPID]; ok {
					longest = max(longest, now.Sub(at))
				}
				last[q.DPID] = now
				answers = append(answers, Entries{Address: Address{q.DPID, 1}, ID: q.ID, Cost: each})
			}
			readings, most = readings+len(answers), max(most, len(answers))
			wake = c.Step(answers, now).Wake
		}
		share := float64(readings) * each.Seconds() / now.Sub(began).Seconds()
		s, _ := c.Status(1)
		t.Logf("%d switches, %s a reading: %d readings, %.2f %% of a processor, bound %s", n, each, readings,
			100*share, s.DriftBound)
		if share > 0.011 || longest > s.DriftBound+time.Millisecond || len(last) != n || n > 10 && most > n/5 {
			t.Errorf("%d switches: share %.3f, longest %s, bound %s, %d read, %d at once", n, share, longest,
				s.DriftBound, len(last), most)
		}
	}
}

// BenchmarkReading decodes, sorts and compares a listing of a switch that holds what is desired, as
// a reading beside the writing does. The first three names are the parts of the last.
func BenchmarkReading(b *testing.B) {
	for _, n := range []int{20, 200, 400} {
		c, frame, reading := listing(b, n)
		parse := func() *openflow.FlowStatsList {
			var reply openflow.MultipartReply
			if err := reply.Parse(openflow.V13, frame); err != nil {
				b.Fatal(err)
			}
			return reply.Body.(*openflow.FlowStatsList)
		}
		compare := func(r Reading) {
			id := c.Step([]Input{Check{1}}, time.Unix(1, 0)).Readings[0].ID
			if f := c.Step([]Input{Entries{Address: Address{1, 1}, ID: id, Reading: r}},
				time.Unix(1, 0)).Findings; len(f[0].Differences) > 0 {
				b.Fatal(f)
			}
		}
		list := parse()
		for name, do := range map[string]func(){
			"decode": func() { parse() }, "sort": func() { c.config.readAll(list.Flows, false) },
			"compare": func() { compare(reading()) },
			"all":     func() { compare(c.config.readAll(parse().Flows, false)) },
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					do()
				}
			})
		}
	}
}

// listing is a core with a switch that holds n desired rules, and the switch's listing of them.
func listing(t tester, n int) (c *Core, frame []byte, reading func() Reading) {
	c = NewCore(Config{})
	now := time.Unix(0, 0)
	list := &openflow.FlowStatsList{}
	inputs := []Input{Up{Address{1, 1}, openflow.V13, 254}}
	for i := range n {
		r := parseRule(t, fmt.Sprintf("table=1 priority=5002 in_port=%d eth_type=0x0806 apply=1,2,3 goto=2", i+1))
		r.DPID, r.Owner, r.State = 1, "forward", netview.RuleInstalled
		inputs = append(inputs, Rule{Rule: &r})
		list.Flows = append(list.Flows, openflow.FlowStats{
			Table: r.Table, Priority: r.Priority, Cookie: r.Cookie, Match: r.Match, Instructions: r.Instructions,
		})
	}
	reading = func() Reading { return c.config.readAll(list.Flows, false) }
	id := c.Step(inputs, now).Readings[0].ID
	c.Step([]Input{Entries{Address: Address{1, 1}, ID: id, Reading: reading()}}, now)
	frame, err := (&openflow.MultipartReply{Body: list}).Append(nil, openflow.V13)
	if err != nil {
		t.Fatal(err)
	}
	return c, frame, reading
}

// TestReadingIsPacedByWhatIsThere fills switches after they were read empty: the readings that come
// must take their new size into account at once.
func TestReadingIsPacedByWhatIsThere(t *testing.T) {
	const switches, rules = 100, 2000
	c := NewCore(Config{NoMonitor: true})
	now := time.Unix(0, 0)
	for dpid := range netview.DPID(switches) {
		r := c.Step([]Input{Up{Address{dpid, 1}, openflow.V13, 254}}, now)
		c.Step([]Input{Entries{Address: Address{dpid, 1}, ID: r.Readings[0].ID, Cost: time.Microsecond}}, now)
	}
	for i, p := range at0(rules) {
		var list []ruleset.Order
		for dpid := range netview.DPID(switches) {
			q := *p
			q.Legs = []ruleset.Leg{{Match: p.Legs[0].Match,
				Route: &ruleset.Route{Hops: []*ruleset.Hop{ruleset.HopTo(dpid, 1, 2)}}}}
			list = append(list, ruleset.Order{Rules: &q})
		}
		c.Step([]Input{Orders{list}}, now.Add(time.Duration(i)))
	}
	wake, end, readings := c.Step([]Input{Tick{}}, now).Wake, now.Add(25*time.Second), 0
	for wake.Before(end) { // no batch is answered, but none is late either
		now = wake
		r := c.Step([]Input{Tick{}}, now)
		var answers []Input
		for _, q := range r.Readings {
			answers = append(answers, Entries{Address: Address{q.DPID, 1}, ID: q.ID, Cost: rules * entryCost})
		}
		readings += len(answers)
		wake = c.Step(answers, now).Wake
	}
	// 100 switches of 2,000 entries of 500 ns are 100 ms of reading: at one hundredth of a
	// processor, ten seconds at least.
	if most := 3 * switches; readings > most || readings == 0 {
		t.Errorf("%d readings in 25 s, want not more than %d", readings, most)
	}
}
