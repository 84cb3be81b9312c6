package forward

import (
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// Datapath is a switch as the application sees it: its output, and the pairs whose packets came in there. It outlives
// the switch's sessions, since the switch keeps its rules.
type Datapath struct {
	id netview.DPID
	f  *Forward

	outlet atomic.Pointer[outlet] // nil while there is no connection; any goroutine reads it

	mu      sync.Mutex // never held while another Datapath's is taken
	pairs   pairTable
	waiting map[pair]*install // installs whose path is not confirmed yet
	held    int               // packets in waiting
	batch   []*touched        // switches that this batch of input wrote to: to be confirmed by BatchEnd
	epoch   uint32            // of the connection
	unmoved bool              // some pairs may not be where they should: Second looks
	strayed bool              // likewise, but no path leads to where their hosts are: links that come up may make one
	quota   quota
	mixed   map[pair][]*path // paths of moves that were given up half-way: the pair may take their tails
	slow    []*install       // that wait until their next step is due
	refusal refusal          // of rules

	// Scratch of the reader, under mu.
	fm    openflow.FlowMod
	po    openflow.PacketOut
	act   [1]openflow.Action
	ins   [1]openflow.Instruction
	match []byte
	hops  []topology.Hop
}

// outlet is the way to a connected switch.
type outlet struct {
	Switch
	single  bool  // all rules in one table
	cookies bool  // deletions may be restricted to a cookie: OpenFlow 1.3
	table   uint8 // of the pairs
}

// flow is a pair's way on: the path, or 0 where source and destination are on the same switch, and the port out of
// this switch.
type flow struct {
	path  uint32
	out   uint32
	epoch uint32 // of the connection that it was sent on
}

// Attach gives the application the output to a switch that has connected, and returns what PacketIn, BatchEnd and
// FlowRemoved are called on.
func (f *Forward) Attach(dpid netview.DPID, version openflow.Version, tables uint8, out Switch) *Datapath {
	f.attach <- struct{}{}
	defer func() { <-f.attach }()
	d, ok := f.switches.get(uint64(dpid))
	if !ok {
		d = &Datapath{id: dpid, f: f, waiting: make(map[pair]*install)}
		f.switches.put(uint64(dpid), d)
	}
	single := plan.SingleTable(version, tables)
	d.mu.Lock()
	d.epoch++
	d.unmoved = true // what changed while there was no connection
	d.mu.Unlock()
	d.outlet.Store(&outlet{Switch: out, single: single, cookies: version >= openflow.V13, table: tableOfPairs(single)})
	return d
}

func tableOfPairs(single bool) uint8 {
	if single {
		return plan.TableSingle
	}
	return plan.TableForwarding
}

// Detach takes the output away, unless a newer connection has already replaced it. Pairs stay.
func (d *Datapath) Detach(out Switch) {
	if o := d.outlet.Load(); o != nil && o.Switch == out {
		d.outlet.CompareAndSwap(o, nil)
	}
}

// FlowRemoved forgets the pair whose ingress rule went. It is called on the goroutine that reads from the switch.
func (d *Datapath) FlowRemoved(m *openflow.FlowRemoved) {
	c := plan.Decode(m.Cookie)
	if c.Domain != d.f.cfg.Domain || c.Kind != plan.KindPair {
		return
	}
	pr, ok := pairOfMatch(m.Match)
	if !ok {
		return
	}
	d.mu.Lock()
	fl, known := d.pairs.get(pr)
	if known && d.f.wrote(fl, m.Cookie) {
		d.ranOut(pr, fl, m.Reason)
	}
	d.mu.Unlock()
	if !d.f.life(m.Cookie) {
		d.f.former.ranOut(d.id, pr, m.Cookie)
	}
}

// forget removes a pair; d.mu is held.
func (d *Datapath) forget(pr pair, fl flow) {
	d.pairs.remove(pr)
	d.f.paths.drop(fl.path)
	if len(d.mixed) > 0 {
		d.unmix(pr)
	}
}

// remember sets a pair's flow, whose path has been counted by paths.take. The rules of the path that it had are deleted in a while; d.mu
// is held.
func (d *Datapath) remember(pr pair, fl flow) {
	fl.epoch = d.epoch
	old, had := d.pairs.put(pr, fl)
	if !had {
		d.f.count.pairs.Add(1)
	} else if p := d.f.paths.get(old.path); p != nil && old.path != fl.path {
		d.f.retired.add(left{d, pr, p, d.f.drained(p)})
	} else {
		d.f.paths.drop(old.path)
	}
}

// Listed tells which pairs' rules a switch holds: those that were sent on an earlier connection and are not among them ran
// out while nobody could hear it, and are forgotten.
func (f *Forward) Listed(dpid netview.DPID, listed []openflow.Match) {
	d := f.datapath(dpid)
	if d == nil {
		return
	}
	held := make(map[pair]bool, len(listed))
	for _, m := range listed {
		if pr, ok := pairOfMatch(m); ok {
			held[pr] = true
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var ran []pair
	d.pairs.each(func(pr pair, fl flow) bool {
		if fl.epoch != d.epoch && !held[pr] {
			ran = append(ran, pr)
		}
		return true
	})
	for _, pr := range ran {
		fl, _ := d.pairs.get(pr)
		d.end(pr, fl)
	}
}

// Knows tells whether a soft rule on a switch, by its match and cookie, is one of a pair that is forwarded now.
func (f *Forward) Knows(dpid netview.DPID, m openflow.Match, cookie uint64) bool {
	pr, ok := pairOfMatch(m)
	if !ok {
		return false
	}
	if d := f.datapath(dpid); d != nil {
		if fl, ok := d.flowOf(pr); ok && f.wrote(fl, cookie) {
			return true
		}
	}
	p := f.paths.byCookie(cookie, f.life(cookie), dpid)
	if p == nil {
		return false
	}
	d := f.datapath(p.hops[0].DPID)
	if d == nil {
		return false
	}
	fl, ok := d.flowOf(pr)
	return ok && fl.path == p.id
}

// Installed is the path that packets from one host to another take now; false if none is installed.
func (f *Forward) Installed(src, dst *netview.Host) ([]topology.Hop, bool) {
	d := f.datapath(src.At.DPID)
	if d == nil {
		return nil, false
	}
	pr := pair{src: src.MAC.Uint64()<<16 | uint64(src.VLAN), dst: dst.MAC.Uint64()}
	if src.VLAN != 0 {
		pr.src |= uint64(openflow.VLANPresent)
	}
	fl, ok := d.flowOf(pr)
	p := f.paths.get(fl.path)
	if !ok || p == nil {
		return nil, false
	}
	return p.hops, true
}

// flowOf is the flow of a pair that came in at this switch.
func (d *Datapath) flowOf(pr pair) (flow, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pairs.get(pr)
}

// Pairs is the number of pairs whose packets came in at this switch.
func (d *Datapath) Pairs() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pairs.len()
}

// cookie of the rules that this life writes for a path; 0 stands for pairs within a switch.
func (f *Forward) cookie(pathID uint32) uint64 {
	return plan.Cookie{Domain: f.cfg.Domain, Kind: plan.KindPair, Owner: pathID, Version: f.cfg.Life}.Encode()
}

// cookieAt is the cookie of a path's rules at one hop.
func (f *Forward) cookieAt(p *path, hop int) uint64 {
	if p.cookies != nil {
		return p.cookies[hop]
	}
	return f.cookie(p.id)
}

// wrote tells whether the ingress rule of a flow has this cookie. Within a switch the life does not matter.
func (f *Forward) wrote(fl flow, cookie uint64) bool {
	if fl.path == 0 {
		c := plan.Decode(cookie)
		return c.Domain == f.cfg.Domain && c.Kind == plan.KindPair && c.Owner == 0
	}
	p := f.paths.get(fl.path)
	return p != nil && f.cookieAt(p, 0) == cookie
}

// life tells whether a cookie is one of this life.
func (f *Forward) life(cookie uint64) bool { return plan.Decode(cookie).Version == f.cfg.Life }

// IdleTimeout is how long an unused pair stays on its ingress switch, in seconds. IdleStep is how much longer it stays on
// each further switch of its path: as long as a packet finds a rule it finds the next one too, whatever the switches'
// clocks and scans, so that a pair runs out from its ingress on and never in the middle. IdleMax bounds it.
const (
	IdleTimeout = 60
	IdleStep    = 5
	IdleMax     = 600
)

// idleAt is the idle time-out of the rule at a hop.
func idleAt(hop int) uint16 { return uint16(min(IdleTimeout+IdleStep*hop, IdleMax)) }

// pairRule fills fm with the rule of a pair at one hop.
func (d *Datapath) pairRule(fm *openflow.FlowMod, pr pair, cookie uint64, table uint8, port uint32) {
	d.match = pr.appendMatch(d.match[:0])
	d.act[0] = openflow.Output(port)
	d.ins[0] = openflow.Instruction{Type: openflow.InstructionApplyActions, Actions: d.act[:]}
	*fm = openflow.FlowMod{
		Cookie: cookie, Table: table, Command: openflow.FlowAdd, IdleTimeout: IdleTimeout,
		Priority: plan.PriorityPair, Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Match: openflow.Match{OXM: d.match}, Instructions: d.ins[:],
	}
}
