//go:build real

package flowsync

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// engineSeed is set in a process that is an engine to be killed: it changes its orders by this seed; 0: it does not.
const engineSeed = "WEIR_ENGINE_SEED"

// TestObjectsOverKill kills the process that has the engine (signal 9), and starts another one with the same orders. If
// it was at rest the next one writes nothing: it knows groups and meters by their contents. If it was installing, removing
// and changing rules, and somebody else spoiled groups and meters before the next one came, what differs is written and
// nothing else, and the switch has what is wanted, no other group or meter, and none twice.
func TestObjectsOverKill(t *testing.T) {
	var seed uint64
	if _, err := fmt.Sscan(os.Getenv(engineSeed), &seed); err == nil {
		beEngine(t, seed)
		return
	}
	t.Parallel()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		k := &killed{realSwitch{engine: &engine{t: t, v: openflow.V13}, lab: l, ovs: l.StartOVS()}}
		k.ovs.AddBridge("s1", 1, "1.3", "tcp:127.0.0.1:1")
		e := k.start(0)
		k.settled(e)
		want := k.holdings()
		if rules := killedOrders + len(Infrastructure(1, k.v, 254)); len(want.rules) != rules ||
			len(want.groups) != killedGroups || len(want.meters) != killedMeters {
			t.Fatalf("of %d rules, %d groups and %d meters the switch has %+v", rules, killedGroups, killedMeters, want)
		}
		k.kill(e)
		k.next(want)

		spoils := []string{"", "del-groups s1", "mod-group s1 group_id=GROUP,type=indirect,bucket=output:9",
			"add-group s1 group_id=1049999,type=indirect,bucket=output:3", "del-meter s1 meter=METER"}
		random, found := rand.New(rand.NewPCG(1, 2)), 0
		for round := range 2 * len(spoils) {
			e := k.start(uint64(round + 1))
			l.Eventually(time.Minute, "a session", func() bool { return k.said(e).Connected })
			time.Sleep(time.Duration(random.IntN(80)) * time.Millisecond) // until the fault
			k.kill(e)
			k.spoil(spoils[round%len(spoils)])
			found += k.next(want)
		}
		if found == 0 {
			t.Error("no kill left anything to do")
		}
	})
}

// TestObjectsOverRestartOfSwitch kills Open vSwitch, which comes back with nothing: at rest, all is written once, and
// nothing before what it uses, which the switch would refuse; while rules are installed, removed and changed, the switch
// has in the end what is wanted, no other group or meter, and none twice.
func TestObjectsOverRestartOfSwitch(t *testing.T) {
	t.Parallel()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		told := newOutcomes()
		r := newRealSwitchWith(t, l, openflow.V13, Config{OnOutcomes: told.add, LieWindow: time.Nanosecond})
		r.loop.Order(ordersToKill(t))
		l.Eventually(time.Minute, "all is installed", func() bool { return told.of(ruleset.Installed) == killedOrders })
		want, sent := r.holdings(), r.counters()
		restart := func() {
			r.ovs.Switches.Kill()
			r.ovs.StartSwitches()
		}
		asWanted := func() bool { return r.isSettled() && r.holdings().equal(want) }
		restart()
		l.Eventually(time.Minute, "all is put back", asWanted)
		now := r.counters()
		if now.FlowMods-sent.FlowMods != uint64(len(want.rules)) || now.GroupMods-sent.GroupMods != killedGroups ||
			now.MeterMods-sent.MeterMods != killedMeters {
			t.Errorf("it sent %+v, before %+v", now, sent)
		}
		random := rand.New(rand.NewPCG(3, 4))
		for range 8 {
			began, fault := time.Now(), time.Duration(random.IntN(80))*time.Millisecond
			for time.Since(began) < fault {
				r.loop.Order(someChanges(t, random))
			}
			restart()
			r.loop.Order(append(ordersToKill(t), othersRemoved(t)...))
			l.Eventually(time.Minute, "all is as it is wanted", asWanted)
		}
		if got := r.counters().Refused; got > 0 {
			t.Errorf("the switch refused %d messages", got)
		}
	})
}

