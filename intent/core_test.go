package intent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// TestConversations runs the golden conversations in testdata. Their commands are those of
// scene.do.
func TestConversations(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, path string) {
		s := &scene{network: newNetwork(t, 0)}
		s.inputs = s.view.Inputs()
		s.listen()
		golden.Run(t, path, s.do)
	})
}

// scene is a conversation in progress: an engine, the network and the journals. Each line that it
// says begins with the time since the start.
type scene struct {
	*network
	inputs *netview.Inputs
	said   []string
	seen   uint64 // the revision of the newest event said
	due    time.Time
}

func (s *scene) say(format string, args ...any) {
	s.said = append(s.said, fmt.Sprintf("%7s  ", s.now.Sub(t0))+fmt.Sprintf(format, args...))
}

// do does one command, has the engine take a turn, and returns what was said meanwhile.
func (s *scene) do(t *testing.T, c *golden.Command) string {
	s.t, s.said = t, nil
	if !s.change(c) && !s.request(c) && !s.show(c) {
		t.Fatalf("%s:%d: %q is no command", c.File, c.Line, c.Name)
	}
	s.turn()
	return strings.Join(s.said, "\n")
}

// change does the commands that change the network or pass time.
func (s *scene) change(c *golden.Command) bool {
	switch c.Name {
	case "switches": // appear, with ports 1 to 16 each
		for _, a := range c.Args {
			s.addSwitch(s.dpid(a))
		}
	case "port": // of a switch, is removed
		p := s.point(c.Args[0])
		s.changeSwitch(p.DPID, func(sw *netview.Switch) {
			sw.Ports = slices.DeleteFunc(slices.Clone(sw.Ports), func(q netview.Port) bool { return q.Number == p.Port })
		})
	case "forget": // a switch
		s.facts.Update(func(tx *netview.FactsTx) { tx.DeleteSwitch(s.dpid(c.Args[0])) })
	case "offline", "online": // a switch loses its session, or has one again
		on := c.Name == "online"
		s.off[s.dpid(c.Args[0])] = !on
		s.changeSwitch(s.dpid(c.Args[0]), func(sw *netview.Switch) {
			if sw.Connected, sw.State = on, netview.SwitchReady; !on {
				sw.State = netview.SwitchDisconnected
			}
		})
	case "cables": // pairs of points
		s.pairs(c.Args, func(k netview.LinkKey) { s.put(k, true, netview.LinkConfirmed) })
	case "cut":
		s.pairs(c.Args, func(k netview.LinkKey) { s.put(k, false, netview.LinkConfirmed) })
	case "silent": // links whose probes are not heard
		s.pairs(c.Args, func(k netview.LinkKey) { s.put(k, true, netview.LinkUnconfirmed) })
	case "settled": // discovery has looked everywhere
		s.facts.Update(func(tx *netview.FactsTx) { tx.SetSettled() })
	case "host": // is at a point
		s.host(s.hostID(c.Args[0]), s.point(c.Args[1]))
	case "drain": // these switches, and no others
		said := netview.Settings{Switches: make(map[netview.DPID]netview.SwitchSettings)}
		for _, a := range c.Args {
			said.Switches[s.dpid(a)] = netview.SwitchSettings{Drained: true}
		}
		s.inputs.Set(&said)
	case "full": // these switches have room for no more rules
		s.network.refuse = func(at ruleAt) string {
			if slices.Contains(c.Args, strconv.Itoa(int(at.dpid))) {
				return "the table is full"
			}
			return ""
		}
	case "take": // switches take the orders that are out
		s.answer()
	case "lose", "regain": // a rule of an intent at a switch, which flowsync reports
		result := ruleset.Lost
		if c.Name == "regain" {
			result = ruleset.Installed
		}
		in, _ := s.engine.Get(c.Args[0])
		for r := range in.Rules.Len() {
			if _, hop := in.Rules.At(r); hop.DPID == s.dpid(c.Args[1]) {
				s.engine.OnOutcomes([]ruleset.Outcome{{Rules: in.Rules, Rule: uint16(r), Result: result}})
			}
		}
	case "wait": // "wait 5s": orders stay out; "wait 5s taken": switches take them
		s.wait(c.Args[0], len(c.Args) > 1)
	case "restart": // of the instance; with "blind" its view is empty
		if len(c.Args) > 0 {
			s.view = netview.New(netview.Limits{})
			s.facts, s.inputs = s.view.Facts(), s.view.Inputs()
		}
		s.start()
		s.listen()
	default:
		return false
	}
	return true
}

// listen has a new engine speak to the scene.
func (s *scene) listen() {
	s.seen = 0
	s.engine.config.Journal = spoken{s, "intents", s.network.intent}
	s.engine.decisions.journal = spoken{s, "decisions", s.chosen}
	s.engine.config.Orders = func(list []ruleset.Order) {
		for i := range list {
			s.sayOrder(&list[i])
		}
		s.orders = append(s.orders, list...)
	}
	s.engine.config.Ordered = func() { s.say("what was loaded is ordered") }
}

