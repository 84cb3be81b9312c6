package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// Plan is what a run is made of. Everything of it follows from Seed; a shrunk plan has fewer
// events.
type Plan struct {
	Seed     uint64
	Version  openflow.Version
	Unknown  forward.Unknown
	Switches int
	Links    []LinkPlan
	Sockets  []int // their switches
	Hosts    []HostPlan
	Intents  int // that a user requests and changes
	Rules    int // that an application orders and changes
	Streams  []StreamPlan
	Offsets  []time.Duration // of the clocks of the instances of a cluster; none: one instance, without others
	Equal    bool            // instances ask switches for no role
	Events   []Event
}

// LinkPlan is a link between two switches.
type LinkPlan struct {
	A, B  int
	Delay time.Duration
}

// StreamPlan is frames that one host sends another all the time.
type StreamPlan struct{ From, To int }

// HostPlan is a host and the socket that it begins in.
type HostPlan struct {
	Socket int
	VLAN   uint16
	IPv6   bool
}

// Event is something that happens to the network: at a time, to the things with some numbers, for a
// while.
type Event struct {
	At, For time.Duration
	Kind    Kind
	A, B    int
}

// Kind is what happens.
type Kind uint8

// The kinds of events. A is a link, switch, host or socket, as the name says; B more, as told.
const (
	CutLink      Kind = iota // A: carrier is lost at both ends
	BreakPort                // of switch A, the B-th
	PowerOff                 // switch A: it comes back without tables
	CutControl               // of switch A, noticed by both ends
	LoseControl              // of switch A, noticed by nobody
	NoControl                // of switch A: cut, and no other while it lasts
	SlowControl              // of switch A: B ms, one way
	StallControl             // of switch A: it reads nothing
	KillInstance             // it comes back
	PauseInstance
	DeleteByHand // an entry of switch A, the B-th
	ChangeByHand // likewise
	AddByHand    // an entry of nobody to switch A
	EmptyByHand  // all entries of switch A
	DrainSwitch  // A
	DrainLink    // A
	WantRules    // of an operator, at switch A, B of them
	MoveHost     // A, to socket B
	Talk         // host A pings host B
	Shout        // host A broadcasts
	AskIntent    // number A, with a content that B says
	DropIntent   // number A
	StoreTrouble // of sort B: what is written meanwhile is perhaps not
	OrderRule    // number A of the application's, with a content that B says
	RemoveRule   // likewise, number A
	DeleteObject // a group or meter of switch A, the B-th
	ChangeObject // likewise
	HarmRule     // an entry of the application's at switch A, the B-th: deleted, or changed

	// Of a cluster. A is an instance: the owner, one of the others, another one. B: from the B-th of these.
	KillMember    // A: it comes back
	PauseMember   // A: its process does not run, and its connections stay open
	CutMembers    // A and another: neither hears the other
	CutOneWay     // A is not heard by another
	Isolate       // A is cut off from all others
	SlowMembers   // what A sends to another takes long
	TroubleMember // A: transactions of its member of the store fail in the way of sort B
	ReadIntent    // number A
	kinds
)

var kindNames = [kinds]string{
	"cut-link", "break-port", "power-off", "cut-control", "lose-control", "no-control", "slow-control",
	"stall-control", "kill-instance",
	"pause-instance", "delete-by-hand", "change-by-hand", "add-by-hand", "empty-by-hand", "drain-switch",
	"drain-link", "want-rules",
	"move-host", "talk", "shout", "ask-intent", "drop-intent", "store-trouble",
	"order-rule", "remove-rule", "delete-object", "change-object", "harm-rule",
	"kill-member", "pause-member", "cut-members", "cut-one-way", "isolate", "slow-members", "trouble-member", "read-intent",
}

// String is the event in a line: "12.345s cut-link 3 0 4.2s".
func (e Event) String() string {
	return fmt.Sprintf("%v %s %d %d %v", e.At, kindNames[e.Kind], e.A, e.B, e.For)
}

// weights are how often events of each kind are drawn.
var weights = [kinds]int{
	CutLink: 10, BreakPort: 4, PowerOff: 4, CutControl: 5, LoseControl: 3, NoControl: 4, SlowControl: 3,
	StallControl: 3, KillInstance: 4,
	PauseInstance: 3, DeleteByHand: 4, ChangeByHand: 3, AddByHand: 2, EmptyByHand: 2, DrainSwitch: 2, DrainLink: 2, WantRules: 3,
	MoveHost: 6, Talk: 16, Shout: 3,
}