// What killable engines order, and what groups and meters that takes.
const (
	killedOrders = 24
	killedGroups = 4 + 4 + 4 + 6 // fast failover, all, select; of type indirect, which those of type all use, too
	killedMeters = 4 + 4
)

// ordersToKill are what killable engines order.
func ordersToKill(t *testing.T) (list []ruleset.Order) {
	for i := range uint32(killedOrders) {
		list = append(list, orderWithObjects(t, i+1, false, usesOfObjects(t, openflow.V13, i/6)[i%6]))
	}
	return list
}

// engineState is what a killable engine prints when it changes.
type engineState struct {
	Connected                      bool
	Settled                        bool // has long been as wanted
	FlowMods, GroupMods, MeterMods uint64
	Refused                        uint64
}

// beEngine is a process that is an engine, until it is killed.
func beEngine(t *testing.T, seed uint64) {
	told := newOutcomes()
	r := newEngine(t, openflow.V13, Config{OnOutcomes: told.add})
	r.facts.Update(func(tx *netview.FactsTx) { tx.SetSettled() })
	wanted := ordersToKill(t)
	r.loop.Order(wanted)
	r.listen()
	random, quiet := rand.New(rand.NewPCG(seed, 1)), 0
	for last := (engineState{Settled: true}); ; time.Sleep(time.Millisecond) {
		var now engineState
		r.loop.Ask(func(core *Core) {
			c := core.Counters()
			now = engineState{FlowMods: c.FlowMods, GroupMods: c.GroupMods, MeterMods: c.MeterMods, Refused: c.Refused,
				Connected: core.Statuses()[0].Connected}
		})
		if quiet++; !r.isSettled() {
			quiet = 0
		}
		now.Settled = quiet > 200
		if now != last {
			text, _ := json.Marshal(now)
			fmt.Printf("%s\n", text)
			last = now
		}
		if seed > 0 && now.Connected {
			r.loop.Order(someChanges(t, random))
		}
	}
}

// someChanges are orders for others than ordersToKill are for, and in the places of these.
func someChanges(t *testing.T, random *rand.Rand) (list []ruleset.Order) {
	for range 1 + random.IntN(6) {
		uses := usesOfObjects(t, openflow.V13, random.Uint32N(5))
		number, remove := 1+random.Uint32N(2*killedOrders), random.IntN(3) == 0
		list = append(list, orderWithObjects(t, number, remove, uses[random.IntN(len(uses))]))
	}
	return list
}

// othersRemoved are orders to remove what someChanges may have ordered besides.
func othersRemoved(t *testing.T) (list []ruleset.Order) {
	for i := range uint32(killedOrders) {
		list = append(list, orderWithObjects(t, killedOrders+i+1, true, usesOfObjects(t, openflow.V13, 0)[0]))
	}
	return list
}

// killed is a switch whose engine is another process.
type killed struct{ realSwitch }

func (k *killed) start(seed uint64) *netlab.Process {
	e := k.lab.Start("env", fmt.Sprintf("%s=%d", engineSeed, seed), os.Args[0], "-test.run=^TestObjectsOverKill$")
	k.lab.Eventually(time.Minute, "an engine listens", func() bool { return strings.Contains(e.Output(), "\n") })
	k.ovs.Vsctl("set-controller", "s1", "tcp:"+realController)
	return e
}

// kill kills an engine. The switch calls nobody until the next one listens: by itself it would wait for seconds.
func (k *killed) kill(e *netlab.Process) {
	e.Kill()
	k.ovs.Vsctl("set-controller", "s1", "tcp:127.0.0.1:1")
}

// said is what an engine has printed last.
func (k *killed) said(e *netlab.Process) (s engineState) {
	lines := strings.Split(e.Output(), "\n")
	if len(lines) > 1 {
		if err := json.Unmarshal([]byte(lines[len(lines)-2]), &s); err != nil {
			k.t.Fatalf("%v: %s", err, lines[len(lines)-2])
		}
	}
	return s
}

func (k *killed) settled(e *netlab.Process) engineState {
	k.lab.Eventually(time.Minute, "an engine has all as it is wanted", func() bool { return k.said(e).Settled })
	return k.said(e)
}

