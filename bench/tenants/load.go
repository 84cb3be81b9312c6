package tenants

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/bench/window"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Load is tenants' controllers and switches, for one that stands between them.
type Load struct {
	c         *Config
	tenants   []*tenant
	servers   []*session.Server
	addresses []string
	networks  []*loadswitch.Network // one for all tenants, or one for each
	sources   []*source             // by tenant, if there is a network for each, and switch
	paced     [][]*outlet           // where messages at a set rate are sent, by tenant and switch
	epoch     time.Time
	// At a set rate: the tenant that sends next, and those that send now in their order, which is drawn.
	cursor int
	order  []int
	random *rand.Rand
	// nap waits until the next messages are due; pace.Nap but in tests.
	nap func(d time.Duration)
	// urgent has the goroutine that sends be in time, until what it returns is called; pace.Urgent but in tests.
	urgent func() func()
}

// newTenant is one that has sent nothing.
func newTenant(number int, c *Config) *tenant {
	return &tenant{number: number, controllers: make([]*session.Session, c.Switches), window: window.New(c.slots()),
		from: never, to: never, latency: report.NewHistogram()}
}

// maxQueue is how many bytes wait for one peer, at either end.
const maxQueue = 64 << 20

// newServer is that of a tenant's controller.
func newServer(l *Load, t *tenant) *session.Server {
	c := &controller{load: l, tenant: t}
	if l.c.Kind == Reaction {
		c.answer = newRequest(Reaction, l.c.Version, t.number)
	}
	return session.NewServer(session.Config{Versions: []openflow.Version{l.c.Version}, EchoInterval: -1, MaxQueue: maxQueue,
		HighWater: maxQueue}, c)
}

// newNetwork makes switches.
func (l *Load) newNetwork() (*loadswitch.Network, error) {
	topology, err := loadswitch.ParseTopology(fmt.Sprintf("single:%d", l.c.Switches), 1)
	if err != nil {
		return nil, err
	}
	return loadswitch.New(topology, loadswitch.Config{Version: l.c.Version, Hosts: ports, HostPorts: ports, MaxQueue: maxQueue,
		Dial: l.dial, Tap: func(sw *loadswitch.Switch) loadswitch.Tap {
			s := newSource(l, sw)
			l.sources = append(l.sources, s)
			return s
		}}), nil
}

// source is the switch that a tenant's messages go through.
func (l *Load) source(tenant, sw int) *source {
	if len(l.networks) == 1 {
		return l.sources[sw]
	}
	return l.sources[tenant*l.c.Switches+sw]
}

// Addresses are where tenants' controllers listen.
func (l *Load) Addresses() []string { return l.addresses }

// check finds what went wrong since the load was settled.
func (l *Load) check() (err error) {
	l.each(func(t *tenant) { err = cmp.Or(err, t.problem) })
	for _, n := range l.networks {
		err = cmp.Or(err, n.Lost())
	}
	return err
}

// each calls a function with every tenant, whose lock is held.
func (l *Load) each(f func(t *tenant)) {
	for _, t := range l.tenants {
		t.mu.Lock()
		f(t)
		t.mu.Unlock()
	}
}

// outlets are where messages of tenants are sent: those that many share are one, if shared.
func (l *Load) outlets(shared bool) (list [][]*outlet, err error) {
	of := map[*session.Session]*outlet{}
	for _, t := range l.tenants {
		var mine []*outlet
		for i := range l.c.Switches {
			s := t.controllers[i]
			if l.c.Kind.shows() {
				s = l.source(t.number, i).sw.Session()
			}
			if s == nil {
				return nil, fmt.Errorf("switch %d of tenant %d is not connected", i+1, t.number+1)
			}
			o := of[s]
			if o == nil || !shared {
				o = &outlet{to: s}
				of[s] = o
			}
			mine = append(mine, o)
		}
		list = append(list, mine)
	}
	return list, nil
}

// flowMods is how many flow-mods switches have got.
func (l *Load) flowMods() (n uint64) {
	for _, net := range l.networks {
		n += net.Tally().FlowMods
	}
	return n
}

// waiting is how many messages wait.
func (l *Load) waiting() (n int) {
	l.each(func(t *tenant) { n += t.window.Waiting() })
	return n
}

// begin has what is sent and answered from now on count.
func (l *Load) begin(sm *Sample, now time.Duration) {
	sm.begin(now)
	l.each(func(t *tenant) { t.from, t.to = now, never })
}

// end has what is sent and answered from now on not count.
func (l *Load) end(sm *Sample, now time.Duration) {
	sm.end(now)
	l.each(func(t *tenant) { t.to = now })
}

// nagled is a listener whose connections are without TCP_NODELAY.
type nagled struct{ net.Listener }

// Accept waits for the next connection.
func (n nagled) Accept() (net.Conn, error) {
	conn, err := n.Listener.Accept()
	if err == nil {
		target.Nagle(conn)
	}
	return conn, err
}
