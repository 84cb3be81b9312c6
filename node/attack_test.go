package node_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/session/pipe"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/tenancy"
	"github.com/weirnet/weir/tenant/vswitch"
)

// Owners of hosts, and of the marks of frames. Frames of stray are in red's space, and come in where nobody has them.
const (
	red    = "red"
	blue   = "blue"
	green  = "green"
	nobody = "nobody"
	stray  = "stray"
)

// hostOwners are whose the five hosts of each switch are.
var hostOwners = [...]string{red, blue, nobody, green, blue}

// numbers are those of the tenants.
var numbers = map[string]uint16{red: 1, blue: 2, green: 3}

const markBegin = "[mark of "

// mark ends the frames of an owner.
func mark(owner string) []byte { return fmt.Appendf(nil, markBegin+"%s]", owner) }

// markOf is the owner whose mark a frame or a message has; "" if it has none.
func markOf(b []byte) string {
	at := bytes.LastIndex(b, []byte(markBegin))
	if at < 0 {
		return ""
	}
	for _, owner := range []string{red, blue, green, nobody, stray} {
		if bytes.HasPrefix(b[at:], mark(owner)) {
			return owner
		}
	}
	return ""
}

// attack is an instance of which tenants red and green are hostile. Red and blue share links and have spaces of many fields,
// which overlap; green has its hosts' ports, and all that comes in there. Blue's controller keeps to itself.
type attack struct {
	t       *testing.T
	form    attackForm
	weir    *instance
	net     *emu.Network
	tenants *tenancy.Tenancies
	all     *tenant.Tenants // of which Set was told
	frames  *vswitch.Frames
	floods  bool // Weir floods what is nobody's
	victim  *victim

	mu        sync.Mutex // guards what follows
	leaks     map[string]int
	delivered map[string]int // marked frames that reached hosts, by mark
	local     map[[2]int]int // frames of the victim's hosts, by host from and to
}

// attackForm says on what an attack is made.
type attackForm struct {
	version  openflow.Version            // of physical switches
	speaks   map[string]openflow.Version // attackers
	role     string
	messages int // of each attacker
	seed     uint64
	reactive bool // the tenants may be
}

