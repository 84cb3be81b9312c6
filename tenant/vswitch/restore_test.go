package vswitch

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// recordedConfig is what a switch has that is recorded.
func recordedConfig(cfg Config) Config {
	cfg.Recorded, cfg.ID, cfg.Epoch = true, "0123", time.Unix(1e9, 0)
	return cfg
}

// books is the journal of a guest.
type books struct {
	records map[uint32][]byte
	batches int
}

// save writes a part of what is to be written, or fails.
func (g *guest) save(bytes int, settled, ok bool) {
	if g.books.records == nil {
		g.books.records = make(map[uint32][]byte)
	}
	next := maps.Clone(g.books.records)
	b := g.sw.Save(bytes, settled, func(number uint32, data []byte) {
		if delete(next, number); data != nil {
			next[number] = slices.Clone(data)
		}
	})
	if ok {
		g.books.records = next
	}
	g.sw.Saved(b, ok)
	g.books.batches++
}

// saved is what the journal of a guest has of its switch; nil if it has nothing.
func (g *guest) saved() *Saved {
	var r Records
	for number, data := range g.books.records {
		r.Add(number, data)
	}
	list, bad := r.End()
	if len(list) > 1 || len(bad) > 0 {
		g.w.t.Fatalf("the journal has %d switches, and %d records of nothing", len(list), len(bad))
	}
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// lines are a switch's entries, groups and meters, with how long they have been there.
func lines(s *Switch, now time.Duration) (list []string) {
	all, _ := s.tables.Multipart(openflow.V13, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}}, now)
	for _, e := range all.(*openflow.FlowStatsList).Flows {
		list = append(list, fmt.Sprintf("table=%d priority=%d cookie=%x idle=%d hard=%d flags=%d age=%d.%d %s %v", e.Table, e.Priority,
			e.Cookie, e.IdleTimeout, e.HardTimeout, e.Flags&^openflow.FlagCheckOverlap, e.DurationSec, e.DurationNsec, e.Match,
			e.Instructions))
	}
	for _, g := range listedGroups(s.tables, now) {
		list = append(list, fmt.Sprintf("%+v", g))
	}
	for _, m := range listedMeters(s.tables, now) {
		list = append(list, fmt.Sprintf("%+v", m))
	}
	slices.Sort(list)
	return list
}

// expired are the entries whose hard time-out is over by the tables' clock, though the physical switch has not said so.
func (g *guest) expired(now time.Duration) (n int) {
	for _, r := range g.sw.byHandle {
		if t := &r.told; t.hard != 0 && r.born+time.Duration(t.hard)*time.Second <= now {
			n++
		}
	}
	return n
}

// standing are the rules of a switch that the physical one has, by place: cookies.
func standing(s *Switch) map[string]uint64 {
	all := make(map[string]uint64)
	for _, r := range s.rows {
		for _, p := range r.parts {
			if (r.entry || r.leftover) && (p.state == partOrdered || p.state == partInstalled) {
				all[p.place] = cookieOf(p.set)
			}
		}
	}
	return all
}

func cookieOf(set *ruleset.Set) uint64 {
	var m openflow.FlowMod
	set.FlowMod(0, plan.DomainDefault, false, &m)
	return m.Cookie
}

