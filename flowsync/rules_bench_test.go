package flowsync

import (
	"encoding/binary"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// paths are rule sets of six hops each over the fleet's switches, each with its own addresses.
func paths(n int) []*ruleset.Set {
	var do [3]*ruleset.Behaviour // shared, as intents have it
	for i := range do {
		do[i] = ruleset.Outputs(ruleset.AnyPort, uint32(4+i))
	}
	list := make([]*ruleset.Set, n)
	for i := range list {
		route := &ruleset.Route{}
		for hop := range 6 {
			route.Hops = append(route.Hops,
				&ruleset.Hop{DPID: netview.DPID((i*7 + hop*31) % fleetSwitches), In: uint32(1 + hop%3), Do: do[i%3]})
		}
		match := []byte{0x80, 0, 10, 2, 8, 0, 0x80, 0, 22, 4, 10, 0, 0, 0, 0x80, 0, 24, 4, 10, 0, 0, 0}
		binary.BigEndian.PutUint32(match[10:], uint32(i)|10<<24)
		binary.BigEndian.PutUint32(match[18:], uint32(i)|11<<24)
		list[i] = &ruleset.Set{
			Kind: plan.KindIntent, Number: uint32(i), Version: 1, Table: plan.TableForwarding, Priority: 20100,
			Legs: []ruleset.Leg{{Match: match, Route: route}},
		}
	}
	return list
}

// nullConn takes frames as a session does, by copying them, and keeps the barriers until it is told
// to answer.
type nullConn struct {
	frames   []byte
	count    int
	barriers []func(error)
	parts    [][]byte // of what the switch holds
}

func (c *nullConn) Send(uint64, int, ...openflow.Message) error { return nil }

func (c *nullConn) Gather() {}
func (c *nullConn) Write()  {}

func (c *nullConn) SendFrames(_ uint64, frames []byte, count int) error {
	c.frames = append(c.frames[:0], frames...)
	c.count += count
	return nil
}

func (c *nullConn) Barrier(answer func(error)) error {
	c.barriers = append(c.barriers, answer)
	return nil
}

func (c *nullConn) Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error {
	answer(nil, errAnswer)
	return nil
}

func (c *nullConn) MultipartParts(_ openflow.RequestBody, part func(openflow.Version, []byte) error,
	answer func(error)) (err error) {
	for _, p := range c.parts {
		if err == nil {
			err = part(openflow.V13, p)
		}
	}
	answer(err)
	return nil
}

// nullNet is a loop with switches that confirm everything.
type nullNet struct {
	loop  *Loop
	conns []*nullConn
	told  int
}

func newNullNet() *nullNet {
	n := &nullNet{}
	view := netview.New(netview.Limits{})
	n.loop = New(Config{NoMonitor: true, ReadEvery: 24 * time.Hour,
		OnOutcomes: func(list []ruleset.Outcome) { n.told += len(list) }}, view)
	for dpid := range netview.DPID(fleetSwitches) {
		c := &nullConn{}
		n.conns = append(n.conns, c)
		n.loop.SwitchUp(Address{dpid, epochs.Add(1)}, openflow.V13, 254, c)
	}
	n.settle()
	return n
}

// settle turns the loop until nothing waits.
func (n *nullNet) settle() {
	for busy := true; busy; {
		n.loop.Step(time.Time{})
		busy = false
		for _, c := range n.conns {
			for i, answer := range c.barriers {
				c.barriers[i] = nil
				answer(nil)
				busy = true
			}
			c.barriers = c.barriers[:0]
		}
	}
}

// orderAll orders all rules of all rule sets, or their removal, some rule sets at a time, and
// returns how many rules that is.
func (n *nullNet) orderAll(list []*ruleset.Set, remove bool, each int) (rules int) {
	var orders []ruleset.Order
	for len(list) > 0 {
		some := list[:min(each, len(list))]
		list = list[len(some):]
		orders = orders[:0]
		for _, p := range some {
			for rule := range p.Len() {
				orders = append(orders, ruleset.Order{Rules: p, Rule: uint16(rule), Remove: remove})
			}
		}
		n.loop.Order(orders)
		n.settle()
		rules += len(orders)
	}
	return rules
}

// BenchmarkOrders installs 1,000 paths of six hops beside 15,000 on 206 switches, and removes
// them: orders in, bytes on a connection, confirmations, outcomes. Both are counted.
func BenchmarkOrders(b *testing.B) {
	n := newNullNet()
	all := paths(16000)
	n.orderAll(all[:15000], false, 1000)
	more := all[15000:]
	b.ReportAllocs()
	rules, began := 0, processor()
	for b.Loop() {
		rules += n.orderAll(more, false, 1000)
		rules += n.orderAll(more, true, 1000)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rules), "ns/flow-mod")
	b.ReportMetric(float64(processor()-began)/float64(rules), "cpu-ns/flow-mod")
}

