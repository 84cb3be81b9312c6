package netview

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/weirnet/weir/openflow"
)

// TestSources goes through what two sources say of the same switches, link and host.
func TestSources(t *testing.T) {
	v := New(Limits{})
	own, far := v.Facts(), v.FactsFrom(NewFactSource("weir-2", Relayed))
	key := LinkKey{Point{1, 3}, Point{2, 4}}
	want := func(what string, of *FactSource, up bool, at Point) {
		t.Helper()
		s := v.Snapshot()
		sw, _ := s.Switch(1)
		l, _ := s.Link(key)
		h, _ := s.Host(host(7, Point{}).HostID)
		if sw == nil || sw.Source != of || l == nil || l.Up != up || h == nil || h.At != at {
			t.Errorf("%s: %+v, %+v, %+v; want a switch of %s, a link that is up %t, a host at %s", what, sw, l, h, of, up, at)
		}
		check(t, v)
	}
	say := func(f *Facts, links int, at Point) {
		f.Update(func(tx *FactsTx) {
			for dpid := range DPID(2) {
				tx.PutSwitch(mesh(dpid+1, 4, links))
			}
			tx.PutLink(link(1, 3, 2, 4))
			tx.PutHost(host(7, at))
		})
	}
	say(far, 3, Point{1, 1})
	want("far only", far.layer.source, true, Point{1, 1})
	say(own, 3, Point{2, 2})
	want("own takes precedence", Discovery, true, Point{2, 2})
	r := v.Snapshot().Revision()
	if far.Update(func(tx *FactsTx) {
		tx.PutHost(host(7, Point{1, 2}))
		if h, ok := tx.Host(host(7, Point{}).HostID); !ok || h.At != (Point{1, 2}) {
			t.Errorf("far reads %+v", h)
		}
	}) != r {
		t.Error("what is not shown has a revision")
	}
	want("far behind", Discovery, true, Point{2, 2})

	own.Update(func(tx *FactsTx) { tx.DeleteLink(key); tx.DeleteHost(host(7, Point{}).HostID) })
	cs, _, _ := v.Changes(r, 10)
	if len(cs) != 2 || cs[0].Deleted || cs[1].Deleted || cs[1].Host.At != (Point{1, 2}) {
		t.Errorf("changes as far's rows show again: %+v", cs)
	}
	want("far's again", Discovery, true, Point{1, 2})
	own.Update(func(tx *FactsTx) { tx.PutSwitch(mesh(1, 4, 4)) })
	want("discovery says that no link is at the port", Discovery, false, Point{1, 2})
	own.Update(func(tx *FactsTx) { tx.PutSwitch(mesh(1, 4, 3)) })
	want("it is one after all", Discovery, true, Point{1, 2})
	own.Update(func(tx *FactsTx) { tx.PutSwitch(mesh(1, 4, 2)) })
	if _, ok := v.Snapshot().Host(host(7, Point{}).HostID); ok {
		t.Error("a host where discovery has a link")
	}
	far.Update(func(tx *FactsTx) { tx.PutHost(host(7, Point{2, 1})) })
	own.Update(func(tx *FactsTx) { tx.DeleteSwitch(1) })
	want("far knows it still", far.layer.source, true, Point{2, 1})
	own.Withdraw()
	want("discovery ends", far.layer.source, true, Point{2, 1})
	far.Withdraw()
	for _, write := range []func(){func() { far.Update(func(*FactsTx) {}) }, func() { far.Withdraw() }} {
		if got := panics(write); !strings.Contains(got, "Facts(weir-2) has been withdrawn") {
			t.Errorf("a writer that has been withdrawn goes on: %q", got)
		}
	}
	if got := v.Snapshot().Counts(); got != (Counts{}) {
		t.Errorf("%+v is left of nobody", got)
	}
	check(t, v)
	v.Facts() // another may have it
}

// panics returns what do panics with, "" if it does not.
func panics(do func()) (with string) {
	defer func() {
		if r := recover(); r != nil {
			with = fmt.Sprint(r)
		}
	}()
	do()
	return ""
}

// TestAllSourcesSettle: the view has settled when all have that write, and stays so.
func TestAllSourcesSettle(t *testing.T) {
	v := New(Limits{})
	a, b := v.Facts(), v.FactsFrom(NewFactSource("b", Stated))
	settle := func(tx *FactsTx) { tx.SetSettled() }
	if a.Update(settle); v.Snapshot().Settled() {
		t.Error("settled without b")
	}
	b.Withdraw()
	c := v.FactsFrom(NewFactSource("c", Stated))
	if !v.Snapshot().Settled() {
		t.Error("not settled, though only b had not, and is gone")
	}
	if c.Update(settle); !v.Snapshot().Settled() {
		t.Error("no longer settled")
	}
}

// TestRowSizes: the source of a fact takes no memory beyond what rows took without.
func TestRowSizes(t *testing.T) {
	if h, l := unsafe.Sizeof(Host{}), unsafe.Sizeof(Link{}); h > 96 || l > 176 {
		t.Errorf("a host takes %d bytes, a link %d; the allocator's sizes are 96 and 176", h, l)
	}
}