// restart has a guest's switch made anew from its journal. It returns how many rules stay as they were in the physical
// switch, and of how many.
func (w *world) restart(g *guest) (same, of, over int) {
	w.t.Helper()
	old := g.sw
	for Unsaved(old) {
		g.save(1<<20, true, true)
	}
	g.save(0, true, true)
	over = g.expired(w.now)
	was, rules := lines(old, w.now), standing(old)
	saved := g.saved()
	g.ordered, w.orders, w.executed = nil, nil, nil
	cfg := old.cfg
	cfg.Rows = &Rows{}
	if saved != nil {
		cfg.Rows.Hold(saved.Numbers)
	}
	g.sw = New(cfg)
	for _, p := range slices.Sorted(maps.Keys(old.ports)) {
		g.sw.SetPort(openflow.Port{Number: p, Config: old.ports[p], Name: fmt.Sprint(p)}, w.now, g)
	}
	if saved == nil {
		if len(was) > 0 {
			w.t.Fatalf("the journal has nothing, the switch %s", was)
		}
		return 0, 0, over
	}
	if err := g.sw.Restore(saved, w.now, g); err != nil {
		w.t.Fatal(err)
	}
	if err := g.sw.Check(); err != nil {
		w.t.Fatal(err)
	}
	if is := lines(g.sw, w.now); over == 0 && !slices.Equal(was, is) {
		w.t.Fatalf("restored:\n%q\nwant\n%q", is, was)
	} else if len(is)+over != len(was) {
		w.t.Fatalf("restored:\n%q\nwant %d less of\n%q", is, over, was)
	}
	for place, cookie := range standing(g.sw) {
		if rules[place] == cookie {
			same++
		}
		if _, is := rules[place]; !is && over == 0 {
			w.t.Fatalf("a rule in %x was ordered that was not there", place)
		}
	}
	if w.leftover(old, g.sw); over == 0 && len(rules) != len(standing(g.sw)) {
		w.t.Fatalf("%d rules stand, %d stood", len(standing(g.sw)), len(rules))
	}
	if over > 0 {
		return 0, 0, over
	}
	return same, len(rules), over
}

// leftover has the physical switch without the rules of the old switch that the new one does not have, as flowsync has it.
func (w *world) leftover(old, now *Switch) {
	stands := standing(now)
	for _, r := range old.rows {
		for _, p := range r.parts {
			if _, is := stands[p.place]; !is && p.set != nil {
				w.write(p.set, true)
			}
		}
	}
}

// TestRestore has switches made anew from their journals, after random histories in which the journal fails at times.
func TestRestore(t *testing.T) {
	for _, form := range []struct {
		name     string
		single   bool
		version  openflow.Version
		reactive bool
	}{{"tables", false, openflow.V13, false}, {"one table", true, openflow.V13, false},
		{"OpenFlow 1.0", true, openflow.V10, false}, {"reactive", true, openflow.V13, true},
		{"reactive, OpenFlow 1.0", true, openflow.V10, true}} {
		t.Run(form.name, func(t *testing.T) {
			same, of, over, entries := 0, 0, 0, 0
			for seed := range uint64(250) {
				w := worldOf(t, seed, form.single, form.version, form.reactive)
				for round := range 3 {
					w.history(40)
					w.drain()
					for _, g := range w.guests {
						shown := g.sw.misses.shown
						n, m, o := w.restart(g)
						same, of, over = same+n, of+m, over+o
						entries += g.sw.tables.Entries()
						g.sw.SetMiss(shown, w.now, g)
						w.drain()
						if err := g.sw.Check(); err != nil {
							t.Fatalf("seed %d, round %d: %v", seed, round, err)
						}
					}
					w.agree()
				}
			}
			t.Logf("%d entries restored, %d of %d rules as they were, %d entries had ended", entries, same, of, over)
			if entries < 400 || of < 400 && !form.reactive || same < of*2/3 {
				// parts of a row that were ordered one by one are ordered together
				t.Error("the test shows nothing")
			}
		})
	}
}

// history is some of what controllers, the physical switch and the journal do.
func (w *world) history(steps int) {
	for range steps {
		w.now += 100 * time.Millisecond
		g := w.guests[w.r.IntN(len(w.guests))]
		switch w.r.IntN(11) {
		case 10:
			p := g.ports[w.r.IntN(len(g.ports))]
			if _, has := g.sw.ports[p]; has {
				g.sw.RemovePort(p, w.now, g)
			} else {
				g.sw.SetPort(openflow.Port{Number: p, Name: fmt.Sprint(p)}, w.now, g)
			}
		case 0:
			_ = w.objectMod(g)
		case 1, 2:
			_ = g.sw.FlowMod(openflow.V10, w.flowMod10(g), Origin{}, w.now, g)
		case 3:
			g.save(w.r.IntN(500), w.r.IntN(2) == 0, w.r.IntN(3) > 0)
		case 4, 5:
			w.execute(true)
		case 6:
			w.tell()
		default:
			_ = g.sw.FlowMod(openflow.V13, w.flowMod(g), Origin{}, w.now, g)
		}
	}
}