// processor is the time that this process has had of processors, so that what others do beside it
// does not count.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestOrderBudget holds an order to its allocations, all of a batch together, and to one message
// and one outcome.
func TestOrderBudget(t *testing.T) {
	need.NoRace(t)
	n := newNullNet()
	all := paths(12000)
	n.orderAll(all[:2000], false, 1000)
	more := all[2000:]
	n.orderAll(more, false, 10000)
	n.orderAll(more, true, 10000)
	n.told = 0
	rules := 0
	allocs := testing.AllocsPerRun(3, func() {
		rules += n.orderAll(more, false, 10000)
		rules += n.orderAll(more, true, 10000)
	})
	if n.told != rules {
		t.Errorf("%d outcomes of %d orders", n.told, rules)
	}
	if each := allocs * 4 / float64(rules); each > 0.1 { // AllocsPerRun runs once more than it counts
		t.Errorf("%.3f allocations an order", each)
	}
}

// listingOf is what switch 0 answers when it holds its rules of all rule sets, in parts as a switch
// sends them.
func listingOf(t testing.TB, list []*ruleset.Set) (parts [][]byte, count int) {
	var some openflow.FlowStatsList
	flush := func(more openflow.MultipartFlags) {
		body, err := (&openflow.MultipartReply{Flags: more, Body: &some}).Append(nil, openflow.V13)
		if err != nil {
			t.Fatal(err)
		}
		parts, some.Flows = append(parts, body), nil
	}
	for _, p := range list {
		for rule := range p.Len() {
			if _, hop := p.At(rule); hop.DPID != 0 {
				continue
			}
			r := p.Rule(rule, plan.DomainDefault, false)
			some.Flows = append(some.Flows,
				openflow.FlowStats{Table: r.Table, Priority: r.Priority, Cookie: r.Cookie + 1, Match: r.Match,
					Instructions: r.Instructions})
			if count++; len(some.Flows) == 400 {
				flush(openflow.MultipartMore)
			}
		}
	}
	flush(0)
	return parts, count
}

// at0 are rule sets with one rule each, at switch 0.
func at0(n int) []*ruleset.Set {
	list := paths(n)
	for _, p := range list {
		route := &ruleset.Route{Hops: []*ruleset.Hop{p.Legs[0].Route.Hops[0]}}
		route.Hops[0].DPID = 0
		p.Legs[0].Route = route
	}
	return list
}

// BenchmarkListing reads a switch that holds 30,000 rules of rule sets, as they should be, and
// compares: the session apart.
func BenchmarkListing(b *testing.B) {
	n := newNullNet()
	all := at0(30_000)
	n.orderAll(all, false, 1000)
	parts, count := listingOf(b, all)
	n.conns[0].parts = parts
	n.told = 0
	b.ReportAllocs()
	began := processor()
	for b.Loop() {
		n.loop.inbox.post(Check{0})
		n.settle()
	}
	if n.told > 0 || count != len(all) {
		b.Fatalf("%d rules listed, %d outcomes", count, n.told)
	}
	b.ReportMetric(float64(processor()-began)/float64(b.N)/float64(count), "cpu-ns/entry")
}

// TestRowMemory holds a rule of a rule set to the memory of its row.
func TestRowMemory(t *testing.T) {
	if size := unsafe.Sizeof(ruleRow{}); size != 16 {
		t.Errorf("a row is %d bytes", size)
	}
	n := newNullNet()
	const rules = 30_000
	n.orderAll(at0(rules), false, 1000)
	sw := n.loop.core.switches[0]
	p := &sw.rules
	waiting, ops := len(p.queue.check(t)), cap(sw.sending[0].ops)+cap(sw.sending[1].ops)
	if p.queue.spare != nil {
		waiting += cap(p.queue.spare.rows)
	}
	each := float64(cap(p.rows)*16+cap(p.index)*4+cap(p.free)*4+waiting*4+ops*16) / rules
	if each > 32 {
		t.Errorf("%.1f bytes a rule", each)
	}
}
