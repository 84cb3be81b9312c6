package forward

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

// Datapath is a switch with its connection and the pairs that enter the network there. It outlives
// the switch's sessions, since the switch keeps its rules.
type Datapath struct {
	id netview.DPID
	f  *Forward

	conn atomic.Pointer[switchConn] // nil while there is no connection; any goroutine reads it

	mu            sync.Mutex // never held while another Datapath's is taken
	pairs         pairTable
	installs      map[pair]*install // whose path is not confirmed yet
	heldPackets   int               // packets in installs
	toConfirm     []*confirmation   // switches that this batch of input wrote to: BatchEnd asks them for confirmation
	epoch         uint32            // of the last session: the low half of its epoch
	retryMoves    bool              // some pairs may be on a wrong path: Second retries their move
	retryPathless bool              // likewise, but there was no path: retried when a link comes up
	quota         quota
	halfMoved     map[pair][]*path // paths of abandoned moves: packets of the pair may take their tails
	delayed       []*install       // moves that wait until their next step is due
	refusal       refusal          // whether the switch refuses rules

	// Scratch of whoever holds mu: this switch's reader, and others' when they confirm.
	fm    openflow.FlowMod
	po    openflow.PacketOut
	act   [1]openflow.Action
	ins   [1]openflow.Instruction
	match []byte
	hops  []topology.Hop
}

// switchConn is the connection of a switch.
type switchConn struct {
	Switch
	single  bool  // all rules in one table
	cookies bool  // deletions may be restricted to a cookie: OpenFlow 1.3
	table   uint8 // of the pairs
}

// flow is a pair's path, or 0 if both ends are on the same switch, and its port out of this switch.
type flow struct {
	path  uint32
	out   uint32
	epoch uint32 // of the session that it was sent on, as in Datapath
}

// Attach sets the connection of a switch in the session of an epoch, and returns its Datapath, which
// gets PacketIn, BatchEnd and FlowRemoved.
func (f *Forward) Attach(dpid netview.DPID, epoch uint64, version openflow.Version, tables uint8, out Switch) *Datapath {
	f.attach <- struct{}{}
	defer func() { <-f.attach }()
	d, ok := f.switches.get(uint64(dpid))
	if !ok {
		d = &Datapath{id: dpid, f: f, installs: make(map[pair]*install)}
		f.switches.put(uint64(dpid), d)
	}
	single := plan.SingleTable(version, tables)
	d.mu.Lock()
	d.epoch = uint32(epoch)
	d.retryMoves = true // what changed while there was no connection
	d.mu.Unlock()
	d.conn.Store(&switchConn{Switch: out, single: single, cookies: version.CookieMask(),
		table: plan.ForwardingTable(single)})
	return d
}

// connOf returns the connection of a switch; nil if there is none.
func (f *Forward) connOf(dpid netview.DPID) *switchConn {
	if d := f.datapath(dpid); d != nil {
		return d.conn.Load()
	}
	return nil
}

// written are the connections that have been written to and not flushed, each once.
type written []*switchConn

func (w *written) add(out *switchConn) {
	if !slices.Contains(*w, out) {
		*w = append(*w, out)
	}
}

func (w written) flush() {
	for _, out := range w {
		out.Flush()
	}
}

// Detach removes the connection, unless a newer one has replaced it. Pairs stay.
func (d *Datapath) Detach(out Switch) {
	if o := d.conn.Load(); o != nil && o.Switch == out {
		d.conn.CompareAndSwap(o, nil)
	}
}

// FlowRemoved forgets the pair whose ingress rule expired or was removed. It is called on the
// goroutine that reads from the switch.
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
	if known && d.f.wroteIngress(fl, m.Cookie) {
		d.expired(pr, fl, m.Reason)
	}
	d.mu.Unlock()
	if !d.f.thisGeneration(m.Cookie) {
		d.f.inherited.expired(d.id, pr, m.Cookie)
	}
}

// pairsWhere returns the pairs of this switch for which wanted is true, in a fixed order. d.mu is held.
func (d *Datapath) pairsWhere(wanted func(pair, flow) bool) (list []pair) {
	d.pairs.All(func(pr pair, fl flow) bool {
		if wanted(pr, fl) {
			list = append(list, pr)
		}
		return true
	})
	slices.SortFunc(list, comparePairs)
	return list
}