// TestUnsettled: what was being changed when Weir ended is not restored, nor what is another tenant's, or damaged.
func TestUnsettled(t *testing.T) {
	make := func() *guest {
		w := newWorld(t, 1, false, openflow.V13)
		g := w.guests[0]
		g.sw.unsaved.changed(g.sw.unsaved.head)
		_ = g.sw.FlowMod(openflow.V13, &openflow.FlowMod{Priority: 7, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
			OutGroup: openflow.GroupAny}, Origin{}, 0, g)
		g.save(1<<20, true, true)
		w.drain()
		g.ordered = nil
		return g
	}
	for name, damage := range map[string]func(g *guest, s *Saved, cfg *Config){
		"":                         func(*guest, *Saved, *Config) {},
		"changed":                  func(_ *guest, s *Saved, _ *Config) { s.head.Settled = false },
		"another tenant":           func(_ *guest, _ *Saved, cfg *Config) { cfg.ID = "4567" },
		"another form":             func(_ *guest, _ *Saved, cfg *Config) { cfg.Tables = 2 },
		"a record that is damaged": func(_ *guest, s *Saved, _ *Config) { s.damage = errRecord },
		"outside of the space": func(_ *guest, s *Saved, _ *Config) {
			s.entries[0].flow.Instructions = []openflow.Instruction{openflow.Apply(
				openflow.SetField(openflow.FieldEthDst, 0x99), openflow.Output(1))}
		},
		"a group that leads out of the space": func(_ *guest, s *Saved, _ *Config) {
			set := openflow.Action{Type: openflow.ActionSetField}
			var m openflow.Match
			m.SetUint(openflow.FieldEthDst, 9)
			set.Data = m.OXM
			s.objects = append(s.objects, &savedObject{number: 99, message: &openflow.GroupMod{Group: 5,
				Buckets: []openflow.Bucket{{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
					Actions: []openflow.Action{set, openflow.Output(1)}}}}})
		},
		"two in one place": func(_ *guest, s *Saved, _ *Config) {
			other := *s.entries[0]
			other.number++
			s.entries = append(s.entries, &other)
		},
	} {
		g := make()
		s, cfg := g.saved(), g.sw.cfg
		cfg.Rows = &Rows{}
		cfg.Rows.Hold(s.Numbers)
		damage(g, s, &cfg)
		again := New(cfg)
		for _, p := range g.ports {
			again.SetPort(openflow.Port{Number: p}, 0, g)
		}
		if err := again.Restore(s, 0, g); (err == nil) != (name == "") {
			t.Errorf("%q: restored with error %v", name, err)
		}
	}
}

// TestRestoreWithoutAPort: an entry whose output has lost its port does nothing, before a restart and after it.
func TestRestoreWithoutAPort(t *testing.T) {
	w := newWorld(t, 1, false, openflow.V13)
	g := w.guests[0]
	if err := g.sw.FlowMod(openflow.V13, &openflow.FlowMod{Priority: 7, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny, Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(3))}}, Origin{}, 0,
		g); err != nil {
		t.Fatal(err)
	}
	g.sw.RemovePort(3, 0, g)
	w.drain()
	if same, of, _ := w.restart(g); same != 1 || of != 1 {
		t.Errorf("%d of %d rules stay as they were, want 1", same, of)
	}
	g.sw.SetPort(openflow.Port{Number: 3}, 0, g)
	for _, r := range g.sw.rows {
		if list := g.sw.rulesOf(r); len(list[0].do.Instructions()[0].Actions) != 1 {
			t.Errorf("when the port is back the rule does %v", list[0].do.Instructions())
		}
	}
}

