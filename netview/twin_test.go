package netview

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/weirnet/weir/openflow"
	"pgregory.net/rapid"
)

// linkText and hostText print all of a row: %+v would print its key only, whose String method it
// has.
func linkText(l *Link) string {
	return fmt.Sprint(l.LinkKey, l.Up, l.State, l.Since, l.MeasuredUS, l.CapacityMbps, l.CapacitySource,
		l.LatencyUS, l.LatencySource,
		l.Cost, l.CostSource, l.Usable, l.Draining)
}

func hostText(h *Host) string { return fmt.Sprint(h.HostID, h.IPs, h.At, h.Seen, h.State) }

// twin is the view as one would write it first: maps, copied whole for each snapshot.
type twin struct {
	settings *Settings
	alarms   map[AlarmKey]Alarm
	switches map[DPID]Switch
	links    map[LinkKey]Link
	hosts    map[HostID]Host
	rules    map[RuleKey][]Rule // claims in turn; the first holds the key
	settled  bool
	masters  map[DPID]string // of switches, known or not
	master   string          // of those that are not in it
}

func newTwin() *twin {
	return &twin{&Settings{}, map[AlarmKey]Alarm{}, map[DPID]Switch{}, map[LinkKey]Link{}, map[HostID]Host{},
		map[RuleKey][]Rule{}, false, map[DPID]string{}, ""}
}

func (w *twin) masterOf(dpid DPID) string {
	if m, ok := w.masters[dpid]; ok {
		return m
	}
	return w.master
}

func (w *twin) clone() *twin {
	c := &twin{w.settings, maps.Clone(w.alarms), maps.Clone(w.switches), maps.Clone(w.links), maps.Clone(w.hosts),
		maps.Clone(w.rules), w.settled, maps.Clone(w.masters), w.master}
	for k, claims := range c.rules {
		c.rules[k] = slices.Clone(claims)
	}
	return c
}

func (w *twin) up(p Point) bool {
	s := w.switches[p.DPID]
	port, ok := s.Port(p.Port)
	return ok && port.Up
}

// derive writes what follows from masters, settings, ports and measurements into all rows.
func (w *twin) derive() {
	for dpid, s := range w.switches {
		said := w.settings.Switches[dpid]
		s.Name, s.NameSource = s.OwnName(), ""
		if said.Name != "" {
			s.Name, s.NameSource = said.Name, SourceConfigured
		}
		s.Master = w.masterOf(dpid)
		s.Location, s.Draining, s.Ports = said.Location, said.Drained, slices.Clone(s.Ports)
		for i := range s.Ports {
			of := w.settings.Ports[Point{dpid, s.Ports[i].Number}]
			s.Ports[i].Label, s.Ports[i].Edge, s.Ports[i].Draining = of.Label, of.Edge, of.Drained
		}
		w.switches[dpid] = s
	}
	for k, l := range w.links {
		src, dst := w.switches[k.Src.DPID], w.switches[k.Dst.DPID]
		a, _ := src.Port(k.Src.Port)
		b, _ := dst.Port(k.Dst.Port)
		said := w.settings.Links[k]
		l.Up = l.Up && w.up(k.Src) && w.up(k.Dst)
		l.Usable = l.Up && l.State != LinkShared && (l.State != LinkIndirect || w.settings.Indirect)
		l.Draining = said.Drained || a.Draining || b.Draining || src.Draining || dst.Draining
		l.CapacityMbps, l.CapacitySource = 0, ""
		for _, speed := range []uint64{a.SpeedMbps, b.SpeedMbps} {
			if speed > 0 && (l.CapacityMbps == 0 || speed < l.CapacityMbps) {
				l.CapacityMbps, l.CapacitySource = speed, SourcePort
			}
		}
		if said.CapacityMbps > 0 {
			l.CapacityMbps, l.CapacitySource = said.CapacityMbps, SourceConfigured
		}
		l.LatencyUS, l.LatencySource = l.MeasuredUS, SourceMeasured
		if said.LatencyUS > 0 {
			l.LatencyUS, l.LatencySource = said.LatencyUS, SourceConfigured
		} else if l.MeasuredUS == 0 {
			l.LatencySource = ""
		}
		l.Cost, l.CostSource = 1, SourceDefault
		if said.Cost > 0 {
			l.Cost, l.CostSource = said.Cost, SourceConfigured
		}
		w.links[k] = l
	}
}

