package sim

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// userIntents are the intents that a user has requested, as the user knows them: they outlive every
// instance.
type userIntents struct {
	w    *world
	list []userIntent // by number
}

// userIntent is one of them. Contents are durable forms of specs; "" is none.
type userIntent struct {
	last    string   // what was last answered to be so
	perhaps []string // asked for of instances that died before they answered: any of them may be so
	open    []string // asked for of the instance that runs, and not answered yet
}

func newUserIntents(w *world, n int) *userIntents {
	return &userIntents{w: w, list: make([]userIntent, n)}
}

// intentID is the id of the i-th.
func intentID(i int) string { return fmt.Sprintf("w%d", i) }

// contentOf is a spec's durable form.
func contentOf(s *spec.Spec) string { return string(s.Append(nil)) }

// spec makes the content of an intent from an event's number: its kind, ends and packets follow
// from it and the network.
func (v *userIntents) spec(i, b int) spec.Spec {
	w := v.w
	s := spec.Spec{ID: intentID(i), Priority: uint16(100 + b%3)}
	b /= 3
	socket := func(n int) spec.End {
		at := w.net.sockets[n%len(w.net.sockets)]
		return spec.End{Point: netview.Point{DPID: netview.DPID(at.sw + 1), Port: at.port}}
	}
	host := func(n int) spec.End {
		return spec.End{Host: netview.HostID{MAC: w.net.stations[n%len(w.net.stations)].mac}}
	}
	n, m := b/8, b/8/len(w.net.sockets)
	switch b % 8 {
	case 0, 1, 2: // those whose packets everybody's pings are
		s.Kind = spec.HostToHost
		s.Src, s.Dst = []spec.End{host(n)}, []spec.End{host(n + 1 + m%(len(w.net.stations)-1))}
		return s
	case 3, 4:
		s.Kind = spec.PointToPoint
		s.Src, s.Dst = []spec.End{socket(n)}, []spec.End{socket(n + 1 + m%(len(w.net.sockets)-1))}
	case 5:
		s.Kind = spec.MultipointToPoint
		s.Src, s.Dst = v.several(n, m, socket), []spec.End{socket(n)}
	case 6:
		s.Kind = spec.PointToMultipoint
		s.Src, s.Dst = []spec.End{socket(n)}, v.several(n, m, socket)
	default:
		s.Kind = spec.PointToPoint
		s.Src, s.Dst = []spec.End{socket(n)}, []spec.End{socket(n + 1)}
		_ = s.Selector.SetText("eth_type", "0x88cd")
		s.Selector.Set(openflow.FieldEthSrc, []byte{2, 0, 0, 0, 1, byte(i)}, nil)
		return s
	}
	address := netip.AddrFrom4([4]byte{172, 16, 0, byte(i)}).As4()
	s.Selector.Set(openflow.FieldIPv4Dst, address[:], nil)
	s.Wide = s.Boundless()
	if s.Wide && !plan.TagsAll(v.w.plan.Version) {
		s.Selector.SetUint(openflow.FieldVLANVID, 0)
	}
	return s
}

// several are one or two sockets beside the n-th.
func (v *userIntents) several(n, m int, socket func(int) spec.End) []spec.End {
	k := len(v.w.net.sockets)
	list := []spec.End{socket(n + 1 + m%(k-1))}
	if k > 2 {
		list = append(list, socket(n+1+(m+1)%(k-1)))
	}
	return list
}

// ask asks the instance that runs, if one does.
func (v *userIntents) ask(e Event) {
	if v.w.instances != nil {
		v.w.history.ask(e)
		return
	}
	l := v.w.decider()
	if l == nil || l.machine.isPaused() {
		return
	}
	i := e.A
	r := intent.Request{Op: intent.Withdraw, ID: intentID(i)}
	content := ""
	if e.Kind == AskIntent {
		r = intent.Request{Op: intent.Replace, Spec: v.spec(i, e.B)}
		if err := r.Spec.Check(); err != nil {
			v.w.say("not asked for: %v", err)
			return
		}
		content = contentOf(&r.Spec)
	}
	x := &v.list[i]
	x.open = append(x.open, content)
	err := l.instance.Intents().SubmitAsync([]intent.Request{r}, false, func(answers []intent.Answer, err error) {
		if !l.over {
			v.answered(i, answers, err)
		}
	})
	if err != nil {
		v.w.say("intent w%d: not taken: %v", i, err)
		x.open = x.open[:len(x.open)-1]
	}
}

