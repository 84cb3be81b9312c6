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
	return fmt.Sprint(l.LinkKey, l.Up, l.State, l.Since, l.MeasuredUS, l.Width, l.CapacityMbps, l.CapacitySource,
		l.LatencyUS, l.LatencySource,
		l.Cost, l.CostSource, l.Usable, l.Draining, l.Source)
}

func hostText(h *Host) string { return fmt.Sprint(h.HostID, h.IPs, h.At, h.Seen, h.State, h.Source) }

// The sources of the twin, in the order in which they take precedence.
var (
	farA   = NewFactSource("a", Relayed)
	farB   = NewFactSource("b", Relayed)
	stated = NewFactSource("0", Stated)
	order  = []*FactSource{Discovery, farA, farB, stated}
)

// saying is all that one source says.
type saying struct {
	switches map[DPID]Switch
	links    map[LinkKey]Link
	hosts    map[HostID]Host
	settled  bool
}

// twin is the view as one would write it first: maps, copied whole for each snapshot.
type twin struct {
	revision Revision
	settings *Settings
	alarms   map[AlarmKey]Alarm
	said     map[*FactSource]*saying // of those that have a writer
	rules    map[RuleKey][]Rule      // claims in turn; the first holds the key
	meters   map[Meter][]string      // by switch and id: who desires it, in turn
	settled  bool
	masters  map[DPID]string // of switches, known or not
	master   string          // of those that are not in it
}

func newTwin() *twin {
	return &twin{0, &Settings{}, map[AlarmKey]Alarm{}, map[*FactSource]*saying{},
		map[RuleKey][]Rule{}, map[Meter][]string{}, false, map[DPID]string{}, ""}
}

func (w *twin) masterOf(dpid DPID) string {
	if m, ok := w.masters[dpid]; ok {
		return m
	}
	return w.master
}

func (w *twin) clone() *twin {
	c := &twin{w.revision, w.settings, maps.Clone(w.alarms), map[*FactSource]*saying{}, maps.Clone(w.rules),
		maps.Clone(w.meters), w.settled, maps.Clone(w.masters), w.master}
	for k, s := range w.said {
		c.said[k] = &saying{maps.Clone(s.switches), maps.Clone(s.links), maps.Clone(s.hosts), s.settled}
	}
	for k, claims := range c.rules {
		c.rules[k] = slices.Clone(claims)
	}
	return c
}

// open has a source say nothing yet.
func (w *twin) open(by *FactSource) {
	w.said[by] = &saying{map[DPID]Switch{}, map[LinkKey]Link{}, map[HostID]Host{}, false}
}

// shown is the row of a key that is shown, and whose it is.
func shown[K comparable, R any](w *twin, of func(*saying) map[K]R, key K) (row R, by *FactSource) {
	for _, by := range order {
		if s := w.said[by]; s != nil {
			if row, ok := of(s)[key]; ok {
				return row, by
			}
		}
	}
	return row, nil
}

// allShown are the shown rows of all keys.
func allShown[K comparable, R any](w *twin, of func(*saying) map[K]R) map[K]R {
	all := map[K]R{}
	for _, by := range slices.Backward(order) {
		if s := w.said[by]; s != nil {
			maps.Copy(all, of(s))
		}
	}
	return all
}

func switchesOf(s *saying) map[DPID]Switch { return s.switches }
func linksSaid(s *saying) map[LinkKey]Link { return s.links }
func hostsSaid(s *saying) map[HostID]Host  { return s.hosts }
func (w *twin) at(dpid DPID) (Switch, bool) {
	s, by := shown(w, switchesOf, dpid)
	return s, by != nil
}

// derive writes what follows from masters, settings, ports and measurements into all rows that are shown.
func (w *twin) derive() {
	for dpid, s := range allShown(w, switchesOf) {
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
		w.said[s.Source].switches[dpid] = s
	}
	for k, l := range allShown(w, linksSaid) {
		w.said[l.Source].links[k] = w.derived(l)
	}
}