func (w *twin) deleteSwitch(dpid DPID) {
	delete(w.switches, dpid)
	maps.DeleteFunc(w.links, func(k LinkKey, _ Link) bool { return k.Src.DPID == dpid || k.Dst.DPID == dpid })
	maps.DeleteFunc(w.hosts, func(_ HostID, h Host) bool { return h.At.DPID == dpid })
}

func (w *twin) set(owner string, dpid DPID, rules []Rule) {
	wanted := map[RuleKey]Rule{}
	for _, r := range rules {
		r.DPID, r.Owner, r.State = dpid, owner, RulePending
		wanted[r.Key()] = r
	}
	for k, claims := range w.rules {
		if _, still := wanted[k]; k.DPID == dpid && !still {
			w.rules[k] = slices.DeleteFunc(claims, func(r Rule) bool { return r.Owner == owner })
		}
	}
	for k, r := range wanted {
		i := slices.IndexFunc(w.rules[k], func(r Rule) bool { return r.Owner == owner })
		switch {
		case i < 0:
			w.rules[k] = append(w.rules[k], r)
		case w.rules[k][i].Cookie != r.Cookie:
			w.rules[k][i] = r
		}
	}
	for _, claims := range w.rules {
		for i := range claims {
			switch {
			case i > 0:
				claims[i].State, claims[i].Reason = RuleFailed, "desired by "+claims[0].Owner+" already"
			case claims[i].Reason != "" && claims[i].Reason != "refused":
				claims[i].State, claims[i].Reason = RulePending, ""
			}
		}
	}
}

// text is the whole of a state; both sides print to it.
func (w *twin) text() string {
	var b []byte
	line := func(v any) { b = fmt.Appendf(b, "%+v\n", v) }
	for _, k := range slices.Sorted(maps.Keys(w.switches)) {
		line(w.switches[k])
	}
	for _, k := range slices.SortedFunc(maps.Keys(w.links), LinkKey.Compare) {
		l := w.links[k]
		line(linkText(&l))
	}
	for _, k := range slices.SortedFunc(maps.Keys(w.hosts), HostID.Compare) {
		h := w.hosts[k]
		line(hostText(&h))
	}
	var holders, refused []Rule
	for _, k := range slices.SortedFunc(maps.Keys(w.rules), RuleKey.Compare) {
		if claims := w.rules[k]; len(claims) > 0 {
			holders, refused = append(holders, claims[0]), append(refused, claims[1:]...)
		}
	}
	line(holders)
	line(refused)
	line(w.settled)
	line(0) // meters: only transactions that fail write them
	for dpid := range DPID(5) {
		line(w.masterOf(dpid))
	}
	line(*w.settings)
	for _, k := range slices.SortedFunc(maps.Keys(w.alarms), AlarmKey.Compare) {
		line(w.alarms[k])
	}
	return string(b)
}

func snapshotText(s *Snapshot) string {
	var b []byte
	line := func(v any) { b = fmt.Appendf(b, "%+v\n", v) }
	printAll(line, s.Switches())
	for l := range s.Links() {
		line(linkText(l))
	}
	for h := range s.Hosts() {
		line(hostText(h))
	}
	var holders, refused []Rule
	for dpid := range DPID(5) {
		for r := range s.Rules(dpid) {
			holders = append(holders, *r)
		}
		for r := range s.Conflicts(dpid) {
			refused = append(refused, *r)
		}
	}
	line(holders)
	line(refused)
	line(s.Settled())
	line(s.Counts().Meters)
	for dpid := range DPID(5) {
		line(s.Master(dpid))
	}
	line(*s.Settings())
	printAll(line, s.Alarms())
	return string(b)
}

func printAll[R any](line func(any), rows iter.Seq[*R]) {
	for r := range rows {
		line(*r)
	}
}

// machine draws transactions and makes each on both sides.
type machine struct {
	t       *rapid.T
	view    *View
	twin    *twin
	facts   *Facts
	inputs  *Inputs
	alarms  *Alarms
	masters *Masters
	wanted  map[string]*Desired
	status  *Status
}

func (m *machine) dpid() DPID { return DPID(rapid.IntRange(1, 4).Draw(m.t, "dpid")) }

func (m *machine) point() Point {
	return Point{m.dpid(), uint32(rapid.IntRange(1, 3).Draw(m.t, "port"))}
}