// removeFlow removes a pair; d.mu is held.
func (d *Datapath) removeFlow(pr pair, fl flow) {
	d.pairs.remove(pr)
	d.f.paths.release(fl.path)
	if len(d.halfMoved) > 0 {
		d.dropHalfMoved(pr)
	}
}

// setFlow sets a pair's flow, whose path is counted already. The rules of its previous path are
// deleted later; d.mu is held.
func (d *Datapath) setFlow(pr pair, fl flow) {
	fl.epoch = d.epoch
	old, had := d.pairs.put(pr, fl)
	if !had {
		d.f.count.Pairs.Add(1)
	} else if p := d.f.paths.get(old.path); p != nil && old.path != fl.path {
		d.retire(pr, p)
	} else {
		d.f.paths.release(old.path)
	}
}

// Listed takes the list of a switch's pair rules: pairs whose rule was sent on an earlier
// connection and is not listed have expired, and are forgotten.
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
	for _, pr := range d.pairsWhere(func(pr pair, fl flow) bool { return fl.epoch != d.epoch && !held[pr] }) {
		fl, _ := d.pairs.get(pr)
		d.endPair(pr, fl)
	}
}

// HasRule reports whether a soft rule of a switch, by its match and cookie, belongs to a pair that
// is forwarded now.
func (f *Forward) HasRule(dpid netview.DPID, m openflow.Match, cookie uint64) bool {
	pr, ok := pairOfMatch(m)
	if !ok {
		return false
	}
	if d := f.datapath(dpid); d != nil {
		if fl, ok := d.flowOf(pr); ok && f.wroteIngress(fl, cookie) {
			return true
		}
	}
	p := f.paths.byCookie(cookie, f.thisGeneration(cookie), dpid)
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

// InstalledPath returns the path that packets from one host to another take now; false if none is
// installed.
func (f *Forward) InstalledPath(src, dst *netview.Host) ([]topology.Hop, bool) {
	d := f.datapath(src.At.DPID)
	if d == nil {
		return nil, false
	}
	pr := pair{src: src.MAC.Uint64()<<16 | uint64(src.VLAN), dst: dst.MAC.Uint64()}
	if src.VLAN != 0 {
		pr.src |= uint64(openflow.VLANPresent)
	}
	fl, ok := d.flowOf(pr)
	if ok && fl.path == 0 && dst.At.DPID == src.At.DPID { // within the switch
		return []topology.Hop{{DPID: d.id, In: src.At.Port, Out: fl.out}}, true
	}
	p := f.paths.get(fl.path)
	if !ok || p == nil {
		return nil, false
	}
	return p.hops, true
}

// flowOf returns the flow of a pair that enters at this switch.
func (d *Datapath) flowOf(pr pair) (flow, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pairs.get(pr)
}

// cookie returns the cookie of this run's rules of a path; 0 stands for pairs within a switch.
func (f *Forward) cookie(pathID uint32) uint64 {
	return plan.Cookie{Domain: f.cfg.Domain, Kind: plan.KindPair, Owner: pathID, Version: f.cfg.Generation}.Encode()
}

// cookieAt returns the cookie of a path's rules at one hop.
func (f *Forward) cookieAt(p *path, hop int) uint64 {
	if p.cookies != nil {
		return p.cookies[hop]
	}
	return f.cookie(p.id)
}

// wroteIngress reports whether the ingress rule of a flow has this cookie. Within a switch the
// generation does not matter.
func (f *Forward) wroteIngress(fl flow, cookie uint64) bool {
	if fl.path == 0 {
		c := plan.Decode(cookie)
		return c.Domain == f.cfg.Domain && c.Kind == plan.KindPair && c.Owner == 0
	}
	p := f.paths.get(fl.path)
	return p != nil && f.cookieAt(p, 0) == cookie
}

// thisGeneration reports whether a cookie is of this run.
func (f *Forward) thisGeneration(cookie uint64) bool {
	return plan.Decode(cookie).Version == f.cfg.Generation
}

// IdleTimeout is how long an unused pair stays on its ingress switch, in seconds. IdleStep is how
// much longer it stays on each further switch of its path: as long as a packet finds a rule it
// finds the next one too, whatever the switches' clocks and scans, so that a pair runs out from its
// ingress on and never in the middle. IdleMax bounds it.
const (
	IdleTimeout = 60
	IdleStep    = 5
	IdleMax     = 600
)

// idleAt returns the idle timeout of the rule at a hop.
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
