package intent

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/intent/claims"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// twin runs random histories: what comes of them at rest must be what a look at the network says,
// and during what is planned no packet may be lost or go round.
type twin struct {
	*network
	r       *rand.Rand
	inputs  *netview.Inputs
	links   []netview.LinkKey
	hosts   []netview.HostID
	model   map[string]string // content of what was answered as accepted and is not withdrawn
	ended   map[string]bool   // withdrawn
	drained map[netview.LinkKey]bool
	costs   map[netview.LinkKey]uint64
	history []string
}

func newTwin(t testing.TB, seed uint64) *twin {
	w := &twin{
		network: newNetwork(t, 6), r: rand.New(rand.NewPCG(seed, 1)), model: make(map[string]string),
		ended:   make(map[string]bool),
		drained: make(map[netview.LinkKey]bool), costs: make(map[netview.LinkKey]uint64),
	}
	w.matches = make(map[ruleAt]map[string]bool)
	w.inputs = w.view.Inputs()
	for i, pair := range [][2]netview.DPID{{1, 2}, {2, 3}, {3, 4}, {4, 1}, {1, 3}, {4, 5}, {5, 6}, {6, 2}, {2, 5}, {1, 2}} {
		k := link(pair[0], uint32(i+1)%8+1, pair[1], uint32(i+1)%8+1)
		if i >= 8 {
			k = link(pair[0], uint32(i+1), pair[1], uint32(i+1))
		}
		w.links = append(w.links, k)
		w.put(k, true, netview.LinkConfirmed)
	}
	for i := range 5 {
		w.hosts = append(w.hosts, hostID(i+1))
		w.host(w.hosts[i], w.edge())
	}
	return w
}

func (w *twin) fatal(format string, args ...any) {
	w.t.Helper()
	for _, line := range w.history[max(0, len(w.history)-400):] {
		w.t.Log(line)
	}
	w.t.Fatalf(format, args...)
}

func (w *twin) note(format string, args ...any) {
	w.history = append(w.history, fmt.Sprintf(format, args...))
}

// edge is a port where no link is.
func (w *twin) edge() netview.Point { return at(netview.DPID(w.r.IntN(6)+1), uint32(12+w.r.IntN(5))) }

func (w *twin) ends(most int) (list []spec.End) {
	seen := map[netview.Point]bool{}
	for range 1 + w.r.IntN(most) {
		if p := w.edge(); !seen[p] {
			seen[p] = true
			list = append(list, spec.End{Point: p})
		}
	}
	return list
}

func (w *twin) spec(id string) spec.Spec {
	s := spec.Spec{ID: id, Kind: spec.Kind(1 + w.r.IntN(5)), Priority: uint16(100 + w.r.IntN(2))}
	switch s.Kind {
	case spec.HostToHost:
		s.Src, s.Dst = []spec.End{{Host: w.hosts[w.r.IntN(5)]}}, []spec.End{{Host: w.hosts[w.r.IntN(5)]}}
	case spec.PointToPoint:
		s.Src, s.Dst = w.ends(1), w.ends(1)
	case spec.MultipointToPoint:
		s.Src, s.Dst = w.ends(4), w.ends(1)
	case spec.PointToMultipoint:
		s.Src, s.Dst = w.ends(1), w.ends(4)
	case spec.Path:
		m := topology.Build(w.view.Snapshot())
		hops, ok := m.PathBetween(w.edge(), w.edge(), w.r.Uint64(), nil)
		if !ok {
			s.Kind, s.Src, s.Dst = spec.PointToPoint, w.ends(1), w.ends(1)
			break
		}
		s.Hops = hops
	}
	if w.r.IntN(4) > 0 {
		s.Selector.SetUint(openflow.FieldEthType, 0x0800)
		s.Selector.SetUint(openflow.FieldIPv4Dst, uint64(0x0a000000+w.r.IntN(40)))
		switch w.r.IntN(8) {
		case 0:
			s.Selector.SetUintMasked(openflow.FieldIPv4Dst, uint64(0x0a000000+8*w.r.IntN(5)), 0xfffffff8)
		case 1:
			s.Selector.SetUint(openflow.FieldIPv4Src, uint64(0x0b000000+w.r.IntN(4)))
		}
	}
	s.Wide = w.r.IntN(20) > 0 || !s.Boundless()
	return s
}