// fact makes one write of a transaction of facts.
func (m *machine) fact(tx *FactsTx, w *twin) {
	switch rapid.IntRange(0, 7).Draw(m.t, "fact") {
	case 0, 1:
		s := mesh(m.dpid(), rapid.IntRange(0, 3).Draw(m.t, "ports"), 1)
		for i := range s.Ports {
			s.Ports[i].Up = rapid.IntRange(0, 3).Draw(m.t, "up") > 0
			s.Ports[i].SpeedMbps = uint64(rapid.IntRange(0, 2).Draw(m.t, "speed"))
		}
		s.Desc.Datapath = s.Name
		s.Name = s.OwnName() // as discovery does
		tx.PutSwitch(s)
		w.switches[s.DPID] = *s
		w.derive()
	case 2:
		dpid := m.dpid()
		tx.DeleteSwitch(dpid)
		w.deleteSwitch(dpid)
	case 3, 4:
		l := Link{LinkKey: LinkKey{m.point(), m.point()}, Up: true, State: LinkConfirmed, Since: t0,
			MeasuredUS: uint64(rapid.IntRange(0, 1).Draw(m.t, "measured"))}
		l.State = rapid.SampledFrom([]LinkState{LinkConfirmed, LinkIndirect, LinkShared}).Draw(m.t, "state")
		tx.PutLink(&l)
		_, ok1 := w.switches[l.Src.DPID]
		_, ok2 := w.switches[l.Dst.DPID]
		if ok1 && ok2 {
			w.links[l.LinkKey] = l
			w.derive()
		}
	case 5:
		k := LinkKey{m.point(), m.point()}
		tx.DeleteLink(k)
		delete(w.links, k)
	case 6:
		h := host(rapid.IntRange(1, 6).Draw(m.t, "host"), m.point())
		tx.PutHost(h)
		if _, ok := w.switches[h.At.DPID]; ok {
			w.hosts[h.HostID] = *h
		}
	case 7:
		id := host(rapid.IntRange(1, 6).Draw(m.t, "host"), Point{}).HostID
		tx.DeleteHost(id)
		delete(w.hosts, id)
	}
}

// someSettings say something of a few switches, ports and links.
func (m *machine) someSettings() *Settings {
	flag := func(of string) bool { return rapid.Bool().Draw(m.t, of) }
	number := func(of string) uint64 { return uint64(rapid.IntRange(0, 2).Draw(m.t, of)) }
	return &Settings{
		Switches: map[DPID]SwitchSettings{m.dpid(): {Name: rapid.SampledFrom([]string{"", "core"}).Draw(m.t,
			"name"), Drained: flag("drained")}},
		Ports: map[Point]PortSettings{m.point(): {Label: "up", Edge: flag("edge"), Drained: flag("drained")}},
		Links: map[LinkKey]LinkSettings{{m.point(), m.point()}: {number("capacity"), number("latency"),
			number("cost"), flag("drained"), false}},
		Indirect: flag("indirect"),
	}
}

// setMasters makes an instance, or none, master of all switches, or of two that may not be known.
func (m *machine) setMasters() {
	name := rapid.SampledFrom([]string{"", "a", "b"}).Draw(m.t, "instance")
	if rapid.IntRange(0, 3).Draw(m.t, "all") == 0 {
		m.masters.SetAll(name)
		m.twin.master, m.twin.masters = name, map[DPID]string{}
	} else {
		some := []DPID{m.dpid(), m.dpid()}
		m.masters.Set(name, some...)
		for _, dpid := range some {
			m.twin.masters[dpid] = name
		}
	}
	m.twin.derive()
}