// answered takes the answer to the oldest open request for an intent: requests for one are answered
// in their order.
func (v *userIntents) answered(i int, answers []intent.Answer, err error) {
	x := &v.list[i]
	content := x.open[0]
	x.open = x.open[1:]
	if err != nil {
		v.w.say("intent w%d: %v", i, err)
		return
	}
	a := &answers[0]
	v.w.say("intent w%d: %s %s", i, a.Status, a.Text)
	switch a.Status {
	case intent.Accepted, intent.Existing, intent.NotFound:
		x.last, x.perhaps = content, nil
	case intent.Conflict:
	default:
		v.w.fail("intent w%d: the answer is %s: %s", i, a.Status, a.Text)
	}
}

// died notes that the instance is gone, and with it the answers that it owed.
func (v *userIntents) died() {
	for i := range v.list {
		x := &v.list[i]
		x.perhaps, x.open = append(x.perhaps, x.open...), nil
	}
}

// kept holds a new instance to what was answered: every intent is there, before a switch has
// connected.
func (v *userIntents) kept() {
	if v.w.instances != nil {
		return // the history tells
	}
	for i := range v.list {
		if what := v.differs(i); what != "" {
			v.w.fail("after a restart: %s", what)
		}
	}
}

// contentAt is the content of an intent as an instance has it; "": it has none.
func (v *userIntents) contentAt(l *instanceRun, i int) string {
	in, ok := l.instance.Intents().Get(intentID(i))
	if !ok || in.State == intent.Withdrawing {
		return ""
	}
	return contentOf(&in.Spec)
}

// differs returns how an intent differs from what was answered; "" if it does not.
func (v *userIntents) differs(i int) string {
	x := &v.list[i]
	content := v.contentAt(v.w.decider(), i)
	if content == x.last || slices.Contains(x.perhaps, content) || slices.Contains(x.open, content) {
		return ""
	}
	return fmt.Sprintf("intent w%d is %q, was answered to be %q", i, content, x.last)
}

// check holds the instance to what was asked for: intents are there, none else are, and they have
// paths that lead where they should.
func (v *userIntents) check() (found []string) {
	l := v.w.decider()
	if l == nil {
		return []string{"no instance runs"}
	}
	engine := l.instance.Intents()
	there := 0
	for i := range v.list {
		if what := v.differs(i); what != "" && v.w.instances == nil {
			found = append(found, what)
		}
		in, ok := engine.Get(intentID(i))
		if !ok {
			continue
		}
		there++
		if what := v.wrong(&in); what != "" {
			found = append(found, fmt.Sprintf("intent %s is %s, %s %s: %s", &in.Spec, in.State, in.Code, in.Text, what))
		}
	}
	if all, _ := engine.List(0, len(v.list)+1, nil); len(all) != there {
		found = append(found, fmt.Sprintf("there are %d intents, %d of them asked for", len(all), there))
	}
	return found
}

// wrong returns what is wrong with an intent in a network that is whole.
func (v *userIntents) wrong(in *intent.Intent) string {
	switch {
	case in.State == intent.Failed && in.Code == intent.Conflicting:
		if !v.contested(in) {
			return "nobody is in its way"
		}
		return ""
	case in.State != intent.Installed || in.Rules == nil:
		return "it could be installed"
	}
	s := &in.Spec
	ends := func(list []spec.End) (at []netview.Point) {
		for _, e := range list {
			if s.Kind == spec.HostToHost {
				h := v.w.net.stations[e.Host.MAC[5]-1]
				e.Point = netview.Point{DPID: netview.DPID(h.socket.sw + 1), Port: h.socket.port}
			}
			at = append(at, e.Point)
		}
		return at
	}
	there, back := len(s.Matches(nil, false)), 0
	if s.Kind.BothWays() {
		back = len(s.Matches(nil, true))
	}
	if len(in.Rules.Legs) != there+back {
		return fmt.Sprintf("it has %d legs, want %d and %d", len(in.Rules.Legs), there, back)
	}
	for i, leg := range in.Rules.Legs {
		from, to := ends(s.Src), ends(s.Dst)
		if i >= there {
			from, to = to, from
		}
		if what := v.leads(leg.Route, from, to); what != "" {
			return what
		}
	}
	return ""
}