func (w *twin) derived(l Link) Link {
	src, _ := w.at(l.Src.DPID)
	dst, _ := w.at(l.Dst.DPID)
	a, _ := src.Port(l.Src.Port)
	b, _ := dst.Port(l.Dst.Port)
	said := w.settings.Links[l.LinkKey]
	l.Up = l.said && a.Up && b.Up
	if l.Source != src.Source && a.Role != PortLink || l.Source != dst.Source && b.Role != PortLink {
		l.Up = false
	}
	if l.Source == src.Source && l.Source == dst.Source {
		l.said = l.Up
	}
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
	return l
}

func (w *twin) deleteSwitch(by *FactSource, dpid DPID) {
	if _, ok := w.said[by].switches[dpid]; !ok {
		return
	}
	delete(w.said[by].switches, dpid)
	leave := []*FactSource{by}
	if _, still := w.at(dpid); !still {
		leave = order
	}
	for _, by := range leave {
		if s := w.said[by]; s != nil {
			maps.DeleteFunc(s.links, func(k LinkKey, _ Link) bool { return k.Src.DPID == dpid || k.Dst.DPID == dpid })
			maps.DeleteFunc(s.hosts, func(_ HostID, h Host) bool { return h.At.DPID == dpid })
		}
	}
	w.derive()
}

// reconcile is what happens at the end of a transaction of facts.
func (w *twin) reconcile() {
	for again := true; again; {
		again = false
		for id, h := range allShown(w, hostsSaid) {
			at, _ := w.at(h.At.DPID)
			if p, _ := at.Port(h.At.Port); at.Source != h.Source && p.Role == PortLink {
				delete(w.said[h.Source].hosts, id)
				again = true
			}
		}
	}
	w.settle()
}

func (w *twin) settle() {
	all := len(w.said) > 0
	for _, s := range w.said {
		all = all && s.settled
	}
	w.settled = w.settled || all
}

// want has an owner desire a rule.
func (w *twin) want(owner string, r Rule) {
	r.Owner, r.State, r.Revision = owner, RulePending, w.revision+1
	k := r.Key()
	i := slices.IndexFunc(w.rules[k], func(r Rule) bool { return r.Owner == owner })
	switch {
	case i < 0:
		w.rules[k] = append(w.rules[k], r)
	case w.rules[k][i].Cookie != r.Cookie:
		w.rules[k][i] = r
	}
	w.takeTurns()
}

// leave has an owner not desire a rule any more.
func (w *twin) leave(owner string, k RuleKey) {
	w.rules[k] = slices.DeleteFunc(w.rules[k], func(r Rule) bool { return r.Owner == owner })
	w.takeTurns()
}

func (w *twin) set(owner string, dpid DPID, rules []Rule) {
	wanted := map[RuleKey]bool{}
	for _, r := range slices.Backward(rules) {
		r.DPID = dpid
		if !wanted[r.Key()] {
			wanted[r.Key()] = true
			w.want(owner, r)
		}
	}
	for k := range w.rules {
		if k.DPID == dpid && !wanted[k] {
			w.leave(owner, k)
		}
	}
}

func (w *twin) takeTurns() {
	for _, claims := range w.rules {
		for i := range claims {
			switch {
			case i > 0:
				claims[i].State, claims[i].Reason = RuleFailed, "desired by "+claims[0].Owner+" already"
			case claims[i].Reason != "" && claims[i].Reason != "refused":
				claims[i].State, claims[i].Reason, claims[i].Revision = RulePending, "", w.revision+1
			}
		}
	}
}

// report has an instance report that a rule is installed.
func (w *twin) report(instance string, r *RuleResult) {
	claims := w.rules[r.Key]
	master := w.masterOf(r.Key.DPID)
	if len(claims) == 0 || claims[0].Cookie != r.Cookie || instance != "" && master != "" && master != instance {
		return
	}
	if row := &claims[0]; row.State != r.State || row.Reporter != "" {
		row.State, row.Reporter = r.State, instance
	}
}

