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
		s.pass.begin(s, frame, port)
		if s.decision != nil {
			s.decision.begin(&s.pass.frame.key)
			if s.frag == openflow.ConfigFragDrop {
				s.decision.needUnfragmented(&s.pass.frame.fields)
			}
		}
		if s.frag == openflow.ConfigFragDrop && s.pass.frame.fields.Frag != 0 {
			p.stats.RxDropped++
			break
		}
		s.pass.pipeline(0)
	}
	s.end()
}

// ReceiveUncounted is Receive of a frame that tables elsewhere have counted: entries and tables here do not, ports do.
func (s *Switch) ReceiveUncounted(port uint32, frame []byte, now time.Duration, out Output) {
	s.uncounted = true
	s.Receive(port, frame, now, out)
	s.uncounted = false
}

// pass is one packet on its way through the tables, and through groups and meters, to ports and
// controllers.
type pass struct {
	s     *Switch
	frame frame
	set   actionSet
	queue uint32
	size  int // of the packet as it came, in bytes: what entries count

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

// begin takes up a packet. Bytes in the copy of level 0 stay: what is changed has level 1.
func (p *pass) begin(s *Switch, b []byte, inPort uint32) {
	p.beginUnread(s, b, inPort)
	p.frame.read()
}

// beginUnread takes up a packet whose fields are read when they are first wanted.
func (p *pass) beginUnread(s *Switch, b []byte, inPort uint32) {
	p.s, p.queue, p.size = s, 0, len(b)
	p.v10, p.inSet, p.done = false, false, false
	p.table, p.entry, p.budget = 0, nil, maxBuckets
	p.set.clear()
	p.frame.begin(&s.copies, b, inPort, 1)
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
	p.frame.refresh()
	if int(id) >= len(s.tables) {
		s.growTables(int(id))
	}
	n := &s.counts[id]
	if !s.uncounted {
		n.lookups++
	}
	t := s.tables[id]
	if t == nil && s.decision == nil {
		return nil
	}
	var e *entry
	if s.decision == nil {
		e = t.lookup(&p.frame.key)
	} else {
		e = s.decision.lookup(t, id, &p.frame.key)
	}
	if e != nil && !s.uncounted {
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
		p.frame.key[wordMetadata] = p.frame.key[wordMetadata]&^m | g.metadata&m
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
func (p *pass) packetIn(how PacketIn) {
	s := p.s
	if how.Reason == openflow.ReasonNoMatch {
		if from := s.ports.find(p.frame.inPort); from != nil && from.Config&openflow.PortConfigNoPacketIn != 0 {
			return
		}
	}
	if s.decision != nil {
		s.decision.cannot("it is shown to controllers")
	}
	if m := s.meters[openflow.MeterController]; m != nil {
		if ok, _ := m.pass(len(p.frame.bytes), s.now); !ok {
			return
		}
	}
	in := &s.in
	*in = how
	in.Table, in.Cookie = p.table, ^uint64(0)
	if p.entry != nil {
		in.Cookie = p.entry.cookie
	}
	f := &p.frame
	in.InPort, in.Frame = f.inPort, f.bytes
	in.Metadata, in.Tunnel = f.key[wordMetadata], f.key[wordTunnel]
	in.Buffer = openflow.NoBuffer
	if in.MissLen || in.MaxLen != openflow.ControllerNoCut {
		in.Buffer = s.buffers.keep(f.bytes, f.inPort)
	}
	s.out.PacketIn(in)
}