// connects reports whether an intent connects a host with another.
func (v *userIntents) connects(id netview.HostID) bool {
	for i := range v.list {
		in, ok := v.w.decider().instance.Intents().Get(intentID(i))
		if ok && in.Spec.Kind == spec.HostToHost && (in.Spec.Src[0].Host == id || in.Spec.Dst[0].Host == id) {
			return true
		}
	}
	return false
}

// contested reports whether another intent is installed between the same two hosts, or with packets
// of both in the same priority.
func (v *userIntents) contested(in *intent.Intent) bool {
	for i := range v.list {
		other, ok := v.w.decider().instance.Intents().Get(intentID(i))
		if ok && other.Number != in.Number && other.State == intent.Installed &&
			other.Spec.Priority == in.Spec.Priority && share(&in.Spec, &other.Spec) {
			return true
		}
		if !ok || other.Number == in.Number || other.Spec.Kind != spec.HostToHost ||
			in.Spec.Kind != spec.HostToHost || other.State != intent.Installed {
			continue
		}
		a, b, x, y := in.Spec.Src[0], in.Spec.Dst[0], other.Spec.Src[0], other.Spec.Dst[0]
		if a == x && b == y || a == y && b == x {
			return true
		}
	}
	return false
}

// share reports whether there may be a packet of two intents whose matches differ.
func share(a, b *spec.Spec) bool {
	matches := func(s *spec.Spec) [][]byte {
		if s.Kind.BothWays() {
			return append(s.Matches(nil, false), s.Matches(nil, true)...)
		}
		return s.Matches(nil, false)
	}
	for _, m := range matches(a) {
		for _, n := range matches(b) {
			if string(m) != string(n) && (openflow.Match{OXM: m}).Overlaps(openflow.Match{OXM: n}) {
				return true
			}
		}
	}
	return false
}

// leads follows a route from each port where packets come in, over the network's links: they arrive
// at all ends, once each, and nowhere else.
func (v *userIntents) leads(r *ruleset.Route, from, to []netview.Point) string {
	type at struct {
		dpid netview.DPID
		in   uint32
	}
	hops := make(map[at]*ruleset.Hop)
	for i := range r.Hops {
		h := r.Hops[i]
		hops[at{h.DPID, h.In}] = h
	}
	used := make(map[at]bool)
	for _, p := range from {
		var arrived []netview.Point
		next := []at{{p.DPID, p.Port}}
		for n := 0; len(next) > 0; n++ {
			h := hops[next[0]]
			if h == nil || n > len(hops) {
				return fmt.Sprintf("packets from %s are lost or loop at %v", p, next[0])
			}
			used[next[0]] = true
			next = next[1:]
			for _, out := range h.Out() {
				far, ok := v.w.net.across(netview.Point{DPID: h.DPID, Port: out})
				if !ok {
					arrived = append(arrived, netview.Point{DPID: h.DPID, Port: out})
					continue
				}
				next = append(next, at{far.DPID, far.Port})
			}
		}
		slices.SortFunc(arrived, netview.Point.Compare)
		slices.SortFunc(to, netview.Point.Compare)
		if !slices.Equal(arrived, to) {
			return fmt.Sprintf("packets from %s arrive at %v, want %v", p, arrived, to)
		}
	}
	if len(used) != len(hops) {
		return fmt.Sprintf("%d of %d hops are used", len(used), len(hops))
	}
	return ""
}