// ask sends one batch of requests and keeps what was accepted.
func (w *twin) ask() {
	var reqs []Request
	for range 1 + w.r.IntN(5) {
		id := fmt.Sprintf("i%d", w.r.IntN(30))
		switch w.r.IntN(5) {
		case 0:
			reqs = append(reqs, Request{Op: Withdraw, ID: id})
		case 1:
			reqs = append(reqs, Request{Op: Replace, Spec: w.spec(id)})
		default:
			reqs = append(reqs, Request{Op: Create, Spec: w.spec(id)})
		}
	}
	atomic := w.r.IntN(3) == 0
	var failure error
	if w.r.IntN(10) == 0 {
		failure = errCommit
	}
	answered := false
	if err := w.engine.SubmitAsync(reqs, atomic, func(answers []Answer, err error) {
		answered = true
		if err != nil {
			w.note("  failed: %v", err)
			return
		}
		for i, a := range answers {
			if a.Status == Accepted {
				w.accepted(&reqs[i])
			}
			w.note("  %d %s: %v %s (atomic %t)", reqs[i].Op, reqs[i].Spec.String()+reqs[i].ID, a.Status, a.Text, atomic)
		}
	}); err != nil {
		w.fatal("refused: %v", err)
	}
	if w.r.IntN(3) == 0 { // the core goes on before it is durable
		w.engine.Step(time.Time{})
	}
	w.intent.commit(failure)
	w.intent.commit(nil)
	if !answered {
		w.fatal("no answer")
	}
}

func (w *twin) accepted(r *Request) {
	if r.Op == Withdraw {
		delete(w.model, r.ID)
		w.ended[r.ID] = true
		return
	}
	s := r.Spec
	if s.Check() != nil {
		w.fatal("accepted what does not pass: %v", &s)
	}
	w.model[s.ID] = string(s.Append(nil))
}

// act does one thing to the network or the instance.
func (w *twin) act() {
	k := w.links[w.r.IntN(len(w.links))]
	switch w.r.IntN(12) {
	case 0, 1:
		w.note("link %v down", k)
		w.put(k, false, netview.LinkConfirmed)
	case 2, 3:
		w.note("link %v up", k)
		w.put(k, true, netview.LinkConfirmed)
	case 4:
		w.note("link %v unconfirmed", k)
		w.put(k, true, netview.LinkUnconfirmed)
	case 5:
		h, p := w.hosts[w.r.IntN(5)], w.edge()
		w.note("host %v at %v", h, p)
		w.host(h, p)
	case 6:
		dpid := netview.DPID(w.r.IntN(6) + 1)
		w.note("switch %d off", dpid)
		w.off[dpid] = true
	case 7:
		w.note("all switches on")
		clear(w.off)
	case 8:
		dpid, rest := netview.DPID(w.r.IntN(6)+1), w.r.IntN(3)
		w.note("switch %d refuses", dpid)
		w.refuse = func(at ruleAt) string {
			if at.dpid == dpid && (int(at.in)+len(at.match)+int(at.match[len(at.match)-1]))%3 == rest {
				return "full"
			}
			return ""
		}
	case 9:
		w.refuse = nil
	case 10:
		w.note("restart")
		if w.r.IntN(2) == 0 {
			w.chosen.commit(nil)
		}
		w.start()
	default:
		d := time.Duration(w.r.IntN(400)) * time.Millisecond
		w.now = w.now.Add(d)
	}
}

