package controller

import (
	"context"
	"errors"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// Priorities of entries.
const (
	missPriority = 0
	flowPriority = 10
)

// tableMiss is the entry that hands up whatever no other takes, whole.
func tableMiss() *openflow.FlowMod {
	return add(missPriority, openflow.Match{}, openflow.OutputController(openflow.ControllerNoCut))
}

// deleteAll deletes the entries of all tables.
func deleteAll() *openflow.FlowMod {
	return &openflow.FlowMod{Command: openflow.FlowDelete, Table: openflow.TableAll, Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
}

// deleteBetween deletes the entries of flows from a station to another one.
func deleteBetween(src, dst packet.MAC) *openflow.FlowMod {
	d := deleteAll()
	d.Match.Set(openflow.FieldEthDst, dst[:], nil)
	d.Match.Set(openflow.FieldEthSrc, src[:], nil)
	return d
}

// add is an entry of table 0.
func add(priority uint16, m openflow.Match, actions ...openflow.Action) *openflow.FlowMod {
	f := &openflow.FlowMod{Command: openflow.FlowAdd, Priority: priority, Buffer: openflow.NoBuffer,
		OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Match: m}
	if len(actions) > 0 {
		f.Instructions = []openflow.Instruction{openflow.Apply(actions...)}
	}
	return f
}

// entry sends a flow out by a port.
func (f *flow) entry(port uint32) *openflow.FlowMod {
	return add(flowPriority, f.match(), openflow.Output(port))
}

// match is exactly the packets of a flow.
func (f *flow) match() (m openflow.Match) {
	m.SetUint(openflow.FieldInPort, uint64(f.in))
	m.Set(openflow.FieldEthDst, f.dst[:], nil)
	m.Set(openflow.FieldEthSrc, f.src[:], nil)
	if !f.exactTransport || f.etherType == packet.TypeNone {
		return m
	}
	m.SetUint(openflow.FieldEthType, uint64(f.etherType))
	if f.from.IsZero() && f.to.IsZero() {
		return m
	}
	m.SetUint(openflow.FieldIPProto, uint64(f.proto))
	if f.to.Is4() {
		from, to := f.from.As4(), f.to.As4()
		m.Set(openflow.FieldIPv4Src, from[:], nil)
		m.Set(openflow.FieldIPv4Dst, to[:], nil)
	} else {
		m.Set(openflow.FieldIPv6Src, f.from[:], nil)
		m.Set(openflow.FieldIPv6Dst, f.to[:], nil)
	}
	switch f.proto {
	case packet.ProtoTCP:
		m.SetUint(openflow.FieldTCPSrc, uint64(f.sport))
		m.SetUint(openflow.FieldTCPDst, uint64(f.dport))
	case packet.ProtoUDP:
		m.SetUint(openflow.FieldUDPSrc, uint64(f.sport))
		m.SetUint(openflow.FieldUDPDst, uint64(f.dport))
	}
	return m
}

// Install writes entries and waits until the switch confirms them: the error has all that it
// refused.
func (c *Controller) Install(ctx context.Context, entries ...*openflow.FlowMod) error {
	s, _, err := c.connected(ctx)
	if err != nil {
		return err
	}
	c.Errors()
	for _, e := range entries {
		if _, err := s.Send(e); err != nil {
			return err
		}
	}
	if _, err := s.RequestContext(ctx, &openflow.BarrierRequest{}); err != nil {
		return err
	}
	return errors.Join(c.Errors()...)
}