// TestTimeIsOver: an entry whose hard time-out has passed is not restored, and what has its number next is another incarnation.
func TestTimeIsOver(t *testing.T) {
	w := newWorld(t, 1, false, openflow.V13)
	g := w.guests[0]
	m := &openflow.FlowMod{Priority: 7, HardTimeout: 1, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny}
	cookie := func() uint64 {
		g.ordered = nil
		if err := g.sw.FlowMod(openflow.V13, m, Origin{}, w.now, g); err != nil {
			t.Fatal(err)
		}
		defer w.drain()
		return cookieOf(g.ordered[0].o.Rules)
	}
	first := cookie()
	g.save(1<<20, true, true)
	w.now += time.Minute
	if _, _, over := w.restart(g); over != 1 || g.sw.tables.Entries() != 0 {
		t.Fatalf("%d entries are over, and %d are there", over, g.sw.tables.Entries())
	}
	g.save(1<<20, true, true)
	next, row := cookie(), plan.Decode(first).Owner
	if plan.Decode(next).Owner != row || next == first {
		t.Errorf("the next entry has the cookie %x, the one before had %x", next, first)
	}
}

// TestMarkIsWrittenAgain: when the journal has failed to say that the tables are being changed, the next batch says it, also one
// that has no room for entries.
func TestMarkIsWrittenAgain(t *testing.T) {
	w := newWorld(t, 1, false, openflow.V13)
	g := w.guests[0]
	add := func(priority uint16) {
		if err := g.sw.FlowMod(openflow.V13, &openflow.FlowMod{Priority: priority, Buffer: openflow.NoBuffer,
			OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}, Origin{}, 0, g); err != nil {
			t.Fatal(err)
		}
	}
	add(7)
	g.save(1<<20, true, true)
	add(8)
	g.save(0, false, false)
	if !g.saved().head.Settled {
		t.Fatal("the journal has failed, and has the mark")
	}
	if g.save(0, false, true); g.saved().head.Settled {
		t.Error("the mark was not written again")
	}
}