// text is the whole of a state; both sides print to it.
func (w *twin) text() string {
	var b []byte
	line := func(v any) { b = fmt.Appendf(b, "%+v\n", v) }
	switches, links, hosts := allShown(w, switchesOf), allShown(w, linksSaid), allShown(w, hostsSaid)
	for _, k := range slices.Sorted(maps.Keys(switches)) {
		line(switches[k])
	}
	for _, k := range slices.SortedFunc(maps.Keys(links), LinkKey.Compare) {
		l := links[k]
		line(linkText(&l))
	}
	for _, k := range slices.SortedFunc(maps.Keys(hosts), HostID.Compare) {
		h := hosts[k]
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
	for _, k := range slices.SortedFunc(maps.Keys(w.meters), func(a, b Meter) int {
		return cmp.Or(cmp.Compare(a.DPID, b.DPID), cmp.Compare(a.ID, b.ID))
	}) {
		if owners := w.meters[k]; len(owners) > 0 {
			line(Meter{DPID: k.DPID, ID: k.ID, Rate: uint32(owners[0][0])})
		}
	}
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
	for dpid := range DPID(5) {
		printAll(line, s.Meters(dpid))
	}
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
	facts   map[*FactSource]*Facts
	inputs  *Inputs
	alarms  *Alarms
	masters *Masters
	wanted  map[string]*Desired
	status  map[string]*Status
}

// newMachine has all writers, but those of sources other than discovery.
func newMachine(t *rapid.T, v *View) *machine {
	m := &machine{t: t, view: v, twin: newTwin(), facts: map[*FactSource]*Facts{}, inputs: v.Inputs(), alarms: v.Alarms(),
		masters: v.Masters(), wanted: map[string]*Desired{}, status: map[string]*Status{}}
	for _, name := range []string{"a", "b", "c"} {
		m.wanted[name] = v.Desired(name)
	}
	for _, name := range []string{"", "a", "b"} {
		m.status[name] = v.StatusFrom(name)
	}
	m.open(Discovery)
	return m
}

func (m *machine) open(by *FactSource) {
	m.facts[by] = m.view.FactsFrom(by)
	m.twin.open(by)
}

// source draws one that has a writer, or gives it one.
func (m *machine) source() *FactSource {
	by := rapid.SampledFrom(order).Draw(m.t, "source")
	if m.facts[by] == nil {
		m.open(by)
	}
	return by
}

// withdraw ends a source.
func (m *machine) withdraw(by *FactSource) {
	w := m.twin
	if before := m.view.Snapshot(); m.facts[by].Withdraw() < before.Revision() {
		m.t.Fatal("revision")
	}
	for _, dpid := range slices.Sorted(maps.Keys(w.said[by].switches)) {
		w.deleteSwitch(by, dpid)
	}
	clear(w.said[by].links)
	clear(w.said[by].hosts)
	w.derive()
	w.reconcile()
	delete(w.said, by)
	delete(m.facts, by)
	w.settle()
}

func (m *machine) dpid() DPID { return DPID(rapid.IntRange(1, 4).Draw(m.t, "dpid")) }

func (m *machine) point() Point {
	return Point{m.dpid(), uint32(rapid.IntRange(1, 3).Draw(m.t, "port"))}
}

// fact makes one write of a transaction of facts, and reads what it wrote.
func (m *machine) fact(tx *FactsTx, w *twin, by *FactSource) {
	said := w.said[by]
	switch rapid.IntRange(0, 9).Draw(m.t, "fact") {
	case 0, 1:
		s := mesh(m.dpid(), rapid.IntRange(0, 3).Draw(m.t, "ports"), rapid.IntRange(1, 3).Draw(m.t, "links"))
		for i := range s.Ports {
			s.Ports[i].Up = rapid.IntRange(0, 3).Draw(m.t, "up") > 0
			s.Ports[i].SpeedMbps = uint64(rapid.IntRange(0, 2).Draw(m.t, "speed"))
		}
		s.Desc.Datapath = s.Name
		s.Name = s.OwnName() // as discovery does
		tx.PutSwitch(s)
		said.switches[s.DPID] = *s
		w.derive()
	case 2:
		dpid := m.dpid()
		tx.DeleteSwitch(dpid)
		w.deleteSwitch(by, dpid)
	case 3, 4:
		l := Link{LinkKey: LinkKey{m.point(), m.point()}, Up: true, State: LinkConfirmed, Since: t0,
			MeasuredUS: uint64(rapid.IntRange(0, 1).Draw(m.t, "measured"))}
		l.State = rapid.SampledFrom([]LinkState{LinkConfirmed, LinkIndirect, LinkShared}).Draw(m.t, "state")
		if rapid.Bool().Draw(m.t, "of another view") {
			l.Source = NewFactSource("elsewhere", Observed)
		}
		tx.PutLink(&l)
		_, ok1 := w.at(l.Src.DPID)
		_, ok2 := w.at(l.Dst.DPID)
		if ok1 && ok2 {
			l.Source, l.said = by, true
			said.links[l.LinkKey] = w.derived(l)
		}
	case 5:
		k := LinkKey{m.point(), m.point()}
		tx.DeleteLink(k)
		delete(said.links, k)
		w.derive()
	case 6:
		h := host(rapid.IntRange(1, 6).Draw(m.t, "host"), m.point())
		tx.PutHost(h)
		if _, ok := w.at(h.At.DPID); ok {
			said.hosts[h.HostID] = *h
		}
	case 7:
		id := host(rapid.IntRange(1, 6).Draw(m.t, "host"), Point{}).HostID
		tx.DeleteHost(id)
		delete(said.hosts, id)
	case 8:
		if rapid.IntRange(0, 3).Draw(m.t, "settled") == 0 {
			tx.SetSettled()
			said.settled = true
		}
	case 9: // reads a link and writes it back, measured anew
		if keys := slices.SortedFunc(maps.Keys(said.links), LinkKey.Compare); len(keys) > 0 {
			k := rapid.SampledFrom(keys).Draw(m.t, "link")
			row, _ := tx.Link(k)
			next, l := *row, said.links[k]
			next.MeasuredUS++
			tx.PutLink(&next)
			l.MeasuredUS++
			said.links[k] = w.derived(l)
		}
	}
	m.reads(tx, said)
}

// reads compares what a source reads with what it says.
func (m *machine) reads(tx *FactsTx, said *saying) {
	var here, there, want []string
	for h := range tx.HostsFrom(HostID{}) {
		here = append(here, hostText(h))
	}
	for dpid := range DPID(5) {
		if s, ok := tx.Switch(dpid); ok != (said.switches[dpid].DPID == dpid && dpid > 0) || ok && s.Source != tx.layer.source {
			m.t.Fatalf("reads switch %d: %t %+v, says %+v", dpid, ok, s, said.switches[dpid])
		}
		n := 0
		for h := range tx.HostsOf(dpid) {
			there = append(there, hostText(h))
			n++
		}
		for port := range uint32(5) {
			for range tx.HostsAt(Point{dpid, port}) {
				n--
			}
		}
		if n != 0 {
			m.t.Fatalf("%d hosts more at switch %d than at its ports", n, dpid)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(said.hosts), HostID.Compare) {
		h := said.hosts[id]
		want = append(want, hostText(&h))
	}
	sorted := slices.Sorted(slices.Values(want))
	if slices.Sort(there); !slices.Equal(here, want) || !slices.Equal(there, sorted) {
		m.t.Fatalf("reads hosts %v and %v, says %v", here, there, want)
	}
	for k, l := range said.links {
		l.Up = l.said
		if got, ok := tx.Link(k); !ok || linkText(got) != linkText(&l) {
			m.t.Fatalf("reads link %v, says %s", got, linkText(&l))
		}
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

// rule draws one of few.
func (m *machine) rule() Rule {
	return Rule{
		Table:    uint8(rapid.IntRange(0, 1).Draw(m.t, "table")),
		Priority: uint16(rapid.IntRange(1, 2).Draw(m.t, "priority")),
		Cookie:   uint64(rapid.IntRange(1, 2).Draw(m.t, "cookie")), Instructions: []openflow.Instruction{},
	}
}

// desire has an application desire rules or a meter, or not any more.
func (m *machine) desire() {
	owner, dpid := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(m.t, "owner"), m.dpid()
	w := m.wanted[owner]
	r := m.rule()
	r.DPID = dpid
	switch rapid.IntRange(0, 6).Draw(m.t, "desire") {
	case 0, 1:
		w.Put(r)
		m.twin.want(owner, r)
	case 2:
		w.Delete(r.Key())
		m.twin.leave(owner, r.Key())
	case 3:
		meter := Meter{DPID: dpid, ID: 1, Rate: uint32(owner[0])}
		w.Update(func(tx *DesiredTx) { tx.PutMeter(meter) })
		if k := (Meter{DPID: dpid, ID: 1}); !slices.Contains(m.twin.meters[k], owner) {
			m.twin.meters[k] = append(slices.Clone(m.twin.meters[k]), owner)
		}
	case 4:
		w.Update(func(tx *DesiredTx) { tx.DeleteMeter(dpid, 1) })
		k := Meter{DPID: dpid, ID: 1}
		m.twin.meters[k] = slices.DeleteFunc(slices.Clone(m.twin.meters[k]), func(o string) bool { return o == owner })
	default:
		var rules []Rule
		for range rapid.IntRange(0, 3).Draw(m.t, "rules") {
			rules = append(rules, m.rule())
		}
		w.Update(func(tx *DesiredTx) { tx.Set(dpid, slices.Clone(rules)) })
		m.twin.set(owner, dpid, rules)
	}
}

// fail begins transactions that fail half way.
func (m *machine) fail() {
	before := m.view.Snapshot()
	by := m.source()
	func() {
		defer func() { _ = recover() }()
		m.facts[by].Update(func(tx *FactsTx) {
			scrap := m.twin.clone()
			for range 3 {
				m.fact(tx, scrap, by)
			}
			panic("fails")
		})
	}()
	func() {
		defer func() { _ = recover() }()
		m.wanted["a"].Update(func(tx *DesiredTx) {
			tx.Set(m.dpid(), []Rule{{Priority: 1, Cookie: 3}})
			tx.Put(Rule{DPID: 1, Priority: 2, Cookie: 3})
			tx.SetMeters(1, []Meter{{ID: 1}})
			panic("fails")
		})
	}()
	if m.view.Snapshot() != before {
		m.t.Fatal("a transaction that failed was published")
	}
}

func (m *machine) step() {
	m.twin.revision = m.view.Snapshot().Revision()
	switch rapid.IntRange(0, 13).Draw(m.t, "writer") {
	case 12:
		m.setMasters()
	case 13:
		if by := m.source(); by != Discovery {
			m.withdraw(by)
		}
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
	case 0, 1:
		m.desire()
	case 2: // flowsync of an instance
		instance := rapid.SampledFrom([]string{"", "a", "b"}).Draw(m.t, "reporter")
		r := RuleResult{Key: RuleKey{DPID: m.dpid(), Table: uint8(rapid.IntRange(0, 1).Draw(m.t, "table")),
			Priority: uint16(rapid.IntRange(1, 2).Draw(m.t, "priority"))},
			Cookie: uint64(rapid.IntRange(1, 2).Draw(m.t, "cookie")), State: RuleInstalled}
		m.status[instance].Set([]RuleResult{r})
		m.twin.report(instance, &r)
	case 3:
		m.fail()
	default:
		by := m.source()
		m.facts[by].Update(func(tx *FactsTx) {
			for range rapid.IntRange(1, 4).Draw(m.t, "facts") {
				m.fact(tx, m.twin, by)
			}
		})
		m.twin.reconcile()
	}
}

// The view is as its twin after every transaction; snapshots do not change afterwards; who replays
// the changes has the same as who takes a snapshot.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := New(Limits{Changes: rapid.SampledFrom([]int{3, 20, 1000}).Draw(t, "log")})
		m := newMachine(t, v)
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
	c.sources()
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
	case KindMeter:
		return fmt.Sprint("m", c.Meter.DPID, c.Meter.ID), fmt.Sprint(*c.Meter)
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
		for m := range s.Meters(dpid) {
			put(Change{Kind: KindMeter, Meter: m})
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
