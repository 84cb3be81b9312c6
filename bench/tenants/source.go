package tenants

import (
	"sync"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// source is what the load has of one switch: it takes packet-outs of the load, and knows which packet-ins the switch
// would send. It is the switch's tap.
type source struct {
	load *Load
	sw   *loadswitch.Switch

	tokens  [][]uint32 // of packet-outs in this batch, by tenant; of the reader
	touched []uint32   // tenants that have some

	mu       sync.Mutex
	model    *flowtable.Switch // nil: packet-ins are not measured, or are settled
	mod      openflow.FlowMod  // memory that is used again
	shown    shown
	problems int // messages that the model refused
}

func newSource(l *Load, sw *loadswitch.Switch) *source {
	s := &source{load: l, sw: sw, tokens: make([][]uint32, l.c.Tenants)}
	if l.c.Kind.shows() {
		s.model = flowtable.New(flowtable.Config{Tables: loadswitch.Tables})
		s.model.SetMiss(l.c.Version == openflow.V10)
		for n := range ports {
			s.model.AddPort(openflow.Port{Number: uint32(n) + 1}, 0, &s.shown)
		}
	}
	return s
}

// Frame takes packet-outs of the load, and shows the model what changes the switch's tables.
func (s *source) Frame(_ *session.Session, h openflow.Header, frame []byte) bool {
	switch h.Type {
	case openflow.TypePacketOut:
		tenant, token, ok := readStamp(frame)
		if !ok || tenant >= uint32(len(s.tokens)) {
			return false
		}
		if len(s.tokens[tenant]) == 0 {
			s.touched = append(s.touched, tenant)
		}
		s.tokens[tenant] = append(s.tokens[tenant], token)
		return true
	case openflow.TypeFlowMod, openflow.TypeGroupMod:
		s.change(h, frame)
	}
	return false
}

// change has the model do a flow-mod or a group-mod.
func (s *source) change(h openflow.Header, frame []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.model == nil {
		return
	}
	var err error
	if h.Type == openflow.TypeFlowMod {
		if err = s.mod.Parse(h.Version, frame[openflow.HeaderLen:]); err == nil {
			err = s.model.FlowMod(h.Version, &s.mod, s.load.Clock(), &s.shown)
		}
	} else {
		_, m, bad := openflow.Parse(frame)
		if err = bad; err == nil {
			err = s.model.GroupMod(h.Version, m.(*openflow.GroupMod), s.load.Clock(), &s.shown)
		}
	}
	if err != nil {
		s.problems++
	}
}

// settled ends that the model is kept: what its packet-ins are is known.
func (s *source) settled() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model = nil
}

// packetIn is the template of a tenant's packet-ins; nil while the switch shows its packets to nobody.
func (s *source) packetIn(tenant int) *template {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = shown{version: s.load.c.Version}
	s.model.Receive(portOf(tenant), appendFrame(nil, tenant), s.load.Clock(), &s.shown)
	if !s.shown.is {
		return nil
	}
	return newPacketIn(s.load.c.Version, &s.shown.pin)
}

// BatchEnd counts packet-outs and has what follows sent.
func (s *source) BatchEnd(*session.Session) {
	if len(s.touched) == 0 {
		return
	}
	now := s.load.Clock()
	for _, n := range s.touched {
		s.load.tenants[n].answered(s.tokens[n], 0, now)
		s.tokens[n] = s.tokens[n][:0]
	}
	s.touched = s.touched[:0]
}

// shown is the first packet-in of a packet.
type shown struct {
	version openflow.Version
	is      bool
	pin     openflow.PacketIn
}

// PacketIn keeps the packet-in, whose frame is only valid during the call.
func (o *shown) PacketIn(p *flowtable.PacketIn) {
	if o.is || p.Only10 && o.version != openflow.V10 {
		return
	}
	o.is = true
	p.Message(&o.pin, o.version, openflow.ControllerNoCut)
	o.pin.Data = append([]byte(nil), o.pin.Data...)
}

// Transmit implements flowtable.Output.
func (o *shown) Transmit(uint32, uint32, []byte) {}

// FlowRemoved implements flowtable.Output.
func (o *shown) FlowRemoved(*openflow.FlowRemoved) {}

// PortStatus implements flowtable.Output.
func (o *shown) PortStatus(openflow.PortReason, openflow.Port) {}