// TestNumbersAreFreeLate: the number of a row is free when the journal has no record of it, and not before.
func TestNumbersAreFreeLate(t *testing.T) {
	w := newWorld(t, 1, false, openflow.V13)
	g := w.guests[0]
	m := &openflow.FlowMod{Priority: 7, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	add := func() {
		if err := g.sw.FlowMod(openflow.V13, m, Origin{}, 0, g); err != nil {
			t.Fatal(err)
		}
		w.drain()
	}
	remove := func() {
		away := *m
		away.Command = openflow.FlowDelete
		if err := g.sw.FlowMod(openflow.V13, &away, Origin{}, 0, g); err != nil {
			t.Fatal(err)
		}
		w.drain()
	}
	free := func() int { return len(g.sw.cfg.Rows.free) }
	add()
	g.save(1<<20, false, true)
	before := free()
	remove()
	if free() != before {
		t.Fatal("the number is free while the journal has its record")
	}
	g.save(1<<20, false, false)
	if free() != before {
		t.Fatal("the number is free though the journal has failed")
	}
	g.save(1<<20, false, true)
	if free() != before+1 {
		t.Fatal("the number is not free")
	}
	add()
	remove()
	if g.save(1<<20, false, true); free() != before+1 {
		t.Fatal("the number of what was never recorded is not free")
	}
}

func FuzzRecords(f *testing.F) {
	for _, version := range []openflow.Version{openflow.V10, openflow.V13} {
		w := newWorld(&testing.T{}, 3, version == openflow.V10, version)
		w.history(60)
		for _, g := range w.guests {
			g.save(1<<20, true, true)
			for number, data := range g.books.records {
				f.Add(number, data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, number uint32, data []byte) {
		var r Records
		r.Add(plan.TenantOwner(1, 1), []byte("\x01"+`{"id":"0123","dpid":"0000000000000001","version":4,"tables":3,"ports":[1,2,3],"settled":true}`))
		w := newWorld(t, 1, false, openflow.V13)
		g := w.guests[0]
		r.Add(number, data)
		list, _ := r.End()
		for _, s := range list {
			cfg := g.sw.cfg
			cfg.Rows = &Rows{}
			cfg.Rows.Hold(s.Numbers)
			again := New(cfg)
			for _, p := range g.ports {
				again.SetPort(openflow.Port{Number: p}, 0, g)
			}
			if again.Restore(s, time.Second, g) == nil {
				if err := again.Check(); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// crash has a guest's switch made anew from a journal that ends while its tables are being changed. It returns how many rules
// stay as they were in the physical switch.
func (w *world) crash(g *guest) (same int) {
	w.t.Helper()
	old := g.sw
	g.save(1<<20, false, true)
	for Unsaved(old) {
		g.save(1<<20, false, true)
	}
	rules, saved := standing(old), g.saved()
	g.ordered, w.orders, w.executed = nil, nil, nil
	cfg := old.cfg
	cfg.Rows = &Rows{}
	cfg.Rows.Hold(saved.Numbers)
	g.sw = New(cfg)
	for _, p := range slices.Sorted(maps.Keys(old.ports)) {
		g.sw.SetPort(openflow.Port{Number: p, Config: old.ports[p], Name: fmt.Sprint(p)}, w.now, g)
	}
	if err := g.sw.Restore(saved, w.now, g); err != ErrUnsettled {
		w.t.Fatalf("restored with error %v", err)
	}
	if err := g.sw.Check(); err != nil {
		w.t.Fatal(err)
	}
	if n := g.sw.tables.Entries(); n > 0 {
		w.t.Fatalf("the tables have %d entries", n)
	}
	for place, cookie := range standing(g.sw) {
		if was, is := rules[place]; !is {
			w.t.Fatalf("a rule in %x was ordered that was not there", place)
		} else if was == cookie {
			same++
		}
	}
	w.leftover(old, g.sw)
	return same
}

// TestCrash: where tables are empty after a crash, their rules stay in the physical switch until entries take their places, or
// they are to go; what they do then keeps to the tenant's space, and in the end the physical switch has what the tables say.
func TestCrash(t *testing.T) {
	for _, form := range []struct {
		name     string
		single   bool
		version  openflow.Version
		reactive bool
	}{{"tables", false, openflow.V13, false}, {"one table", true, openflow.V13, false},
		{"OpenFlow 1.0", true, openflow.V10, false}, {"reactive", true, openflow.V13, true},
		{"reactive, OpenFlow 1.0", true, openflow.V10, true}} {
		t.Run(form.name, func(t *testing.T) {
			same, taken, ended := 0, 0, 0
			for seed := range uint64(120) {
				w := worldOf(t, seed, form.single, form.version, form.reactive)
				w.history(60)
				w.drain()
				for _, g := range w.guests {
					same += w.crash(g)
				}
				before := 0
				for _, g := range w.guests {
					before += Leftover(g.sw)
				}
				for range 30 {
					w.history(1)
					for _, g := range w.guests {
						if err := g.sw.Check(); err != nil {
							t.Fatalf("seed %d: %v", seed, err)
						}
					}
					w.staysInside()
				}
				w.drain()
				for _, g := range w.guests {
					n := Leftover(g.sw)
					before -= n
					ended += n
					EndLeftover(g.sw, w.now, g)
					g.sw.SetMiss(g.sw.misses.shown, w.now, g)
				}
				taken += before
				w.drain()
				for _, g := range w.guests {
					if err := g.sw.Check(); err != nil || Leftover(g.sw) > 0 {
						t.Fatalf("seed %d: %d left over: %v", seed, Leftover(g.sw), err)
					}
				}
				w.agree()
			}
			t.Logf("%d rules stayed, of %d entries they were taken or removed, of %d at the end", same, taken, ended)
			if (same < 150 || taken < 60 || ended < 3) && !form.reactive {
				t.Error("the test shows nothing")
			}
		})
	}
}