func newAttack(t *testing.T, form attackForm) *attack {
	t.Helper()
	top, err := topo.Parse("linear:3,hosts=5", 1)
	if err != nil {
		t.Fatal(err)
	}
	if form.version == openflow.V13 {
		top.Switches[1].Profile = &profile.Profile{Tables: profile.Tables{Count: 1}}
	}
	for i := range top.Hosts {
		top.Hosts[i].At.Port = uint32(1 + i%len(hostOwners))
	}
	for i := range top.Links { // what is sent round and round takes so much of the machine and no more
		top.Links[i].A.Port, top.Links[i].B.Port = 7, 6
		for _, spec := range []*topo.LinkSpec{&top.Links[i].Forward, &top.Links[i].Back} {
			spec.RateBPS = 10_000_000
		}
	}
	a := &attack{t: t, form: form, all: tenant.New(), floods: form.role != "hypervisor", leaks: make(map[string]int),
		delivered: make(map[string]int), local: make(map[[2]int]int)}
	ln := pipe.Listen("weir")
	a.weir = start(t, usual, func(c *node.Config) {
		c.Pipes, c.Role = ln, form.role
		c.Tenants = func(tenants *tenancy.Tenancies) { a.tenants = tenants }
	})
	a.net, err = emu.New(emu.Config{Topology: top, Versions: []openflow.Version{form.version}, Seed: 1, Silent: true,
		Controllers: []string{"weir"}, Dial: func(ctx context.Context, _ string) (net.Conn, error) { return ln.Dial(ctx) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := a.net.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	for i, sw := range a.net.Switches() {
		for _, port := range sw.Ports() {
			to := ""
			if port <= uint32(len(hostOwners)) {
				to = hostOwners[port-1]
			}
			if _, err := sw.Capture(port, func(_ time.Time, way emu.CaptureKind, frame []byte) {
				a.look(i, port, to, way, frame)
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := a.net.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

// look looks at a frame that passes a port: of a switch by its index, and of a host's owner if there is a host.
func (a *attack) look(sw int, port uint32, to string, way emu.CaptureKind, frame []byte) {
	owner := markOf(frame)
	if owner == "" {
		return
	}
	discovery := len(frame) >= 14 && frame[12] == 0x88 && frame[13] == 0xcc
	a.mu.Lock()
	defer a.mu.Unlock()
	leak := func(what string) {
		if a.leaks[what]++; a.leaks[what] < 4 {
			a.t.Logf("%s: at switch %d, port %d, way %d: %x", what, sw+1, port, way, frame)
		}
	}
	switch {
	case (owner == red || owner == blue) && !discovery && a.frames != nil && a.frames.Owner(frame) != numbers[owner]:
		leak("a frame of " + owner + "'s is out of its space")
	case to == "" && owner == green:
		leak("a frame of green's is on a link")
	case way != emu.Sent || to == "":
		return
	case owner == nobody && a.floods && to != green:
	case owner != to:
		leak("a frame of " + owner + "'s reaches a host of " + to + "'s")
	}
	a.delivered[owner]++
	if owner == blue {
		var from, at int
		if _, err := fmt.Sscanf(string(frame[packet.EthernetLen+28:]), "from %d to %d", &from, &at); err == nil {
			a.local[[2]int{from, at}]++
		}
	}
}

// define makes the tenants with these names and controllers, and those that there are already. No name: there are none.
func (a *attack) define(controllers map[string][]tenant.Controller) {
	a.t.Helper()
	all := tenant.New()
	for _, name := range []string{red, blue, green} {
		to, has := controllers[name]
		if !has {
			continue
		}
		d := tenant.Definition{Name: name, Number: numbers[name], Controllers: to, Reactive: a.form.reactive}
		for i, sw := range a.net.Switches() {
			for _, port := range a.portsOf(name, i) {
				d.Ports = append(d.Ports, netview.Point{DPID: netview.DPID(sw.DatapathID()), Port: port})
			}
		}
		for _, r := range map[string][]string{
			red: {"10 eth_src 02:00:00:00:00:01", "30 vlan_vid 1", "20 eth_type 0x0800 ipv4_dst 10.0.1.1", "22 eth_type 0x88cc"},
			blue: {"11 eth_src 02:00:00:00:00:02", "35 vlan_vid 1 eth_type 0x0806", "33 vlan_vid 2",
				"25 eth_type 0x0800 ip_proto 6 tcp_dst 80", "21 eth_type 0x0800 ipv4_dst 10.0.0.0/255.255.255.0"},
		}[name] {
			words := strings.Fields(r)
			region := tenant.Region{}
			if _, err := fmt.Sscan(words[0], &region.Priority); err != nil {
				a.t.Fatal(err)
			}
			for i := 1; i < len(words); i += 2 {
				if err := region.Match.SetText(words[i], words[i+1]); err != nil {
					a.t.Fatal(err)
				}
			}
			d.Space = append(d.Space, region)
		}
		if err := all.Put(d); err != nil {
			a.t.Fatal(err)
		}
	}
	frames, err := vswitch.NewFrames(all)
	if err != nil {
		a.t.Fatal(err)
	}
	a.mu.Lock()
	a.all, a.frames = all, frames
	a.mu.Unlock()
	a.tenants.Set(all)
}

// awaitPorts waits until the tenants' switches have all ports.
func (a *attack) awaitPorts() {
	a.t.Helper()
	for _, d := range a.all.All() {
		a.weir.await(d.Name+"'s ports", func() bool {
			n := 0
			list, _ := a.tenants.State(d.Name)
			for i := range list {
				n += len(list[i].Ports)
			}
			return n == len(d.Ports)
		})
	}
}

// hosts returns the indexes of an owner's hosts.
func (a *attack) hosts(of string) (list []int) {
	for i, h := range a.net.Hosts() {
		if hostOwners[h.Spec().At.Port-1] == of {
			list = append(list, i)
		}
	}
	return list
}

// send has a host send a frame.
func (a *attack) send(from int, frame []byte) {
	a.net.Hosts()[from].Do(func(_ *host.Host, _ time.Duration, out host.Output) { out.Send(frame) })
}

// frameOf is a frame of an owner's host.
func (a *attack) frameOf(owner string, from, to int) []byte {
	k := packet.Key{EthDst: a.net.Hosts()[to].Spec().MAC, EthSrc: packet.MAC{2, 0, 0, 0, 0, 1}, EtherType: packet.TypeIPv4,
		TTL: 9, SrcPort: 7, DstPort: 9, IPSrc: packet.AddrFrom4([4]byte{10, 9, 0, 1}),
		IPDst: packet.AddrFrom4([4]byte{10, 9, 0, 2})}
	switch owner {
	case blue:
		k.EthSrc[5] = 2
	case nobody:
		k.EthSrc = a.net.Hosts()[from].Spec().MAC
	}
	return append(packet.AppendUDP(nil, &k, fmt.Appendf(nil, "from %d to %d ", from, to)), mark(owner)...)
}

// traffic has the hosts of all send until stop is called, which returns how many frames each pair of the victim's hosts at
// one switch has sent.
func (a *attack) traffic() (stop func() map[[2]int]int) {
	end, ended := make(chan struct{}), make(chan map[[2]int]int)
	go func() {
		sent := make(map[[2]int]int)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-end:
				ended <- sent
				return
			case <-tick.C:
			}
			for _, pair := range a.pairs() {
				a.send(pair[0], a.frameOf(blue, pair[0], pair[1]))
				sent[pair]++
			}
			for _, owner := range []string{red, green, nobody} {
				list := a.hosts(owner)
				a.send(list[n%3], a.frameOf(owner, list[n%3], list[(n+1)%3]))
			}
			strange := a.frameOf(red, a.hosts(nobody)[n%3], a.hosts(red)[n%3])
			a.send(a.hosts(nobody)[n%3], append(strange[:len(strange)-len(mark(red))], mark(stray)...))
		}
	}()
	return func() map[[2]int]int {
		close(end)
		return <-ended
	}
}

// pairs are those of the victim's hosts that are at one switch.
func (a *attack) pairs() (list [][2]int) {
	hosts := a.hosts(blue)
	for i := 0; i < len(hosts); i += 2 {
		list = append(list, [2]int{hosts[i], hosts[i+1]}, [2]int{hosts[i+1], hosts[i]})
	}
	return list
}

// arrived is how many of the victim's frames have arrived at one switch, from and to its own hosts.
func (a *attack) arrived() map[[2]int]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.local)
}

// rules are the entries of a tenant at the switches, as text, with how many packets they have counted. Those that tell its
// packets from others' are not among them.
func (a *attack) rules(name string) map[string]uint64 {
	list := make(map[string]uint64)
	for _, sw := range a.net.Switches() {
		for _, f := range sw.Flows(openflow.V13) {
			c := plan.Decode(f.Cookie)
			if tenant, row := plan.TenantRow(c.Owner); c.Kind != plan.KindTenant || tenant != numbers[name] || row == 0 {
				continue
			}
			rule := fmt.Sprintf("%s table %d priority %d %s %v", sw.Name(), f.Table, f.Priority, f.Match, f.Instructions)
			list[rule] = f.Packets
		}
	}
	return list
}

// compareRules wants the victim's rules as they were, and to have counted so many packets more.
func (a *attack) compareRules(before, after map[string]uint64, sent int) {
	counted := uint64(0)
	for rule, n := range after {
		was, had := before[rule]
		if counted += n - was; !had || n < was {
			a.t.Errorf("the victim has the rule %s, which it had not before (%t), or which counted %d packets, and then %d",
				rule, !had, was, n)
		}
	}
	if len(before) != len(after) || counted != uint64(sent) {
		a.t.Errorf("the victim had %d rules, and has %d, which have counted %d of %d packets", len(before), len(after), counted, sent)
	}
}

// checkSwitches waits until the switches have what is wanted.
func (a *attack) checkSwitches() {
	a.t.Helper()
	a.weir.await("the switches to have what is wanted", func() bool {
		return must[client.Check](a.weir)(a.weir.api.Check(a.t.Context())).Agrees
	})
}

// quiet returns the victim's rules when nothing of its is on its way any more.
func (a *attack) quiet() (list map[string]uint64) {
	for same := 0; same < 20; same++ {
		was := list
		if list = a.rules(blue); !maps.Equal(list, was) {
			same = 0
		}
		time.Sleep(poll)
	}
	return list
}

// attackers are the hostile tenants.
var attackers = []string{red, green}

// run makes the attack, and checks that it harmed those who made it only.
func (a *attack) run() {
	t := a.t
	a.victim = newVictim(a)
	a.define(map[string][]tenant.Controller{blue: a.victim.at()})
	a.awaitPorts()
	a.victim.install()
	a.checkSwitches() // which leaves a connection to the API
	goroutines := runtime.NumGoroutine()

	to := map[string][]tenant.Controller{blue: a.victim.at()}
	hostile := make(map[string]*attacker)
	for _, name := range attackers {
		hostile[name] = newAttacker(a, name, a.form)
		to[name] = hostile[name].at()
	}
	a.define(to)
	a.awaitPorts()
	a.weir.await("the rules to be there", func() bool { return a.calm(blue) })
	a.checkVictim("before the attack")
	before, changes := a.quiet(), a.victim.portChanges()

	stop := a.traffic()
	was := a.arrived()
	for _, x := range hostile {
		x.begin()
	}
	for _, x := range hostile {
		x.end()
	}
	sent := stop()
	t.Logf("%v", a.summary(hostile))
	all := 0
	for pair, n := range sent {
		all += n
		a.weir.await(fmt.Sprintf("what host %d sent to host %d: %d frames", pair[0], pair[1], n),
			func() bool { return a.arrived()[pair]-was[pair] == n })
	}
	a.weir.await("the attackers' rules to be settled", func() bool { return a.calm(red) && a.calm(green) })
	if a.victim.portChanges() == changes {
		a.compareRules(before, a.rules(blue), all)
	} else { // bandwidth is not limited here: attackers have filled a link, and discovery did not hear its probes
		t.Log("a link was lost, and with it ports of all tenants")
		a.awaitPorts()
		a.weir.await("the victim's rules", func() bool {
			return slices.Equal(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(a.rules(blue))))
		})
	}
	a.checkSwitches()
	a.checkVictim("after the attack")
	a.victim.check()

	a.define(map[string][]tenant.Controller{blue: a.victim.at()})
	a.weir.await("the attackers' rules to be gone", func() bool {
		left := 0
		for _, name := range attackers {
			left += len(a.rules(name))
		}
		return left == 0
	})
	for _, x := range hostile {
		x.close()
	}
	a.checkVictim("when the attackers are gone")
	a.weir.await("goroutines to end", func() bool { return runtime.NumGoroutine() <= goroutines })
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.leaks) > 0 {
		t.Errorf("leaks: %v", a.leaks)
	}
	for _, owner := range []string{red, green, blue} {
		if a.delivered[owner] == 0 {
			t.Errorf("no frame of %s's has reached its hosts: nothing was tested", owner)
		}
	}
}

// calm reports whether nothing is on its way of a tenant's rules.
func (a *attack) calm(name string) bool {
	list, _ := a.tenants.State(name)
	for i := range list {
		if list[i].Waiting > 0 {
			return false
		}
	}
	return true
}

// summary is what the attack was.
func (a *attack) summary(hostile map[string]*attacker) string {
	var b strings.Builder
	for _, name := range attackers {
		fmt.Fprintf(&b, "%s: %s; ", name, hostile[name])
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintf(&b, "frames that reached hosts: %v; %d goroutines, %d entries", a.delivered, runtime.NumGoroutine(),
		a.net.Totals().Entries)
	return b.String()
}

// checkVictim has each of the victim's hosts send a frame to every other one, which arrives.
func (a *attack) checkVictim(when string) {
	a.t.Helper()
	was, hosts := a.arrived(), a.hosts(blue)
	for _, from := range hosts {
		for _, to := range hosts {
			if from != to {
				a.send(from, a.frameOf(blue, from, to))
			}
		}
	}
	for _, from := range hosts {
		for _, to := range hosts {
			pair := [2]int{from, to}
			if from == to {
				continue
			}
			a.weir.await(fmt.Sprintf("a frame of the victim's host %d to %d %s", from, to, when), func() bool {
				now := a.arrived()[pair] - was[pair]
				if now == 0 { // attackers may have filled a link; a definition that goes moves rules in one table
					a.send(from, a.frameOf(blue, from, to))
				}
				return now > 0
			})
		}
	}
}

// attackMessages is how many messages each attacker sends in the short form.
const attackMessages = 2000

// TestHostileTenants: whatever two tenants' controllers say, nothing of theirs reaches hosts of others, nothing of others'
// reaches them, and the third tenant has its rules, its session and its packets as before. Of three switches of OpenFlow 1.3
// the second has one table.
func TestHostileTenants(t *testing.T) {
	for name, form := range map[string]attackForm{
		"1.3": {version: openflow.V13, speaks: map[string]openflow.Version{red: openflow.V13, green: openflow.V10}},
		"1.0": {version: openflow.V10, speaks: map[string]openflow.Version{red: openflow.V10, green: openflow.V13},
			role: "hypervisor"},
		"1.0, reactive": {version: openflow.V10, speaks: map[string]openflow.Version{red: openflow.V13, green: openflow.V10},
			role: "hypervisor", reactive: true},
	} {
		t.Run(name, func(t *testing.T) {
			form.messages, form.seed = attackMessages, 1
			if form.role == "" {
				form.role = "controller"
			}
			newAttack(t, form).run()
		})
	}
}