// some has some of the orders answered: those of one switch in order, else in any.
func (w *twin) some() {
	for range w.r.IntN(20) {
		var first []int
		seen := map[netview.DPID]bool{}
		for i := range w.orders {
			_, hop := w.orders[i].Rules.At(int(w.orders[i].Rule))
			if !seen[hop.DPID] && !w.off[hop.DPID] {
				first = append(first, i)
			}
			seen[hop.DPID] = true
		}
		if len(first) == 0 {
			return
		}
		i := first[w.r.IntN(len(first))]
		o := w.orders[i]
		w.orders = slices.Delete(w.orders, i, i+1)
		w.engine.OnOutcomes([]ruleset.Outcome{w.take(&o)})
		if w.r.IntN(2) == 0 {
			w.engine.Step(time.Time{})
		}
	}
	w.engine.Step(time.Time{})
}

// check compares, at rest, everything with everything.
func (w *twin) check() {
	w.rest()
	w.checkWanted(w.fatal)
	m := topology.Build(w.view.Snapshot())
	list, _ := w.engine.List(0, 1<<30, nil)
	content := map[string]string{}
	for i := range list {
		in := &list[i]
		if in.State != Withdrawing {
			content[in.Spec.ID] = string(in.Spec.Append(nil))
		}
		w.checkIntent(in, m)
	}
	for id, c := range w.model {
		if content[id] != c {
			w.fatal("intent %s was accepted and is lost or another: %q, %q", id, c, content[id])
		}
	}
	if len(content) != len(w.model) || len(w.intent.live) != len(w.model) {
		w.fatal("%d intents, %d in the journal, %d accepted", len(content), len(w.intent.live), len(w.model))
	}
	w.checkInside(list)
}

// checkIntent holds one intent against the network.
func (w *twin) checkIntent(in *Intent, m *topology.Map) {
	switch in.State {
	case Submitted:
		w.fatal("intent %s is submitted for ever", in.Spec.ID)
	case Installing, Rerouting:
		if len(w.off) == 0 {
			w.fatal("intent %s is %v for ever", in.Spec.ID, in.State)
		}
	case Withdrawing:
		if len(w.off) == 0 {
			w.fatal("intent %s is withdrawn for ever", in.Spec.ID)
		}
		return
	}
	if in.Rules == nil {
		if in.State != Failed && in.State != Waiting {
			w.fatal("intent %s is %v without a program", in.Spec.ID, in.State)
		}
		if in.Code == NoPath {
			w.checkNoPath(in, m)
		}
		return
	}
	for _, leg := range in.Rules.Legs {
		if in.Spec.Kind == spec.MultipointToPoint || in.Spec.Kind == spec.PointToMultipoint {
			break
		}
		for i := 0; i+1 < len(leg.Route.Hops); i++ {
			a, b := leg.Route.Hops[i], leg.Route.Hops[i+1]
			if !m.Up(link(a.DPID, a.Out()[0], b.DPID, b.In)) {
				w.fatal("intent %s is %v over a link that is down: %v", in.Spec.ID, in.State, leg.Route)
			}
		}
	}
	if (in.State == Installed || in.State == Degraded) && len(w.off) == 0 {
		if bad := w.deliver(in); bad != "" {
			w.fatal("intent %s is %v: %s", in.Spec.ID, in.State, bad)
		}
	}
}

func (w *twin) checkNoPath(in *Intent, m *topology.Map) {
	if in.Spec.Kind == spec.PointToPoint {
		if _, ok := m.Cost(in.Spec.Src[0].Point.DPID, in.Spec.Dst[0].Point.DPID); ok {
			w.fatal("intent %s has no path, and there is one", in.Spec.ID)
		}
	}
}

// deliver follows packets of an intent through what switches hold, from where they come in; "" if
// they arrive, and none goes round.
func (w *twin) deliver(in *Intent) string {
	s := &in.Spec
	if s.Kind == spec.HostToHost {
		a, _ := w.view.Snapshot().Host(s.Src[0].Host)
		b, _ := w.view.Snapshot().Host(s.Dst[0].Host)
		for i, leg := range in.Rules.Legs {
			from, to := a.At, b.At
			if i >= len(in.Rules.Legs)/2 {
				from, to = to, from
			}
			if bad := w.follow(from, []netview.Point{to}, in.Rules.Priority, leg.Match); bad != "" {
				return bad
			}
		}
		return ""
	}
	for _, from := range s.Ingress(nil) {
		for _, leg := range in.Rules.Legs {
			if bad := w.follow(from, s.Egress(nil), in.Rules.Priority, leg.Match); bad != "" {
				return bad
			}
		}
	}
	return ""
}

