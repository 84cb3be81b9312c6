package netlab

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Traffic is hosts of a network that speak to each other all the time, so that every packet lost is
// counted: pings at a fast rate, pings so rare that neighbour entries have expired in between,
// streams. Beside them a control pair speaks over a bridge that no controller has anything to do
// with: what is lost there, the machine has lost.
type Traffic struct {
	lab     *Lab
	ovs     *OVS
	pings   []*observed
	rare    []*Rare
	before  []Count // of rare, when Baseline was called
	control *observed
}

// observed is a ping of which the packets after the base count.
type observed struct {
	*Pinger
	name     string
	interval time.Duration
	base     int // sequence number
	old      int // answers that had come twice
}

const controlBridge = "control"

// standstill is a round trip of the control pair, usually of less than a millisecond, that says
// that nobody's packets moved for so long. Hosts wait for neighbours in steps of a second.
const standstill = 500 * time.Millisecond

// StartTraffic makes the control pair. It is called once an Open vSwitch.
func (o *OVS) StartTraffic() *Traffic {
	l := o.lab
	l.t.Helper()
	o.AddBridge(controlBridge, 0xc0ffee, "1.3")
	a, b := o.AddHost(controlBridge, 1), o.AddHost(controlBridge, 2)
	t := &Traffic{lab: l, ovs: o}
	t.RestoreControl()
	t.control = &observed{Pinger: a.StartPing(b.IP4, 50*time.Millisecond), name: "control pair", interval: 50 * time.Millisecond}
	return t
}

// RestoreControl gives the control pair's bridge its rules, again where its daemon was started
// anew.
func (t *Traffic) RestoreControl() {
	t.lab.t.Helper()
	t.ovs.Ofctl("1.3", "add-flow", controlBridge, "in_port=1,actions=output:2")
	t.ovs.Ofctl("1.3", "add-flow", controlBridge, "in_port=2,actions=output:1")
}

// Ping adds a ping between two hosts.
func (t *Traffic) Ping(from, to *Host, six bool, interval time.Duration) {
	t.lab.t.Helper()
	address := to.Addr(six)
	t.pings = append(t.pings, &observed{Pinger: from.StartPing(address, interval), name: name(from, address), interval: interval})
}

// Rare adds a ping that is sent once a period.
func (t *Traffic) Rare(from, to *Host, six bool, period time.Duration) {
	t.lab.t.Helper()
	t.rare = append(t.rare, from.StartRare(to.Addr(six), period))
}

func name(from *Host, to netip.Addr) string { return fmt.Sprintf("%s→%s", from.Name, to) }

// settle waits until ten requests more of each ping are answered, and one more of each rare pair, begun after the call,
// is answered or counted as lost: what came before is settled then, and the pairs that know no neighbour are asked too.
func (t *Traffic) settle() {
	t.lab.t.Helper()
	var begun []int
	for _, r := range t.rare {
		begun = append(begun, r.Begun())
	}
	var pings []*Pinger
	for _, p := range append(t.pings, t.control) {
		pings = append(pings, p.Pinger)
	}
	AwaitAll(pings, 10, 60*time.Second)
	for i, r := range t.rare {
		t.lab.Eventually(60*time.Second, r.name+" is asked", func() bool { return r.Count().Sent > begun[i] })
	}
}

// Baseline waits until everybody was answered several times, and counts from now on. What is under
// way when it is called again, after a fault, does not count.
func (t *Traffic) Baseline() {
	t.lab.t.Helper()
	t.settle()
	t.before = nil
	for _, r := range t.rare {
		t.lab.Eventually(60*time.Second, r.name+" is answered", func() bool { return r.Count().Received > 0 })
		t.before = append(t.before, r.Count())
	}
	for _, p := range append(t.pings, t.control) {
		p.base, p.old = p.Latest(), p.Twice()
	}
	t.control.Slowest()
}