func (m *machine) step() {
	switch rapid.IntRange(0, 12).Draw(m.t, "writer") {
	case 12:
		m.setMasters()
	case 10: // the configuration
		s := m.someSettings()
		m.inputs.Set(s)
		m.twin.settings = s
		m.twin.derive()
	case 11: // an alarm
		a := Alarm{AlarmKey: AlarmKey{AlarmDrift, rapid.SampledFrom([]string{"x", "y"}).Draw(m.t, "object")},
			Count: uint64(rapid.IntRange(1, 3).Draw(m.t, "count"))}
		gone := AlarmKey{AlarmDrift, rapid.SampledFrom([]string{"x", "y"}).Draw(m.t, "gone")}
		m.alarms.Set([]*Alarm{&a}, []AlarmKey{gone})
		m.twin.alarms[a.AlarmKey] = a
		delete(m.twin.alarms, gone)
	case 0, 1: // an application
		owner, dpid := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(m.t, "owner"), m.dpid()
		var rules []Rule
		for range rapid.IntRange(0, 3).Draw(m.t, "rules") {
			rules = append(rules, Rule{
				Table:    uint8(rapid.IntRange(0, 1).Draw(m.t, "table")),
				Priority: uint16(rapid.IntRange(1, 2).Draw(m.t, "priority")),
				Cookie:   uint64(rapid.IntRange(1, 2).Draw(m.t, "cookie")), Instructions: []openflow.Instruction{},
			})
		}
		m.wanted[owner].Update(func(tx *DesiredTx) { tx.Set(dpid, slices.Clone(rules)) })
		m.twin.set(owner, dpid, rules)
	case 2: // flowsync
		r := RuleResult{Key: RuleKey{DPID: m.dpid(), Table: uint8(rapid.IntRange(0, 1).Draw(m.t, "table")),
			Priority: uint16(rapid.IntRange(1, 2).Draw(m.t, "priority"))},
			Cookie: uint64(rapid.IntRange(1, 2).Draw(m.t, "cookie")), State: RuleInstalled}
		m.status.Set([]RuleResult{r})
		if claims := m.twin.rules[r.Key]; len(claims) > 0 && claims[0].Cookie == r.Cookie {
			claims[0].State = r.State
		}
	case 3: // a transaction that fails half way
		before := m.view.Snapshot()
		func() {
			defer func() { _ = recover() }()
			m.facts.Update(func(tx *FactsTx) {
				scrap := m.twin.clone()
				for range 3 {
					m.fact(tx, scrap)
				}
				panic("fails")
			})
		}()
		func() {
			defer func() { _ = recover() }()
			m.wanted["a"].Update(func(tx *DesiredTx) {
				tx.Set(m.dpid(), []Rule{{Priority: 1, Cookie: 3}})
				tx.SetMeters(1, []Meter{{ID: 1}})
				panic("fails")
			})
		}()
		if m.view.Snapshot() != before {
			m.t.Fatal("a transaction that failed was published")
		}
	default:
		m.facts.Update(func(tx *FactsTx) {
			for range rapid.IntRange(1, 4).Draw(m.t, "facts") {
				m.fact(tx, m.twin)
			}
		})
	}
}

// The view is as its twin after every transaction; snapshots do not change afterwards; who replays
// the changes has the same as who takes a snapshot.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := New(Limits{Changes: rapid.SampledFrom([]int{3, 20, 1000}).Draw(t, "log")})
		m := &machine{t: t, view: v, twin: newTwin(), facts: v.Facts(), status: v.Status(), inputs: v.Inputs(),
			alarms: v.Alarms(), masters: v.Masters(),
			wanted: map[string]*Desired{"a": v.Desired("a"), "b": v.Desired("b"), "c": v.Desired("c")}}
		type past struct {
			snapshot *Snapshot
			text     string
		}
		var pasts []past
		follower := &replica{rows: map[string]string{}}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			m.step()
			s := v.Snapshot()
			if want, got := m.twin.text(), snapshotText(s); want != got {
				t.Fatalf("revision %d: want\n%s\ngot\n%s", s.Revision(), want, got)
			}
			checkIndices(t, s)
			checkPairs(t, s)
			pasts = append(pasts, past{s, snapshotText(s)})
			if rapid.Bool().Draw(t, "follow") {
				follower.follow(t, v, rapid.IntRange(1, 8).Draw(t, "limit"))
			}
		}
		for _, p := range pasts {
			if got := snapshotText(p.snapshot); got != p.text {
				t.Fatalf("snapshot of revision %d has changed: was\n%s\nis\n%s", p.snapshot.Revision(), p.text, got)
			}
		}
	})
}