func (w *twin) follow(from netview.Point, to []netview.Point, priority uint16, match []byte) string {
	snap := w.view.Snapshot()
	reached := map[netview.Point]bool{}
	var walk func(netview.Point, ruleset.Tag, int) string
	walk = func(p netview.Point, tag ruleset.Tag, depth int) string {
		if depth > 24 {
			return fmt.Sprintf("a packet from %v goes round at %v", from, p)
		}
		h, ok := w.holds[place(p, tag, priority, match)]
		if !ok {
			return fmt.Sprintf("a packet from %v is lost at %v, tag %d", from, p, tag)
		}
		for _, way := range h.ways() {
			o := at(p.DPID, way.Port)
			led := false
			for l := range snap.LinksFromPoint(o) {
				led = true
				if bad := walk(l.Dst, way.Tag, depth+1); bad != "" {
					return bad
				}
			}
			if !led && way.Tag != 0 {
				return fmt.Sprintf("a packet from %v leaves at %v with tag %d", from, o, way.Tag)
			}
			if !led {
				reached[o] = true
			}
		}
		return ""
	}
	if bad := walk(from, 0, 0); bad != "" {
		return bad
	}
	for _, p := range to {
		if !reached[p] {
			return fmt.Sprintf("a packet from %v does not arrive at %v", from, p)
		}
	}
	return ""
}

// checkInside looks at what the engine keeps: nothing may be left of what is gone.
func (w *twin) checkInside(list []Intent) {
	c, f := w.engine.core, w.engine.catalog
	q := f.requests
	if f.records.ids.Len() != len(list) || q.inFlight != 0 || len(q.idQueues.byID) != 0 || q.idQueues.ready.Len() != 0 ||
		f.shown.waiters.count != 0 {
		w.fatal("catalog: %d ids of %d intents, %d in flight, %d deferred", f.records.ids.Len(), len(list), q.inFlight,
			len(q.idQueues.byID))
	}
	byState := [states]int{}
	held := 0
	for i := range list {
		byState[list[i].State]++
		if list[i].State != Withdrawing {
			held += claims.Count(&list[i].Spec)
		}
	}
	if byState != f.records.counts || held != f.admission.claims.Len() {
		w.fatal("catalog counts %v and %d claims, there are %v and %d", f.records.counts, f.admission.claims.Len(), byState, held)
	}
	for n := range c.entries.End() {
		if e := c.entries.At(n); e.transition != nil && len(w.off) == 0 {
			w.fatal("core: a change of number %d is under way for ever: %+v", n, e.transition)
		}
	}
	if c.planner.moves.Taken() != 0 && len(w.off) == 0 || c.entries.restoring != 0 ||
		c.transitions.interim != 0 && len(w.off) == 0 {
		w.fatal("core: %d moving, %d adopted, %d uniting", c.planner.moves.Taken(), c.entries.restoring, c.transitions.interim)
	}
	desired := func(n uint32) *ruleset.Set { return c.entries.At(n).rules }
	err := errors.Join(c.conflicts.Check(c.entries.End()), c.status.Check(),
		c.registry.Check(c.entries.End(), desired, c.entries.ruleSets))
	if err != nil {
		w.fatal("core: %v", err)
	}
}

func TestTwin(t *testing.T) {
	need.OneGoroutine(t)
	for seed := range uint64(300) {
		w := newTwin(t, seed)
		w.note("seed %d", seed)
		for range 12 {
			for range w.r.IntN(12) {
				switch w.r.IntN(4) {
				case 0:
					w.ask()
				case 1:
					w.act()
				default:
					w.some()
				}
			}
			if w.r.IntN(3) == 0 {
				clear(w.off)
			}
			if w.r.IntN(3) == 0 {
				w.refuse = nil
			}
			w.check()
		}
		clear(w.off)
		w.refuse = nil
		w.note("end")
		w.now = w.now.Add(time.Hour)
		w.check()
	}
}
