package vswitch

import (
	"sync"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/tenant"
)

// PacketOut sends a packet as a controller of version v asks: the tables execute its actions. What would leave must be in
// the tenant's space, or a discovery frame (LLDP), which no switch forwards; else it is refused, and nothing is sent. The
// error is a *flowtable.Error.
func (s *Switch) PacketOut(v openflow.Version, m *openflow.PacketOut, who Origin, now time.Duration, out Output) error {
	s.begin(who, now, out)
	if !s.cfg.Space.OwnsPackets() {
		return &flowtable.Error{Code: openflow.BadRequestEPerm, Reason: "the tenant's regions are read-only"}
	}
	for i := range m.Actions {
		if a := &m.Actions[i]; a.Type != openflow.ActionOutput || a.Port != openflow.PortTable {
			if err := (checks{physical: &s.physical}).action(a); err != nil {
				return err
			}
		}
	}
	if _, own := s.ports[m.InPort]; !own && m.InPort <= openflow.PortMax {
		return &flowtable.Error{Code: openflow.BadRequestBadPort, Reason: "in_port is no port of the tenant's"}
	}
	if onlySends(m) {
		if !s.cfg.mayLeave(m.Data) {
			return &flowtable.Error{Code: openflow.BadRequestEPerm, Reason: "the packet is not in the tenant's space"}
		}
		return s.tables.PacketOut(v, m, now, (*changes)(s))
	}
	held := &sending{changes: (*changes)(s)}
	if err := s.tables.PacketOut(v, m, now, held); err != nil {
		return err
	}
	if held.tooMany {
		return &flowtable.Error{Code: openflow.BadActionTooMany, Reason: "the packet-out sends more than 1 MiB of frames, or 1,024 of them"}
	}
	for i := range held.frames {
		if !s.cfg.mayLeave(held.frames[i].bytes) {
			return &flowtable.Error{Code: openflow.BadRequestEPerm, Reason: "the packet is not in the tenant's space"}
		}
	}
	for _, f := range held.frames {
		out.Transmit(f.port, f.queue, f.bytes)
	}
	return nil
}

// onlySends reports whether a packet-out sends the frame that it brings, as it is, out of ports.
func onlySends(m *openflow.PacketOut) bool {
	for i := range m.Actions {
		if a := &m.Actions[i]; a.Type != openflow.ActionOutput || a.Port == openflow.PortTable {
			return false
		}
	}
	return m.Buffer == openflow.NoBuffer && len(m.Data) >= packet.EthernetLen
}

// sending holds what a packet-out sends until all of it is known.
type sending struct {
	*changes
	frames  []heldFrame
	bytes   int
	tooMany bool
}

// Bounds of what one packet-out sends.
const (
	sendingFrames = 1024
	sendingBytes  = 1 << 20
)

type heldFrame struct {
	port, queue uint32
	bytes       []byte
}

// Transmit holds a frame.
func (h *sending) Transmit(port, queue uint32, frame []byte) {
	if h.bytes += len(frame); h.bytes > sendingBytes || len(h.frames) >= sendingFrames {
		h.tooMany = true
		return
	}
	h.frames = append(h.frames, heldFrame{port, queue, append([]byte(nil), frame...)})
}

// mayLeave reports whether a frame may be sent in the tenant's name.
func (c *Config) mayLeave(frame []byte) bool {
	if c.Frames == nil {
		return true
	}
	return c.Frames.Owner(frame) == c.Tenant || isLLDP(frame) && !c.Frames.watches(c.Tenant, frame)
}

// isLLDP reports whether a frame is a discovery frame: switches show it to the controller, to whatever address it is.
func isLLDP(frame []byte) bool {
	return len(frame) >= 14 && uint16(frame[12])<<8|uint16(frame[13]) == packet.TypeLLDP
}

// Frames knows whose frames are, of tenants with a space, as switches find it out, and who watches them. Any goroutine may
// use it.
type Frames struct {
	mu       sync.Mutex
	table    *flowtable.Switch
	owner    uint16
	watchers []*Watcher
}

// framesIn is the port by which frames come in; a tenant's number is the port to which its frames go.
const framesIn = 1 << 10

// NewFrames knows the spaces of tenants as they are.
func NewFrames(tenants *tenant.Tenants) (*Frames, error) {
	f := &Frames{table: flowtable.New(flowtable.Config{Tables: 1})}
	f.table.AddPort(openflow.Port{Number: framesIn}, 0, f)
	for _, d := range tenants.All() {
		f.table.AddPort(openflow.Port{Number: uint32(d.Number)}, 0, f)
		for i := range d.Space {
			r := &d.Space[i]
			if err := f.table.FlowMod(openflow.V13, &openflow.FlowMod{Priority: r.Priority, Match: r.Match,
				Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
				Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(uint32(d.Number)))}}, 0, f); err != nil {
				return nil, err
			}
		}
		if len(d.Watched) > 0 {
			w, err := newWatcher(d)
			if err != nil {
				return nil, err
			}
			f.watchers = append(f.watchers, w)
		}
	}
	return f, nil
}

// Owner returns the number of the tenant whose space a frame is in; 0: nobody's.
func (f *Frames) Owner(frame []byte) uint16 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.owner = 0
	f.table.Receive(framesIn, frame, 0, f)
	return f.owner
}

// Transmit notes whose frame it is. It, and what follows, is for the table.
func (f *Frames) Transmit(port, _ uint32, _ []byte) { f.owner = uint16(port) }

// PacketIn does nothing.
func (f *Frames) PacketIn(*flowtable.PacketIn) {}

// FlowRemoved does nothing.
func (f *Frames) FlowRemoved(*openflow.FlowRemoved) {}

// PortStatus does nothing.
func (f *Frames) PortStatus(openflow.PortReason, openflow.Port) {}
