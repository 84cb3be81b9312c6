package connect

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/tenant/vswitch"
)

// entries is a question for all entries.
func entries() *openflow.MultipartRequest {
	return &openflow.MultipartRequest{Body: &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}}
}

// installed has a virtual switch with an entry, which the physical one has, and its rule; asked is called when counters are
// wanted.
// It has a clock of its own, in nanoseconds.
func installed(t *testing.T, clock *atomic.Int64, asked func(s *Switch)) (*controller, *Switch, *ruleset.Set) {
	s, orders := virtual(t, func(uint32, []byte) {})
	of := s.cfg.Physical.(physical)
	of.count = func(vswitch.CounterKind) { asked(s) }
	clock.Store(int64(time.Minute))
	s.cfg.Physical, s.cfg.Now = of, func() time.Duration { return time.Duration(clock.Load()) }
	c := connect(t, s, listen(t))
	c.send(&openflow.FlowMod{Priority: 1, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))}}, 1)
	rule := (<-orders)[0].Rules
	s.Outcomes([]ruleset.Outcome{{Rules: rule, Result: ruleset.Installed}})
	return c, s, rule
}

// countersOf is what the physical switch has counted for a rule, asked now.
func countersOf(s *Switch, rule *ruleset.Set, packets uint64) *vswitch.Counters {
	place := rule.Place(0)
	return &vswitch.Counters{Asked: s.cfg.Now(), List: []ruleset.Counted{{Number: rule.Number, Version: rule.Version,
		Place:  ruleset.HashPlace(place.In, place.Priority, place.Match),
		Counts: ruleset.Counts{Packets: packets, Bytes: 100 * packets}}}}
}

// heard reads answers up to that of a type.
func (c *controller) heard(until openflow.Type) (text string) {
	for {
		h, said := c.next()
		if text += said + "\n"; h.Type == until {
			return text
		}
	}
}

// TestQuestionsWaitForCounters: a question is answered when counters have come that are young enough, and what is sent after it,
// a barrier too, after that; as long as they are, nobody asks the physical switch, whatever is asked of the virtual one.
func TestQuestionsWaitForCounters(t *testing.T) {
	var clock atomic.Int64
	wanted := make(chan bool, 1000)
	c, s, rule := installed(t, &clock, func(*Switch) { wanted <- true })
	c.send(entries(), 5)
	c.send(&openflow.BarrierRequest{}, 6)
	<-wanted
	s.Counted(vswitch.OfEntries, countersOf(s, rule, 3), 0)
	text := c.heard(openflow.TypeBarrierReply)
	if !strings.Contains(text, "packet_count=3,") {
		t.Errorf("heard %s, want 3 packets", text)
	}
	if !strings.Contains(text[:strings.Index(text, "barrier_reply")], "multipart_reply") {
		t.Errorf("the barrier is answered first: %s", text)
	}
	clock.Add(int64(freshFor))
	for xid := range uint32(1000) {
		c.send(entries(), 10+xid)
	}
	c.send(&openflow.BarrierRequest{}, 7)
	text = c.heard(openflow.TypeBarrierReply)
	if n := strings.Count(text, "multipart_reply"); n != 1000 || len(wanted) > 0 {
		t.Errorf("%d answers to 1000 questions, %d times was the physical switch asked", n, len(wanted))
	}
	clock.Add(1)
	c.send(entries(), 8)
	<-wanted // they are too old now
	s.Counted(vswitch.OfEntries, countersOf(s, rule, 4), 0)
}

// TestUnknownCountersAreNotZero: without counters, and with old ones of entries that came since, they are not available.
func TestUnknownCountersAreNotZero(t *testing.T) {
	var clock atomic.Int64
	var asked atomic.Int32
	c, _, _ := installed(t, &clock, func(s *Switch) {
		asked.Add(1)
		s.Counted(vswitch.OfEntries, nil, s.cfg.Now()+time.Hour)
	})
	for xid := range uint32(3) {
		c.send(entries(), 10+xid)
		if text := c.heard(openflow.TypeMultipartReply); !strings.Contains(text, "18446744073709551615") {
			t.Errorf("heard %s", text)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the physical switch, which is not to be asked for an hour, was asked %d times", n)
	}
	c.send(&openflow.MultipartRequest{Body: &openflow.AggregateRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}}, 20)
	if text := c.heard(openflow.TypeMultipartReply); strings.Count(text, "18446744073709551615") != 2 {
		t.Errorf("together: %s", text)
	}
}

// TestUnknownObjectsAreNotZero: without counters those of groups and meters are not available; with them they are what the
// physical switch says, which is asked for each kind by itself, and not at all if it has none of them.
func TestUnknownObjectsAreNotZero(t *testing.T) {
	var known atomic.Bool
	var clock atomic.Int64
	asked := make(chan vswitch.CounterKind, 100)
	for _, version := range []openflow.Version{0, openflow.V10} {
		s, orders := virtualOf(t, vswitch.Config{Tables: 1, Single: true, Version: version}, func(uint32, []byte) {})
		of := s.cfg.Physical.(physical)
		of.count = func(k vswitch.CounterKind) {
			asked <- k
			if known.Load() {
				s.Counted(k, &vswitch.Counters{Kind: k, Asked: s.cfg.Now()}, 0)
			} else {
				s.Counted(k, nil, 0)
			}
		}
		s.cfg.Physical, s.cfg.Now = of, func() time.Duration { return time.Duration(clock.Load()) }
		execute(t, s, orders)
		c := connect(t, s, listen(t))
		c.send(&openflow.GroupMod{Group: 1, Buckets: []openflow.Bucket{{WatchPort: openflow.PortAny,
			WatchGroup: openflow.GroupAny}}}, 1)
		c.send(&openflow.MeterMod{Meter: 1, Flags: openflow.MeterFlagKbps, Bands: []openflow.Band{{Rate: 7,
			Type: openflow.BandDrop}}}, 2)
		for k, body := range map[vswitch.CounterKind]openflow.RequestBody{
			vswitch.OfGroups: &openflow.GroupRequest{Group: openflow.GroupAll},
			vswitch.OfMeters: &openflow.MeterRequest{Meter: openflow.MeterAll}} {
			for _, is := range []bool{false, true} {
				known.Store(is)
				clock.Add(int64(time.Hour))
				c.send(&openflow.MultipartRequest{Body: body}, 5)
				text := c.heard(openflow.TypeMultipartReply)
				want := 4
				if is && version == 0 {
					want = 0
				}
				if n := strings.Count(text, "18446744073709551615"); n != want {
					t.Errorf("%d counters are not available, want %d: %s", n, want, text)
				}
				if version == openflow.V10 {
					continue
				}
				if got := <-asked; got != k {
					t.Errorf("the physical switch is asked for %d, want %d", got, k)
				}
			}
		}
	}
	if len(asked) > 0 {
		t.Errorf("a switch of OpenFlow 1.0 is asked for %d", <-asked)
	}
}
