package flowsync

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// alarmed writes down which limits were said to be reached.
type alarmed struct{ objects []string }

func (a *alarmed) Raise(_ netview.AlarmKind, object, _ string) { a.objects = append(a.objects, object) }
func (*alarmed) Clear(netview.AlarmKind, string)               {}

// TestListingsAreBoundedTogether has many switches list very many entries: soft ones, those of
// others, or firm ones with our cookies. What is kept of them all is bounded, whatever they list,
// and nothing of it stays when they have gone. A modest switch is served.
func TestListingsAreBoundedTogether(t *testing.T) {
	const switches, entries = 32, 400
	of := map[string]uint64{
		"soft":    plan.Cookie{Domain: plan.DomainDefault, Kind: plan.KindPair, Owner: 1}.Encode(),
		"foreign": 7,
		"firm":    plan.Cookie{Domain: plan.DomainDefault, Kind: plan.KindTree, Owner: 1}.Encode(),
	}
	for name, cookie := range of {
		t.Run(name, func(t *testing.T) {
			alarms := &alarmed{}
			w := newWorld(t, Config{ListMax: 1 << 20, NoMonitor: true, Alarms: alarms})
			// each may have a little, and goes on to the end of a part
			most := w.loop.config.ListMax + switches*(listingFloor+partSize*1024)
			for i := range netview.DPID(switches) {
				w.add(i+1, openflow.V13, 254, 1, 2)
				w.models[i+1].plant(cookie, entries)
				w.connect(i + 1)
			}
			w.add(99, openflow.V13, 254, 1, 2)
			w.connect(99)
			peak := 0
			for range 200 {
				w.turn()
				for _, dpid := range w.loop.core.dpids() {
					if c := w.wires[dpid]; len(c.queue) > 0 {
						c.take(1, false)
					}
					peak = max(peak, w.loop.inbox.readingBytes+w.loop.inbox.entriesBytes+w.loop.core.listedBytes)
				}
			}
			if peak > most || peak < w.loop.config.ListMax/4 {
				t.Errorf("%d bytes were held of listings, want at most %d", peak, most)
			}
			if real := w.loop.core.listedInStates(); real > w.loop.core.listedBytes {
				t.Errorf("%d bytes of entries are kept, counted as %d", real, w.loop.core.listedBytes)
			}
			if !slices.Contains(alarms.objects, "limits.switch_listings") {
				t.Errorf("alarms about %q", alarms.objects)
			}
			if n := len(w.models[99].entries); n != len(Infrastructure(plan.DomainDefault, openflow.V13, 254)) {
				t.Errorf("the modest switch holds %d entries", n)
			}
			for _, dpid := range w.loop.core.dpids() {
				w.cut(dpid, 0)
			}
			w.turn()
			if n := w.loop.inbox.readingBytes + w.loop.inbox.entriesBytes + w.loop.core.listedBytes; n != 0 {
				t.Errorf("%d bytes are held of nobody: %d of listings, %d in the inbox", n, w.loop.inbox.readingBytes,
					w.loop.inbox.entriesBytes)
			}
		})
	}
}

// plant gives a switch so many entries that nobody wants.
func (m *model) plant(cookie uint64, entries int) {
	for i := range entries {
		e := &openflow.FlowStats{Table: 1, Priority: 9, Cookie: cookie,
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(2))}}
		e.Match.SetUint(openflow.FieldInPort, 1)
		e.Match.SetUint(openflow.FieldEthDst, uint64(2<<40+i))
		m.entries[entryKey{e.Table, e.Priority, e.Match.Key()}] = e
	}
}

// listedInStates is what the switches' states hold of listings, at least.
func (c *Core) listedInStates() (n int) {
	for _, sw := range c.switches {
		n += (len(sw.soft.at)+len(sw.foreign.at))*entryBytes + len(sw.foreign.places)*placeBytes + sw.rules.foundBytes
	}
	return n
}

// TestAnswersOfNoUse: a switch whose listing cannot be used is read again, and is not called stuck; one that refuses is.
func TestAnswersOfNoUse(t *testing.T) {
	for err, stuck := range map[error]bool{errListing: false, errOrder: false, errClosed: true} {
		c, at, now := NewCore(Config{}), Address{1, 1}, time.Unix(0, 0)
		c.Step([]Input{Up{at, openflow.V13, 254}}, now)
		for id := uint64(1); id <= 5; id++ {
			c.Step([]Input{Entries{Address: at, ID: id, Err: err}}, now)
			now = now.Add(time.Minute)
			if r := c.Step(nil, now).Readings; len(r) != 1 {
				t.Fatalf("%v: %d readings follow, want one", err, len(r))
			}
		}
		if c.switches[1].health.stuck != stuck {
			t.Errorf("%v: the switch is called stuck: %t", err, !stuck)
		}
	}
}