// Lost waits until everybody is answered again, so that what came before is settled, and says which
// packets were lost since Baseline: nil for none. None is forgiven. When the control pair lost some
// too, the machine has lost packets, which the fault then says.
func (t *Traffic) Lost() []string {
	t.lab.t.Helper()
	return t.LostMore(func(time.Duration) int { return 0 })
}

// LostMore is Lost for a fault that costs what is in flight: a ping that is sent every interval
// may have lost as many as allowed says.
func (t *Traffic) LostMore(allowed func(interval time.Duration) int) (faults []string) {
	t.lab.t.Helper()
	t.settle()
	sent, lost := 0, 0
	for _, p := range t.pings {
		gaps, twice := p.lost(), p.Twice()-p.old
		sent, lost = sent+p.Latest()-p.base, lost+len(gaps)
		if len(gaps) > allowed(p.interval) || twice > 0 {
			faults = append(faults, fmt.Sprintf("%s: lost %d of %d, allowed are %d: %v; %d came twice", p.name,
				len(gaps), p.Latest()-p.base,
				allowed(p.interval), gaps, twice))
		}
	}
	for i, r := range t.rare {
		now, before := r.Count(), t.before[i]
		sent, lost = sent+now.Sent-before.Sent, lost+now.Lost()-before.Lost()
		if n := now.Lost() - before.Lost(); n > allowed(r.period) || now.Duplicates > before.Duplicates {
			faults = append(faults, fmt.Sprintf("%s: lost %d of %d; %d came twice", r.name, n, now.Sent-before.Sent,
				now.Duplicates-before.Duplicates))
		}
	}
	machine, slowest := len(t.control.lost()), t.control.Slowest()
	t.lab.t.Logf("%d pings of %d pairs: %d lost; control pair: %d of %d lost, round trips of up to %s", sent,
		len(t.pings)+len(t.rare), lost, machine, t.control.Latest()-t.control.base, slowest)
	if len(faults) > 0 {
		faults[0] += "; drops of the datapath: " + t.drops()
		if machine > 0 {
			faults[0] += fmt.Sprintf(
				"; the control pair, which no controller has to do with, lost %d: this machine loses packets", machine)
		}
		if slowest >= standstill {
			faults[0] += fmt.Sprintf(
				"; the control pair waited up to %s: this machine stood still, and hosts gave up what they waited for", slowest)
		}
	}
	return faults
}

// lost are the sequence numbers since the base without an answer.
func (p *observed) lost() (seqs []int) {
	for _, seq := range p.Gaps() {
		if seq > p.base {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}

// dropTotal matches the total of a counter of packets that Open vSwitch has dropped since it could
// not ask itself about them.
var dropTotal = regexp.MustCompile(`datapath_drop_(?:upcall|lock)_error .*total: (\d+)`)

// Dropped is how many packets Open vSwitch counts as dropped by itself: where a port comes
// or goes its datapath takes no upcalls for a moment.
func (n *Network) Dropped() (packets int) {
	for _, m := range dropTotal.FindAllStringSubmatch(n.Switches[0].ovs.Appctl("coverage/show"), -1) {
		total, _ := strconv.Atoi(m[1])
		packets += total
	}
	return packets
}

// fullQueue matches a packet socket and how many packets were dropped because its queue was full.
var fullQueue = regexp.MustCompile(`\*:(\S+)[^\n]*(?:\n\s[^\n]*)?,d([1-9]\d*)\)`)

// drops are the counters of packets that Open vSwitch has dropped, by cause, and the interfaces at
// which it did not come to read what came in: a broadcast that circles fills the queue of one.
func (t *Traffic) drops() string {
	var lines []string
	for _, m := range fullQueue.FindAllStringSubmatch(t.lab.Run("ss", "-0", "-n", "-m"), -1) {
		lines = append(lines, fmt.Sprintf("%s at %s, whose queue was full", m[2], m[1]))
	}
	for line := range strings.Lines(t.ovs.Appctl("coverage/show")) {
		if strings.Contains(line, "drop") {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return strings.Join(lines, "; ")
}
