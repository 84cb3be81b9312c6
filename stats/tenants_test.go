package stats

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// tenantsOf is the answer to a question of KindTenants, read as from a wire.
func (w *world) tenantsOf(m *model, body openflow.RequestBody) *TenantCounters {
	r := tenantReader{domain: w.core.cfg.Domain}
	if err := inParts(m.version, m.answer(body, w.now).(*openflow.FlowStatsList).Flows, r.part); err != nil {
		w.t.Fatal(err)
	}
	return &r.flows
}

// inParts hands entries over as the parts of an answer.
func inParts(v openflow.Version, list []openflow.FlowStats, part func(openflow.Version, []byte) error) error {
	for flows := range slices.Chunk(list, 500) {
		m := openflow.MultipartReply{Body: &openflow.FlowStatsList{Flows: flows}}
		b, err := m.Append(nil, v)
		if err == nil {
			err = part(v, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// want has the core be asked for the counters of tenants' entries.
func (w *world) want(m *model) {
	w.inbox = append(w.inbox, Wanted{m.dpid, KindTenants})
	w.step()
}

// listed is an entry of a kind.
func listed(c plan.Cookie, packets uint64) openflow.FlowStats {
	e := openflow.FlowStats{Cookie: c.Encode(), Priority: 7, Packets: packets, Bytes: 100 * packets}
	e.Match.SetUint(openflow.FieldInPort, 3)
	e.Match.SetUint(openflow.FieldEthDst, 5)
	return e
}

// TestTenantsAreCounted: whatever the version, the counters are those of entries of tenants' rows, of this domain.
func TestTenantsAreCounted(t *testing.T) {
	row := plan.Cookie{Domain: 1, Kind: plan.KindTenant, Owner: plan.TenantOwner(4, 9), Version: 3}
	class, other, intent := row, row, row
	class.Owner, other.Domain, intent.Kind = plan.TenantOwner(4, 0), 2, plan.KindIntent
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		w := newWorld(t, Config{Ports: -1, Tables: -1, Flows: -1})
		m := w.add(1, v, 2)
		m.delay = 20 * time.Millisecond
		for i, c := range []plan.Cookie{class, row, other, intent} {
			m.entries = append(m.entries, listed(c, uint64(10+i)))
		}
		w.up(m)
		w.want(m)
		asked := w.now
		w.run(time.Second)
		if len(w.told) != 1 || w.told[0].Err != nil || !w.told[0].Asked.Equal(asked) ||
			!w.told[0].Answered.Equal(asked.Add(m.delay)) {
			t.Fatalf("%s: told %+v", v, w.told)
		}
		var match openflow.Match
		match.SetUint(openflow.FieldEthDst, 5)
		want := ruleset.Counted{Number: row.Owner, Version: 3, Place: ruleset.HashPlace(3, 7, match.OXM),
			Counts: ruleset.Counts{Packets: 11, Bytes: 1100}}
		if list := w.told[0].List; len(list) != 1 || list[0] != want {
			t.Errorf("%s: counted %+v, want %+v", v, list, want)
		}
	}
}

// TestWantedIsPaced: however many want the counters of a switch, it is asked once a second, less often if its answers are large
// or slow, and not at all if nobody does; who has to wait is told until when. All else is asked as ever.
func TestWantedIsPaced(t *testing.T) {
	asked := func(change func(*model), wants bool) (n, regular, later int) {
		w := newWorld(t, Config{})
		m := w.add(1, openflow.V13, 4)
		change(m)
		w.up(m)
		for range 600 {
			w.run(100 * time.Millisecond)
			for range 10 {
				if wants {
					w.want(m)
				}
			}
		}
		for _, x := range w.told {
			if errors.Is(x.Err, ErrLater) {
				later++
			}
		}
		return m.asked[KindTenants], m.asked[KindPorts], later
	}
	many := func(m *model) {
		for range 60_000 { // 4 MB
			m.entries = append(m.entries, listed(plan.Cookie{Domain: 1, Kind: plan.KindTenant, Owner: plan.TenantOwner(1, 1)}, 1))
		}
	}
	for _, x := range []struct {
		what        string
		change      func(*model)
		wants       bool
		least, most int
		later       bool
	}{
		{"nobody wants them", func(*model) {}, false, 0, 0, false},
		{"a thousand a second want them", func(*model) {}, true, 55, 60, false},
		{"the switch takes half a second", func(m *model) { m.delay = 500 * time.Millisecond }, true, 5, 7, true},
		{"its answers have 4 MB", many, true, 14, 16, true},
		{"it refuses", func(m *model) { m.refuses = map[Kind]bool{KindTenants: true} }, true, 1, 1, true},
		{"it is stuck", func(m *model) { m.stuck = true }, true, 1, 3, true},
	} {
		n, regular, later := asked(x.change, x.wants)
		if n < x.least || n > x.most || (later > 0) != x.later {
			t.Errorf("%s: asked %d times in a minute, want %d to %d; %d were told that it takes longer", x.what, n, x.least, x.most, later)
		}
		if few := x.what == "it is stuck"; !few && regular < 5 {
			t.Errorf("%s: asked %d times for ports", x.what, regular)
		}
	}
}

// TestWantsLeaveTheRest: the wants of many tenants have a budget of their own, and take nothing of that of all else.
func TestWantsLeaveTheRest(t *testing.T) {
	ports := func(wants bool) (regular, wanted int) {
		w := newWorld(t, Config{Share: 0.0005}) // 16 questions a second
		var all []*model
		for n := range 200 {
			all = append(all, w.add(netview.DPID(n+1), openflow.V13, 4))
			w.up(all[n])
		}
		for range 600 {
			w.run(100 * time.Millisecond)
			for _, m := range all {
				if wants {
					w.want(m)
				}
			}
		}
		for _, m := range all {
			regular, wanted = regular+m.asked[KindPorts], wanted+m.asked[KindTenants]
			if wants && m.asked[KindTenants] == 0 {
				t.Errorf("switch %d is never asked for what is wanted", m.dpid)
			}
		}
		return regular, wanted
	}
	without, _ := ports(false)
	with, wanted := ports(true)
	if with < without*9/10 || wanted < 300 {
		t.Errorf("ports were asked for %d times, and %d times beside %d wanted questions", without, with, wanted)
	}
}

// TestWantsEnd: who wants counters of a switch that is away, or goes, is told.
func TestWantsEnd(t *testing.T) {
	w := newWorld(t, Config{})
	m := w.add(1, openflow.V13, 4)
	w.want(m)
	w.up(m)
	m.delay = time.Second
	w.want(m)
	w.down(m)
	if len(w.told) != 2 || !errors.Is(w.told[0].Err, ErrAway) || !errors.Is(w.told[1].Err, ErrAway) {
		t.Errorf("told %+v", w.told)
	}
}

// TestLoopTellsWhatIsWanted: the switch is asked at once, and what it says is told at once.
func TestLoopTellsWhatIsWanted(t *testing.T) {
	running(t, func(l *Loop, w *world) {
		m := w.add(7, openflow.V13, 2)
		m.delay = 3 * time.Millisecond
		m.entries = append(m.entries, listed(plan.Cookie{Domain: 1, Kind: plan.KindTenant, Owner: plan.TenantOwner(4, 9)}, 5))
		l.SwitchUp(Address{7, 1}, m.version, &modelConn{model: m})
		time.Sleep(20 * time.Second)
		at := time.Now()
		l.Want(7, KindTenants)
		l.Want(7, KindTenants)
		got := <-w.toldLoop
		if len(got.List) != 1 || got.List[0].Counts.Packets != 5 || time.Since(at) != m.delay {
			t.Errorf("after %s: %+v", time.Since(at), got)
		}
	})
}

// TestGroupsAndMetersAreCounted: the counters of groups and meters are asked for each by themselves, and only when somebody wants
// them.
func TestGroupsAndMetersAreCounted(t *testing.T) {
	w := newWorld(t, Config{Ports: -1, Tables: -1, Flows: -1})
	m := w.add(1, openflow.V13, 2)
	m.delay = 20 * time.Millisecond
	w.up(m)
	w.run(10 * time.Second)
	if n := m.asked[KindGroups] + m.asked[KindMeters]; n > 0 {
		t.Errorf("asked %d times though nobody wants to know", n)
	}
	for _, k := range []Kind{KindGroups, KindMeters, KindGroups} {
		w.inbox = append(w.inbox, Wanted{m.dpid, k})
	}
	w.step()
	w.run(time.Second)
	told := make(map[Kind]*TenantCounters)
	for _, x := range w.told {
		told[x.Kind] = x
	}
	groups, meters := told[KindGroups], told[KindMeters]
	if len(w.told) != 2 || groups == nil || groups.Err != nil || meters == nil || meters.Err != nil {
		t.Fatalf("told %+v", w.told)
	}
	if len(groups.Groups) != 1 || groups.Groups[0].Packets != 5 || len(meters.Meters) != 1 || meters.Meters[0].PacketsIn != 6 {
		t.Errorf("told %+v and %+v", groups, meters)
	}
	m.refuses = map[Kind]bool{KindMeters: true}
	for range 30 {
		w.inbox = append(w.inbox, Wanted{m.dpid, KindMeters}, Wanted{m.dpid, KindGroups})
		w.step()
		w.run(time.Second)
	}
	if n := m.asked[KindGroups]; n < 29 || m.asked[KindMeters] > 2 {
		t.Errorf("asked %d times for groups, and %d times for meters, which it refuses", n, m.asked[KindMeters])
	}
	w.told = nil
	m.delay = time.Second
	w.inbox = append(w.inbox, Wanted{m.dpid, KindGroups})
	w.step()
	w.down(m)
	if n := len(w.told); n == 0 || !errors.Is(w.told[n-1].Err, ErrAway) || !w.told[n-1].Kind.onDemand() {
		t.Errorf("told %+v", w.told)
	}
}