// Size bounds the plans that are drawn.
type Size struct {
	Switches     int // at most
	Events       int // at most
	History      time.Duration
	Intents      int // intents at most
	IntentEvents int // events about intents at most, beside the others
	Rules        int // rules of an application at most
	RuleEvents   int // events about rules of an application, and their groups and meters, at most, beside the others
}

// Small is the size that finds most in a second.
var Small = Size{Switches: 7, Events: 24, History: 40 * time.Second}

// WithIntents is Small, with intents, and an application with rules.
var WithIntents = Size{Switches: 7, Events: 16, History: 40 * time.Second, Intents: 8, IntentEvents: 40, Rules: 12,
	RuleEvents: 40}

// NewPlan draws the plan of a seed.
func NewPlan(seed uint64, size Size) *Plan {
	r := rand.New(rand.NewPCG(seed, randPlan))
	p := &Plan{Seed: seed, Version: openflow.V13, Unknown: forward.UnknownController, Switches: 2 + r.IntN(size.Switches-1)}
	if r.IntN(4) == 0 {
		p.Version = openflow.V10
	}
	if r.IntN(4) == 0 {
		p.Unknown = forward.UnknownFlood
	}
	p.addLinks(r)
	p.lengthenLinks()
	p.addHosts(r)
	total := 0
	for _, w := range weights {
		total += w
	}
	for range 1 + r.IntN(size.Events) {
		p.Events = append(p.Events, p.event(r, total, size.History))
	}
	p.addIntentEvents(size)
	p.addRuleEvents(size)
	slices.SortStableFunc(p.Events, func(a, b Event) int { return int(a.At - b.At) })
	return p
}

// addIntentEvents draws requests of intents. It has random numbers of its own, so that plans
// without intents stay as they are.
func (p *Plan) addIntentEvents(size Size) {
	if size.Intents == 0 {
		return
	}
	r := rand.New(rand.NewPCG(p.Seed, randIntents))
	p.Intents = 1 + r.IntN(size.Intents)
	for range 1 + r.IntN(size.IntentEvents) {
		e := Event{At: time.Duration(r.Int64N(int64(size.History))).Round(time.Millisecond), Kind: AskIntent,
			A: r.IntN(p.Intents), B: r.IntN(1 << 16)}
		switch n := r.IntN(20); {
		case n < 5:
			e.Kind, e.B = DropIntent, 0
		case n == 5:
			e.Kind, e.A, e.B = StoreTrouble, 0, r.IntN(5)
			e.For = time.Duration(50*(1<<r.IntN(8))+r.IntN(1000)) * time.Millisecond
		}
		p.Events = append(p.Events, e)
	}
}

// addRuleEvents draws orders of an application, and harm to its rules, groups and meters in every other plan. Its random
// numbers are its own, as those of addIntentEvents.
func (p *Plan) addRuleEvents(size Size) {
	if size.Rules == 0 {
		return
	}
	r := rand.New(rand.NewPCG(p.Seed, randRules))
	p.Rules = 1 + r.IntN(size.Rules)
	harm := r.IntN(2) == 0
	for range 1 + r.IntN(size.RuleEvents) {
		e := Event{At: time.Duration(r.Int64N(int64(size.History))).Round(time.Millisecond), Kind: OrderRule,
			A: r.IntN(p.Rules), B: r.IntN(1 << 16)}
		switch n := r.IntN(20); {
		case n < 5:
			e.Kind, e.B = RemoveRule, 0
		case n < 11 && harm:
			e.Kind, e.A = []Kind{DeleteObject, ChangeObject, HarmRule}[n%3], r.IntN(p.Switches)
		}
		p.Events = append(p.Events, e)
	}
}

// drifts reports whether switches lose or change something that instances have written.
func (p *Plan) drifts() bool {
	return slices.ContainsFunc(p.Events, func(e Event) bool {
		switch e.Kind {
		case PowerOff, DeleteByHand, ChangeByHand, EmptyByHand, DeleteObject, ChangeObject, HarmRule:
			return true
		}
		return false
	})
}