// checkIndices runs Check, leaving out what only discovery keeps: the roles of ports.
func checkIndices(t *rapid.T, s *Snapshot) {
	c := &checker{s: s}
	c.switches()
	c.rules()
	c.meters()
	if len(c.found) > 0 {
		t.Fatal(c.found)
	}
	n := 0
	for sw := range s.Switches() {
		for l := range s.LinksTo(sw.DPID) {
			if l.Dst.DPID != sw.DPID {
				t.Fatalf("link %s in LinksTo(%s)", l.LinkKey, sw.DPID)
			}
			n++
		}
		for h := range s.HostsOf(sw.DPID) {
			if g, _ := s.Host(h.HostID); g != h {
				t.Fatalf("host %s in the index is not the one in the table", h.HostID)
			}
			n++
		}
	}
	if c := s.Counts(); n != c.Links+c.Hosts {
		t.Fatalf("%d rows in the indices, %+v in the tables", n, c)
	}
}

func checkPairs(t *rapid.T, s *Snapshot) {
	n, last := 0, LinkKey{}
	for there, back := range s.LinkPairs() {
		key := cmp.Or(there, back).LinkKey // one of them is there
		if there == nil {
			key = key.Reverse()
		}
		a, _ := s.Link(key)
		b, _ := s.Link(key.Reverse())
		if a != there || b != back || key.Src.Compare(key.Dst) > 0 || n > 0 && last.Compare(key) >= 0 {
			t.Fatalf("pair of %s: %v %v", key, there, back)
		}
		last = key
		switch {
		case there == back || there == nil || back == nil:
			n++
		default:
			n += 2
		}
	}
	if n != s.Counts().Links {
		t.Fatalf("%d links in pairs, %d in the table", n, s.Counts().Links)
	}
}

// replica is what somebody has who follows the changes only.
type replica struct {
	at   Revision
	rows map[string]string
}

func rowText(c Change) (key, row string) {
	switch c.Kind {
	case KindSwitch:
		return "s" + c.Switch.DPID.String(), fmt.Sprintf("%+v", *c.Switch)
	case KindLink:
		return "l" + c.Link.LinkKey.String(), linkText(c.Link)
	case KindHost:
		return "h" + c.Host.HostID.String(), hostText(c.Host)
	case KindAlarm:
		return "a" + c.Alarm.Object, fmt.Sprintf("%+v", *c.Alarm)
	case KindSettings:
		return "settings", fmt.Sprintf("%+v", *c.Settings)
	default:
		return fmt.Sprintf("r%+v", c.Rule.Key()), fmt.Sprintf("%+v", *c.Rule)
	}
}

func rowsOf(s *Snapshot) map[string]string {
	rows := map[string]string{}
	put := func(c Change) { k, r := rowText(c); rows[k] = r }
	for r := range s.Switches() {
		put(Change{Kind: KindSwitch, Switch: r})
	}
	for r := range s.Links() {
		put(Change{Kind: KindLink, Link: r})
	}
	for r := range s.Hosts() {
		put(Change{Kind: KindHost, Host: r})
	}
	for r := range s.Alarms() {
		put(Change{Kind: KindAlarm, Alarm: r})
	}
	if s.Settings().Ports != nil { // not those of the beginning, which are no change
		put(Change{Kind: KindSettings, Settings: s.Settings()})
	}
	for dpid := range DPID(5) {
		for r := range s.Rules(dpid) {
			put(Change{Kind: KindRule, Rule: r})
		}
	}
	return rows
}

// follow reads all changes there are, or takes a snapshot if there are too many, and compares.
func (f *replica) follow(t *rapid.T, v *View, limit int) {
	for {
		cs, upto, ok := v.Changes(f.at, limit)
		if !ok {
			s := v.Snapshot()
			f.at, f.rows = s.Revision(), rowsOf(s)
			break
		}
		if upto == f.at {
			break
		}
		if len(cs) > limit && cs[0].Revision != cs[len(cs)-1].Revision {
			t.Fatalf("%d changes of several transactions, limit %d", len(cs), limit)
		}
		last := f.at
		for _, c := range cs {
			if c.Revision <= f.at || c.Revision > upto || c.Revision < last {
				t.Fatalf("change of revision %d among those after %d up to %d", c.Revision, f.at, upto)
			}
			last = c.Revision
			if k, r := rowText(c); c.Deleted {
				delete(f.rows, k)
			} else {
				f.rows[k] = r
			}
		}
		f.at = upto
	}
	if want := rowsOf(v.Snapshot()); !maps.Equal(want, f.rows) || f.at != v.Snapshot().Revision() {
		t.Fatalf("who follows has\n%v\nwant\n%v", f.rows, want)
	}
}
