package flowtable

import (
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// Receive takes a frame that came in at a port, without its check sequence. The frame is not
// changed; an action that changes a packet does it to a copy.
func (s *Switch) Receive(port uint32, frame []byte, now time.Duration, out Output) {
	s.begin(now, out)
	p := s.ports.find(port)
	if p == nil {
		s.end()
		return
	}
	p.stats.RxPackets++
	p.stats.RxBytes += uint64(len(frame))
	switch {
	case len(frame) < packet.EthernetLen:
		p.stats.RxErrors++
		p.stats.RxFrameErr++
	case !p.takes(frame):
		p.stats.RxDropped++
	default:
		s.pass.begin(s, frame, port, 1)
		if s.frag == openflow.ConfigFragDrop && s.pass.fields.Frag != 0 {
			p.stats.RxDropped++
			break
		}
		s.pass.pipeline(0)
	}
	s.end()
}

// pass is one packet in flight through the switch.
type pass struct {
	s      *Switch
	frame  []byte // the packet as it is now
	fields packet.Key
	key    words // the packet's fields, unless stale
	set    actionSet
	inPort uint32
	queue  uint32
	size   int // of the packet as it came, in bytes: what entries count

	level  int  // of the next copy: scratch below it holds packets that are still needed
	own    bool // frame is a copy that may be changed
	stale  bool // frame was changed since key was made
	v10    bool // the actions are of OpenFlow 1.0
	inSet  bool // an action set is being done: the packet's, or that of a bucket
	done   bool // the packet goes no further: an invalid TTL, or a meter
	table  uint8
	entry  *entry // that the packet matched; nil for a packet-out
	budget int    // buckets that may still be done
}

// maxBuckets is how many buckets of groups one packet may go through: chains of groups could
// multiply it without end.
const maxBuckets = 4096

// maxChain is how many groups may send to each other in a chain, as Open vSwitch allows: each level
// is a call in a call, and has a copy of the packet.
const maxChain = 64

// begin takes up a packet. Level 0 is for frames in the scratch memory, which begins changed
// packets at level.
func (p *pass) begin(s *Switch, frame []byte, inPort uint32, level int) {
	p.s, p.frame, p.inPort, p.queue, p.size = s, frame, inPort, 0, len(frame)
	p.level, p.own, p.stale, p.v10, p.inSet, p.done = level, false, false, false, false, false
	p.table, p.entry, p.budget = 0, nil, maxBuckets
	p.set.clear()
	p.key[wordMetadata], p.key[wordTunnel] = 0, 0
	p.read()
}

// read makes key of frame.
func (p *pass) read() {
	end, _ := packet.ParseKey(p.frame, &p.fields)
	p.key.fill(p.frame, &p.fields, end, p.inPort)
	p.stale = false
}

// pipeline sends the packet through the tables from the one given on.
func (p *pass) pipeline(id uint8) {
	for {
		e := p.lookup(id)
		if e == nil {
			p.miss(id)
			return
		}
		p.entry, p.table = e, id
		if !p.do(e.program) {
			return
		}
		if e.program.has&hasGoto == 0 {
			p.runSet()
			return
		}
		id = e.program.next
	}
}

// lookup is the entry of a table that the packet matches, counted; nil if there is none.
func (p *pass) lookup(id uint8) *entry {
	s := p.s
	if p.stale {
		p.read()
	}
	if int(id) >= len(s.tables) {
		s.growTables(int(id))
	}
	n := &s.counts[id]
	n.lookups++
	t := s.tables[id]
	if t == nil {
		return nil
	}
	e := t.lookup(&p.key)
	if e != nil {
		n.matched++
		e.count(p.size, s.now)
	}
	return e
}

// do does the instructions of a program but its goto, and reports whether the packet goes on.
func (p *pass) do(g *program) bool {
	p.v10 = g.v10
	if g.has&hasMeter != 0 {
		if m := p.s.meters[g.meter]; m != nil && !p.metered(m) {
			return false
		}
	}
	if g.has&hasApply != 0 {
		p.apply(g.apply)
		if p.done {
			return false
		}
	}
	if g.has&hasClear != 0 {
		p.set.clear()
	}
	if g.has&hasWrite != 0 {
		p.set.write(g.write)
	}
	if g.has&hasMetadata != 0 {
		m := g.metadataMask
		p.key[wordMetadata] = p.key[wordMetadata]&^m | g.metadata&m
	}
	return true
}

// miss is what becomes of a packet that no entry of a table matches.
func (p *pass) miss(id uint8) {
	if !p.s.miss10 {
		return
	}
	p.entry, p.table = nil, id
	p.packetIn(PacketIn{Reason: openflow.ReasonNoMatch, Only10: true, MissLen: true})
}

// packetIn shows the packet to the controllers. A packet without a match is not shown where the
// port it came in at does not want that.
func (p *pass) packetIn(in PacketIn) {
	s := p.s
	if in.Reason == openflow.ReasonNoMatch {
		if from := s.ports.find(p.inPort); from != nil && from.Config&openflow.PortConfigNoPacketIn != 0 {
			return
		}
	}
	if m := s.meters[openflow.MeterController]; m != nil {
		if ok, _ := m.pass(len(p.frame), s.now); !ok {
			return
		}
	}
	in.Table, in.Cookie = p.table, ^uint64(0)
	if p.entry != nil {
		in.Cookie = p.entry.cookie
	}
	in.InPort, in.Frame = p.inPort, p.frame
	in.Metadata, in.Tunnel = p.key[wordMetadata], p.key[wordTunnel]
	in.Buffer = openflow.NoBuffer
	if in.MissLen || in.MaxLen != openflow.ControllerNoCut {
		in.Buffer = s.buffers.keep(p.frame, p.inPort)
	}
	s.in = in
	s.out.PacketIn(&s.in)
}