// addLinks draws a tree of links, and some more.
func (p *Plan) addLinks(r *rand.Rand) {
	join := func(a, b int) {
		p.Links = append(p.Links, LinkPlan{a, b, time.Duration(20+r.IntN(980)) * time.Microsecond})
	}
	for i := 1; i < p.Switches; i++ {
		join(r.IntN(i), i)
	}
	for range r.IntN(p.Switches + 1) {
		if a, b := r.IntN(p.Switches), r.IntN(p.Switches); a != b {
			join(a, b)
		}
	}
}

// farEach: of so many seeds one has links as long as those of a wide network. Lots are of their
// own, so that the others stay as they are.
const farEach = 5

// lengthenLinks has links take tens of milliseconds: in a network that is changed as planned
// packets are in flight then.
func (p *Plan) lengthenLinks() {
	if p.Seed%farEach != 0 {
		return
	}
	r := rand.New(rand.NewPCG(p.Seed, randFarLinks))
	for i := range p.Links {
		p.Links[i].Delay = time.Duration(5+r.IntN(40)) * time.Millisecond
	}
}

// addHosts draws sockets and hosts: two at least, and room to move.
func (p *Plan) addHosts(r *rand.Rand) {
	for i := range p.Switches {
		for range 1 + r.IntN(2) {
			p.Sockets = append(p.Sockets, i)
		}
	}
	places := r.Perm(len(p.Sockets))
	v6 := r.IntN(4) == 0
	for _, s := range places[:min(2+r.IntN(5), max(len(places)-1, 2))] {
		p.Hosts = append(p.Hosts, HostPlan{Socket: s, IPv6: v6})
	}
}

// event draws an event.
func (p *Plan) event(r *rand.Rand, total int, history time.Duration) Event {
	e := Event{At: time.Duration(r.Int64N(int64(history))).Round(time.Millisecond)}
	for n := r.IntN(total); n >= 0; e.Kind++ {
		n -= weights[e.Kind]
	}
	e.Kind--
	e.For = time.Duration(50*(1<<r.IntN(9))+r.IntN(1000)) * time.Millisecond // 50 ms to 13 s
	e.A, e.B = r.IntN(1<<16), r.IntN(1<<16)
	switch e.Kind {
	case CutLink, DrainLink:
		e.A, e.B = e.A%len(p.Links), 0
	case MoveHost:
		e.A, e.B = e.A%len(p.Hosts), e.B%len(p.Sockets)
	case Talk:
		e.A, e.B = e.A%len(p.Hosts), e.B%len(p.Hosts)
	case Shout:
		e.A, e.B = e.A%len(p.Hosts), 0
	case KillInstance, PauseInstance:
		e.A, e.B = 0, 0
	case SlowControl:
		e.A, e.B = e.A%p.Switches, 1+e.B%2000
	case WantRules:
		e.A, e.B = e.A%p.Switches, e.B%20
	default:
		e.A %= p.Switches
	}
	return e
}

// topology is the plan's network, hosts left out.
func (p *Plan) topology() (*topo.Topology, error) {
	t := &topo.Topology{Name: "sim"}
	next := make([]uint32, p.Switches)
	for i := range p.Switches {
		t.Switches = append(t.Switches, topo.Switch{Name: fmt.Sprintf("s%d", i+1), DPID: uint64(i + 1)})
	}
	for i, l := range p.Links {
		next[l.A]++
		next[l.B]++
		spec := topo.LinkSpec{Delay: l.Delay}
		t.Links = append(t.Links, topo.Link{
			ID: fmt.Sprintf("l%d", i), A: topo.End{Switch: l.A, Port: next[l.A]},
			B: topo.End{Switch: l.B, Port: next[l.B]}, Forward: spec, Back: spec,
		})
	}
	return t, t.Check()
}

// String is the plan for people.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d switches, OpenFlow 1.%d, forward.unknown %s; links", p.Seed, p.Switches, p.Version-1, p.Unknown)
	for i, l := range p.Links {
		fmt.Fprintf(&b, " l%d:s%d-s%d", i, l.A+1, l.B+1)
	}
	b.WriteString("; sockets")
	for i, s := range p.Sockets {
		fmt.Fprintf(&b, " %d:s%d", i, s+1)
	}
	b.WriteString("; hosts")
	for i, h := range p.Hosts {
		fmt.Fprintf(&b, " h%d:%d", i+1, h.Socket)
	}
	for _, s := range p.Streams {
		fmt.Fprintf(&b, "; stream h%d-h%d", s.From+1, s.To+1)
	}
	for _, e := range p.Events {
		fmt.Fprintf(&b, "\n  %s", e)
	}
	return b.String()
}