// TestReporters: of a switch whose master is known, the reports of that instance count.
func TestReporters(t *testing.T) {
	v := New(Limits{})
	w, m := v.Desired("x"), v.Masters()
	a, b := v.StatusFrom("a"), v.StatusFrom("b")
	key := RuleKey{DPID: 1, Priority: 1}
	put := w.Put(Rule{DPID: 1, Priority: 1})
	report := func(s *Status, state RuleState, want RuleState, by string) {
		t.Helper()
		s.Set([]RuleResult{{Key: key, State: state}})
		if r, _ := v.Snapshot().Rule(key); r.State != want || r.Reporter != by || r.Revision != put {
			t.Errorf("%s of %q, desired since %d; want %s of %q, %d", r.State, r.Reporter, r.Revision, want, by, put)
		}
		check(t, v)
	}
	report(a, RuleInstalled, RuleInstalled, "a")
	report(b, RulePending, RulePending, "b")
	m.SetAll("a")
	report(b, RuleInstalled, RulePending, "b")
	report(a, RulePending, RulePending, "a")
	m.Set("b", 1)
	report(a, RuleFailed, RulePending, "a")
	report(b, RuleInstalled, RuleInstalled, "b")
	m.SetAll("")
	report(a, RuleInstalled, RuleInstalled, "a")
	report(v.Status(), RuleFailed, RuleFailed, "")
}

// TestSingleRows: one row is put and deleted, and nothing else changes.
func TestSingleRows(t *testing.T) {
	v := New(Limits{})
	a, b := v.Desired("a"), v.Desired("b")
	a.Update(func(tx *DesiredTx) { tx.Set(1, rulesOf(1, 3)) })
	r := v.Snapshot().Revision()
	one := rulesOf(1, 2)[1]
	if a.Put(one) != r {
		t.Error("a rule that is desired already is a change")
	}
	one.Cookie = 2
	put := a.Put(one)
	if row, _ := v.Snapshot().Rule(one.Key()); put != r+1 || row.Revision != put || row.Owner != "a" || row.Cookie != 2 {
		t.Errorf("revision %d, %+v", put, row)
	}
	if first, _ := v.Snapshot().Rule(RuleKey{DPID: 1}); first.Revision != r {
		t.Errorf("another rule is desired since %d", first.Revision)
	}
	b.Put(Rule{DPID: 1, Priority: 1, Cookie: 7})
	b.Put(Rule{DPID: 2, Priority: 1, Cookie: 7})
	check(t, v)
	if c := slices.Collect(v.Snapshot().Conflicts(1)); len(c) != 1 || c[0].Owner != "b" {
		t.Errorf("conflicts %+v", c)
	}
	gone := a.Delete(one.Key())
	if row, _ := v.Snapshot().Rule(one.Key()); row.Owner != "b" || row.Revision != gone || row.State != RulePending {
		t.Errorf("who waited has %+v", row)
	}
	if a.Delete(one.Key()) != gone || a.Delete(RuleKey{DPID: 9}) != gone {
		t.Error("what is not desired is deleted")
	}
	cs, _, _ := v.Changes(put, 10)
	if len(cs) != 2 || cs[0].Rule.DPID != 2 || cs[1].Deleted || cs[1].Rule.Owner != "b" {
		t.Errorf("changes %+v", cs)
	}
	check(t, v)
}

// TestSourcesAtOnce has several sources, reporters and owners write beside each other and readers. When all
// but one have withdrawn what they said, that is what is there.
func TestSourcesAtOnce(t *testing.T) {
	const rounds = 200
	v := New(Limits{Changes: 64})
	sources := []*FactSource{Discovery, NewFactSource("far", Relayed), NewFactSource("file", Stated)}
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for at := Revision(0); ; {
				select {
				case <-stop:
					return
				case <-v.Changed(at):
				}
				_, upto, s, ok := v.Follow(at, 50)
				if !ok {
					upto = s.Revision()
				}
				at = upto
				if err := s.Check(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	m := v.Masters()
	writers.Go(func() {
		for i := range rounds {
			m.Set([]string{"a", "b"}[i%2], DPID(1+i%3))
		}
	})
	for n, source := range sources {
		f := v.FactsFrom(source)
		w, status := v.Desired(source.String()), v.StatusFrom([]string{"a", "b", ""}[n])
		writers.Go(func() {
			for i := range rounds {
				d := DPID(1 + (i+n)%3)
				f.Update(func(tx *FactsTx) {
					tx.PutSwitch(mesh(d, 4, 3))
					tx.PutLink(link(d, 3, 1+d%3, 4))
					tx.PutHost(host(i%10, Point{d, uint32(1 + n%2)}))
					if i%5 == 0 {
						tx.DeleteSwitch(1 + d%3)
					}
				})
				r := Rule{DPID: d, Priority: uint16(i % 4), Cookie: uint64(i), Match: openflow.Match{}}
				w.Put(r)
				status.Set([]RuleResult{{Key: r.Key(), Cookie: r.Cookie, State: RuleInstalled}})
				if i%3 == 0 {
					w.Delete(r.Key())
				}
			}
			if source != Discovery {
				f.Withdraw()
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	check(t, v)
	for s := range v.Snapshot().Switches() {
		if s.Source != Discovery {
			t.Errorf("a switch of %s is left", s.Source)
		}
	}
	for h := range v.Snapshot().Hosts() {
		if h.Source != Discovery {
			t.Errorf("a host of %s is left", h.Source)
		}
	}
	if c := v.Snapshot().Counts(); c.Switches == 0 || c.Hosts == 0 || c.Rules == 0 {
		t.Errorf("%+v", c)
	}
}