// request does the commands of users.
func (s *scene) request(c *golden.Command) bool {
	switch c.Name {
	case "submit", "atomic": // lines of parseRequest; with "uncommitted" the store has not answered
		var reqs []Request
		for _, line := range strings.Split(c.Input, "\n") {
			reqs = append(reqs, s.parseRequest(strings.Fields(line)))
		}
		err := s.engine.SubmitAsync(reqs, c.Name == "atomic", s.sayAnswers)
		if err != nil {
			s.say("rejected: %v", err)
		}
		if len(c.Args) == 0 {
			s.network.intent.commit(nil)
		}
	case "commit": // the store answers; with "fails" that it has failed
		var err error
		if len(c.Args) > 0 {
			err = errCommit
		}
		s.network.intent.commit(err)
	case "limits":
		s.engine.catalog.admission.limits = limits{int(s.dpid(c.Arg("intents", "1000"))), int(s.dpid(c.Arg("inflight", "1000")))}
	default:
		return false
	}
	return true
}

// show does the commands that only look.
func (s *scene) show(c *golden.Command) bool {
	switch c.Name {
	case "show":
		in, ok := s.engine.Get(c.Args[0])
		if !ok {
			s.say("there is no %s", c.Args[0])
			break
		}
		s.say("%s is %s priority=%d%s", c.Args[0], stateText(in.State, in.Code), in.Spec.Priority, after(in.Text))
		if in.Rules != nil {
			for r := range in.Rules.Len() {
				s.say("  %s", ruleText(in.Rules, uint16(r)))
			}
		}
	case "progress": // of the drain of a switch
		p := s.engine.core.drainProgress(netview.Point{DPID: s.dpid(c.Args[0])})
		s.say("leaving=%d ends=%d noOther=%d first=%v computed=%t", p.Leaving, p.Ends, p.NoOther, p.First, p.Revision != 0)
	case "counts":
		n := s.engine.Counts()
		s.say("%+v", n.Totals)
		s.say("%+v", n.Core)
	case "holds": // the rules in a switch
		var lines []string
		for at, h := range s.network.holds {
			if at.dpid == s.dpid(c.Args[0]) {
				lines = append(lines, fmt.Sprintf("in=%d %s of number %d %s", at.in,
					openflow.Match{OXM: []byte(at.match)}, h.number, doesText(h.hop)))
			}
		}
		slices.Sort(lines)
		for _, line := range lines {
			s.say("%s", line)
		}
	default:
		return false
	}
	return true
}

// turn has the engine take its turn, and says the events and the journal of decisions.
func (s *scene) turn() {
	s.due = s.engine.Step(time.Time{})
	s.chosen.commit(nil)
	list, upto, ok := s.engine.Changes(s.seen, 1<<20)
	if !ok {
		s.t.Fatal("the log of events does not reach back")
	}
	s.seen = upto
	for i := range list {
		switch in := &list[i].Intent; {
		case list[i].Stale:
		case list[i].Gone:
			s.say("%s is gone", in.Spec.ID)
		default:
			s.say("%s is %s%s", in.Spec.ID, stateText(in.State, in.Code), after(in.Text))
		}
	}
}

// wait passes time, with a turn whenever the engine wants one.
func (s *scene) wait(text string, taken bool) {
	d, err := time.ParseDuration(text)
	if err != nil {
		s.t.Fatal(err)
	}
	for until := s.now.Add(d); ; {
		s.turn()
		busy := slices.ContainsFunc(s.orders, func(o ruleset.Order) bool {
			_, hop := o.Rules.At(int(o.Rule))
			return !s.off[hop.DPID]
		})
		switch {
		case taken && busy:
			s.answer()
		case s.due.IsZero() || s.due.After(until):
			s.now = until
			return
		case s.due.After(s.now):
			s.now = s.due
		}
	}
}

func (s *scene) sayAnswers(answers []Answer, err error) {
	if err != nil {
		s.say("failed: %v", err)
	}
	for i := range answers {
		a := &answers[i]
		state := ""
		if a.State != 0 {
			state = " state=" + a.State.String()
		}
		s.say("answer %s number=%d %s%s%s", a.ID, a.Number, a.Status, state, after(a.Text))
	}
}

func (s *scene) sayOrder(o *ruleset.Order) {
	verb := "install"
	if o.Remove {
		verb = "remove"
	}
	s.say("%s %d.%d %s", verb, o.Rules.Number, o.Rules.Version, ruleText(o.Rules, o.Rule))
}

// ruleText is a rule as "switch 1 in=9 {…} out=1".
func ruleText(g *ruleset.Set, rule uint16) string {
	_, hop := g.At(int(rule))
	match := openflow.Match{OXM: g.Place(int(rule)).Match}
	return fmt.Sprintf("switch %d in=%d %s %s", uint64(hop.DPID), hop.In, match, doesText(hop))
}

