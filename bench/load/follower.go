package load

import (
	"math/rand/v2"
	"sync"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// checkEvery says which flows are looked at for barriers: one of so many.
const checkEvery = 32

// rule is a flow's entry at one switch.
type rule struct {
	sw, out  uint32
	barriers uint64 // that the switch had been asked for when the entry came
}

// flow is a new flow whose first packet waits at its ingress switch.
type flow struct {
	dst     *loadswitch.Host
	key     uint64
	token   uint32
	checked bool
	n       int
	rules   [paths.MaxHops]rule
}

// PathCounts count what became of packets that were released.
type PathCounts struct {
	Repeated     int // came to a switch that had no rule for them: it would ask the controller again
	misforwarded int // went to another port than their host's, or over another number of switches
	Unordered    int // of those checked: a rule on the way had no barrier behind it when they were released
	Checked      int
}

// Add adds other counts.
func (p *PathCounts) Add(o PathCounts) {
	p.Repeated += o.Repeated
	p.misforwarded += o.misforwarded
	p.Unordered += o.Unordered
	p.Checked += o.Checked
}

func (p PathCounts) minus(o PathCounts) PathCounts {
	return PathCounts{p.Repeated - o.Repeated, p.misforwarded - o.misforwarded, p.Unordered - o.Unordered, p.Checked - o.Checked}
}

// follower is the tap of a switch whose packets are followed: it sees the rules of all flows that
// pass the switch, and keeps the flows that begin there. While hosts are introduced it is only the
// source.
type follower struct {
	*source
	load *Load
	mod  openflow.FlowMod   // of the reader
	po   openflow.PacketOut // of the reader

	mu     sync.Mutex // taken by the readers of all switches, while holding no follower's
	flows  map[uint64]*flow
	tokens []*flow // by slot
	far    []int   // egress switches
	next   uint64  // number of the next flow
	paths  PathCounts
}

func newFollower(s *source, l *Load) *follower {
	f := &follower{source: s, load: l, flows: make(map[uint64]*flow), tokens: make([]*flow, s.window.Size())}
	s.draw = f.begin
	return f
}

// assign finds, for each switch, those that a shortest path of the wanted length leads to.
func (l *Load) assign(seed uint64) {
	next := l.net.Topology().Neighbours()
	r := rand.New(rand.NewPCG(seed, 6))
	for i, f := range l.followers {
		for to, d := range topo.Distances(i, next) {
			if d == l.c.Hops-1 {
				f.far = append(f.far, to)
			}
		}
		r.Shuffle(len(f.far), func(a, b int) { f.far[a], f.far[b] = f.far[b], f.far[a] })
	}
}

// pathCounts adds up what became of the packets of all switches.
func (l *Load) pathCounts() PathCounts {
	var p PathCounts
	for _, f := range l.followers {
		f.mu.Lock()
		p.Add(f.paths)
		f.mu.Unlock()
	}
	return p
}

// begin chooses the ends of a flow that there was not yet; nil if there is none left.
func (f *follower) begin(token uint32) (src, dst *loadswitch.Host) {
	hosts := uint64(len(f.sw.Hosts))
	f.mu.Lock()
	defer f.mu.Unlock()
	n := uint64(len(f.far))
	if f.next >= n*hosts*hosts {
		return nil, nil
	}
	k := f.next
	f.next++
	pair := k / n
	src = &f.sw.Hosts[pair%hosts]
	dst = &f.load.net.Switches[f.far[k%n]].Hosts[(pair/hosts+pair)%hosts]
	fl := &flow{dst: dst, key: keyOf(src.Number, dst.Number), token: token, checked: k%checkEvery == 0}
	if old := f.tokens[token&0xffff]; old != nil {
		delete(f.flows, old.key)
	}
	f.flows[fl.key], f.tokens[token&0xffff] = fl, fl
	return src, dst
}

func keyOf(src, dst int) uint64 { return uint64(src)<<32 | uint64(dst) }

// Frame takes the rules of flows and the release of their packets; all else is the source's.
func (f *follower) Frame(s *session.Session, h openflow.Header, frame []byte) bool {
	if f.probing.Load() {
		return f.source.Frame(s, h, frame)
	}
	switch h.Type {
	case openflow.TypeFlowMod:
		return f.modification(s, h, frame)
	case openflow.TypePacketOut:
		a := readPacketOut(frame, uint32(f.sw.Index), f.buffered)
		if a.known && f.po.Parse(h.Version, frame[openflow.HeaderLen:]) == nil {
			f.messages++
			f.release(a.token, outputOf(f.po.Actions))
		}
		return a.ours
	}
	return false
}

// modification takes a flow-mod that is about a pair of our hosts.
func (f *follower) modification(s *session.Session, h openflow.Header, frame []byte) bool {
	m := &f.mod
	if m.Parse(h.Version, frame[openflow.HeaderLen:]) != nil || m.Command != openflow.FlowAdd {
		return false
	}
	srcMAC, ok1 := m.Match.Uint(openflow.FieldEthSrc)
	dstMAC, ok2 := m.Match.Uint(openflow.FieldEthDst)
	src, ok3 := loadswitch.HostNumber(srcMAC)
	dst, ok4 := loadswitch.HostNumber(dstMAC)
	ingress := src / len(f.sw.Hosts)
	if !ok1 || !ok2 || !ok3 || !ok4 || ingress >= len(f.load.followers) {
		return false
	}
	f.messages++
	var out uint32
	for i := range m.Instructions {
		if m.Instructions[i].Type == openflow.InstructionApplyActions {
			out = outputOf(m.Instructions[i].Actions)
		}
	}
	f.load.followers[ingress].rule(keyOf(src, dst), uint32(f.sw.Index), out, s)
	if m.Buffer != openflow.NoBuffer && ingress == f.sw.Index {
		f.release(m.Buffer, out)
	}
	return true
}

// outputOf is the port of the first output action; 0 if there is none.
func outputOf(actions []openflow.Action) uint32 {
	for i := range actions {
		if actions[i].Type == openflow.ActionOutput {
			return actions[i].Port
		}
	}
	return 0
}

// rule notes a flow's entry at a switch, of which s is the session. It is called by the readers of
// all switches.
func (f *follower) rule(key uint64, sw, out uint32, s *session.Session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fl := f.flows[key]
	if fl == nil || fl.n == paths.MaxHops {
		return
	}
	r := rule{sw: sw, out: out}
	if fl.checked {
		r.barriers = s.Stats().In[openflow.TypeBarrierRequest]
	}
	fl.rules[fl.n] = r
	fl.n++
}

// release follows a packet that its ingress switch sends out of a port.
func (f *follower) release(token, out uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got = append(f.got, token)
	slot := token & 0xffff
	if int(slot) >= len(f.tokens) || f.tokens[slot] == nil || f.tokens[slot].token != token {
		return
	}
	fl := f.tokens[slot]
	f.tokens[slot] = nil
	delete(f.flows, fl.key)
	f.walk(fl, out)
	if fl.checked {
		f.confirmed(fl)
	}
}

// walk has the packet pass the switches by the rules that are there now.
func (f *follower) walk(fl *flow, out uint32) {
	at := f.sw
	for n := 1; ; n++ {
		next, _, linked := at.Peer(out)
		if !linked {
			if at.Index != fl.dst.At.Switch || out != fl.dst.At.Port || n != f.load.c.Hops {
				f.paths.misforwarded++
			}
			return
		}
		r := fl.at(uint32(next.Index))
		if r == nil {
			f.paths.Repeated++
			return
		}
		if n == paths.MaxHops {
			f.paths.misforwarded++
			return
		}
		at, out = next, r.out
	}
}

// at is the flow's rule at a switch; nil if it has none.
func (fl *flow) at(sw uint32) *rule {
	for i := range fl.rules[:fl.n] {
		if fl.rules[i].sw == sw {
			return &fl.rules[i]
		}
	}
	return nil
}

// confirmed sees whether every switch but the first was asked for a barrier after the flow's rule
// came.
func (f *follower) confirmed(fl *flow) {
	f.paths.Checked++
	for i := range fl.rules[:fl.n] {
		r := &fl.rules[i]
		if r.sw == uint32(f.sw.Index) {
			continue
		}
		s := f.load.net.Switches[r.sw].Session()
		if s == nil || s.Stats().In[openflow.TypeBarrierRequest] <= r.barriers {
			f.paths.Unordered++
			return
		}
	}
}