// next starts an engine, and kills it at rest: it has written what differed, whose number is returned.
func (k *killed) next(want holdings) int {
	k.t.Helper()
	k.atRest()
	before := k.holdings()
	e := k.start(0)
	did := k.settled(e)
	flows := difference(want.rules, before.rules) + difference(placesOf(before.rules), placesOf(want.rules))
	groups := difference(want.groups, before.groups) + difference(before.groups, want.groups)
	meters := difference(want.meters, before.meters) + difference(before.meters, want.meters)
	if did.FlowMods != uint64(flows) || did.GroupMods != uint64(groups) || did.MeterMods != uint64(meters) || did.Refused > 0 {
		k.t.Errorf("%d rules, %d groups and %d meters differed, and it did %+v", flows, groups, meters, did)
	}
	if now := k.holdings(); !now.equal(want) {
		k.t.Errorf("the switch has\n%+v\nwant\n%+v", now, want)
	}
	k.kill(e)
	return flows + groups + meters
}

// spoil has somebody change groups and meters, if the command is not empty.
func (k *killed) spoil(command string) {
	k.t.Helper()
	if k.atRest(); command == "" {
		return
	}
	group := lineOfGroup.FindStringSubmatch(k.ofctl("dump-groups", "s1"))[1]
	meter := lineOfMeter.FindStringSubmatch(k.ofctl("dump-meters", "s1"))[1]
	k.ofctl(strings.Fields(strings.NewReplacer("GROUP", group, "METER", meter).Replace(command))...)
}

// atRest waits until the switch has done what a killed engine has sent.
func (k *killed) atRest() {
	last := holdings{}
	k.lab.Eventually(time.Minute, "the switch is at rest", func() bool {
		now := k.holdings()
		defer func() { last = now }()
		return now.equal(last)
	})
}

// holdings are what a switch lists, in order, with contents of groups and meters in the places of their numbers.
type holdings struct{ rules, groups, meters []string }

func (h holdings) equal(other holdings) bool {
	return slices.Equal(h.rules, other.rules) && slices.Equal(h.groups, other.groups) && slices.Equal(h.meters, other.meters)
}

var (
	lineOfRule  = regexp.MustCompile(`(?m)^ cookie=(\S+), (.*)$`)
	lineOfGroup = regexp.MustCompile(`(?m)^ group_id=(\d+),(.*)$`)
	lineOfMeter = regexp.MustCompile(`(?m)^meter=(\d+) (.*\n.*)$`)
	reference   = regexp.MustCompile(`\b(?:group|meter):\d+`)
)

// holdings reads what the switch has. Open vSwitch lists references to groups and meters as kind:number.
func (r *realSwitch) holdings() (h holdings) {
	contents := map[string]string{}
	for kind, pattern := range map[string]*regexp.Regexp{"group": lineOfGroup, "meter": lineOfMeter} {
		for _, m := range pattern.FindAllStringSubmatch(r.ofctl("dump-"+kind+"s", "s1"), -1) {
			contents[kind+":"+m[1]] = m[2]
		}
	}
	var resolve func(string) string
	resolve = func(text string) string {
		return reference.ReplaceAllStringFunc(text, func(of string) string { return "(" + resolve(contents[of]) + ")" })
	}
	for of, text := range contents {
		if strings.HasPrefix(of, "group") {
			h.groups = append(h.groups, resolve(text))
		} else {
			h.meters = append(h.meters, text)
		}
	}
	for _, m := range lineOfRule.FindAllStringSubmatch(r.ofctl("--no-stats", "dump-flows", "s1"), -1) {
		h.rules = append(h.rules, resolve(m[2]))
	}
	slices.Sort(h.rules)
	slices.Sort(h.groups)
	slices.Sort(h.meters)
	return h
}

// placesOf are those of rules.
func placesOf(rules []string) (places []string) {
	for _, r := range rules {
		place, _, _ := strings.Cut(r, " actions=")
		places = append(places, place)
	}
	return places
}

// difference counts what is in a list and not in another one.
func difference(list, other []string) (n int) {
	count := map[string]int{}
	for _, s := range other {
		count[s]++
	}
	for _, s := range list {
		if count[s]--; count[s] < 0 {
			n++
		}
	}
	return n
}