// doesText is "out=[1 2]", with the tags that packets leave with where they have some.
func doesText(hop *ruleset.Hop) string {
	ways, _ := hop.Ways(openflow.V13)
	if hop.Tag == 0 && !slices.ContainsFunc(ways, func(w ruleset.Way) bool { return w.Tag != 0 }) {
		return fmt.Sprintf("out=%v", hop.Out())
	}
	text := "out="
	for i, w := range ways {
		if i > 0 {
			text += ","
		}
		if text += fmt.Sprint(w.Port); w.Tag != 0 {
			text += fmt.Sprintf("(tag %d)", w.Tag)
		}
	}
	return text
}

// after is a reason, if there is one.
func after(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

func stateText(s State, c Code) string {
	if c == NoCode {
		return s.String()
	}
	return s.String() + " (" + c.String() + ")"
}

// spoken is a journal that says what it is given.
type spoken struct {
	s    *scene
	name string
	*memory
}

func (j spoken) Append(recs []Record, done func(uint64, error)) error {
	for i := range recs {
		if recs[i].Delete {
			j.s.say("%s: delete %d", j.name, recs[i].Number)
		} else {
			j.s.say("%s: put %d", j.name, recs[i].Number)
		}
	}
	return j.memory.Append(recs, done)
}

// parseRequest reads "create ID KIND SRC DST [priority=N] [wide] [field=value ..]", the same with
// "replace", or "withdraw ID", each perhaps with if=current or if=ETAG. The ID "-" is none. SRC and DST are points or
// hosts with commas between; instead of both, a path has hops as "1:9>1,2:1>9".
func (s *scene) parseRequest(words []string) (r Request) {
	id := words[1]
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "if=") }); i > 0 {
		r.IfMatch = strings.TrimPrefix(words[i], "if=")
		if r.IfMatch == "current" {
			in, _ := s.engine.Get(id)
			r.IfMatch = in.ETag
		}
		words = slices.Delete(words, i, i+1)
	}
	switch words[0] {
	case "withdraw":
		r.Op, r.ID = Withdraw, id
		return r
	case "create":
		r.Op = Create
	case "replace":
		r.Op = Replace
	default:
		s.t.Fatalf("%q is no request", words[0])
	}
	r.Spec = spec.Spec{ID: strings.Trim(id, "-"), Priority: 100}
	kind, _ := schema.Rows[schema.Kind].ValueOf(words[2])
	r.Spec.Kind = spec.Kind(kind)
	rest := words[4:]
	if r.Spec.Kind == spec.Path {
		r.Spec.Hops = s.hops(words[3])
	} else {
		r.Spec.Src, r.Spec.Dst = s.ends(r.Spec.Kind, words[3]), s.ends(r.Spec.Kind, words[4])
		rest = words[5:]
	}
	for _, w := range rest {
		name, value, _ := strings.Cut(w, "=")
		var err error
		switch name {
		case "wide":
			r.Spec.Wide = true
		case "priority":
			var v uint64
			v, err = strconv.ParseUint(value, 10, 16)
			r.Spec.Priority = uint16(v)
		default:
			err = r.Spec.Selector.SetText(name, value)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return r
}

func (s *scene) ends(k spec.Kind, text string) (list []spec.End) {
	for _, w := range strings.Split(text, ",") {
		if k == spec.HostToHost {
			list = append(list, spec.End{Host: s.hostID(w)})
		} else {
			list = append(list, spec.End{Point: s.point(w)})
		}
	}
	return list
}

func (s *scene) hops(text string) (list []topology.Hop) {
	for _, w := range strings.Split(text, ",") {
		var h topology.Hop
		if _, err := fmt.Sscanf(w, "%d:%d>%d", &h.DPID, &h.In, &h.Out); err != nil {
			s.t.Fatal(err)
		}
		list = append(list, h)
	}
	return list
}

func (s *scene) dpid(text string) netview.DPID {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return netview.DPID(n)
}

func (s *scene) point(text string) netview.Point {
	dpid, port, _ := strings.Cut(text, "/")
	return at(s.dpid(dpid), uint32(s.dpid(port)))
}

// hostID is a host by its number: h1, h2 and so on.
func (s *scene) hostID(text string) netview.HostID {
	return hostID(int(s.dpid(strings.TrimPrefix(text, "h"))))
}

func (s *scene) pairs(args []string, do func(netview.LinkKey)) {
	for i := 0; i+1 < len(args); i += 2 {
		a, b := s.point(args[i]), s.point(args[i+1])
		do(link(a.DPID, a.Port, b.DPID, b.Port))
	}
}

func (s *scene) changeSwitch(dpid netview.DPID, change func(*netview.Switch)) {
	s.facts.Update(func(tx *netview.FactsTx) {
		was, _ := tx.Switch(dpid)
		now := *was
		change(&now)
		tx.PutSwitch(&now)
	})
}
