package loadswitch

import (
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Buffers is how many packets a switch says it can keep for the controller, and Tables how many
// tables it has with OpenFlow 1.3; with 1.0 it has one.
const (
	Buffers = 65536
	Tables  = 8
)

// Tap sees what the controller sends to one switch before the switch does. Its methods are called
// on the session's reader and must not block.
type Tap interface {
	// Frame is given a modification, a packet-out or a request as bytes that are valid during the
	// call, of which only the length is checked. If it returns true the switch never sees the
	// message.
	Frame(s *session.Session, h openflow.Header, frame []byte) bool
	// BatchEnd tells that all that was read has been handed over; what was sent meanwhile leaves
	// after it.
	BatchEnd(s *session.Session)
}

// Switch is one emulated switch. Its exported methods may be called from any goroutine.
type Switch struct {
	Index int // in the topology, from 0
	Hosts []Host

	net         *Network
	ports       ports
	roles       session.Roles
	tap         Tap
	conn        atomic.Pointer[session.Session]
	table       flowTable
	meters      meters
	description description
	input       pathInput
}

// DatapathID is the switch's.
func (sw *Switch) DatapathID() uint64 { return sw.ports.id }

// Entries is how many flow entries the switch holds.
func (sw *Switch) Entries() int { return sw.table.size() }

// Session is the connection to the controller; nil before there is one and after its end.
func (sw *Switch) Session() *session.Session { return sw.conn.Load() }

// Described is the age of the network (Network.Age) when the last byte of the switch's description,
// which ends the handshake, was handed to the connection; 0 before.
func (sw *Switch) Described() time.Duration { return time.Duration(sw.description.at.Load()) }

// DescribedWhole reports whether the controller has asked for all that a switch tells of itself:
// features, description and, with OpenFlow 1.3, ports. Not every controller does.
func (sw *Switch) DescribedWhole() bool { return sw.description.whole(sw.net.cfg.Version) }

// Peer is where the link of a port ends; ok is false if it has none.
func (sw *Switch) Peer(port uint32) (other *Switch, otherPort uint32, ok bool) {
	p := sw.ports.at(port)
	if p == nil || p.peer == nil {
		return nil, 0, false
	}
	return p.peer, p.peerPort, true
}

// PacketIn sends a packet to the controller, under a buffer's number or openflow.NoBuffer.
func (sw *Switch) PacketIn(port, buffer uint32, frame []byte) error {
	s := sw.conn.Load()
	if s == nil {
		return session.ErrNotConnected
	}
	_, err := s.Send(&openflow.PacketIn{
		Buffer: buffer, TotalLen: uint16(len(frame)), Reason: openflow.ReasonNoMatch, Cookie: ^uint64(0),
		InPort: port, Data: frame,
	})
	return err
}

// Connected takes note of the connection.
func (sw *Switch) Connected(s *session.Session) { sw.conn.Store(s) }

// Features tells what the switch is.
func (sw *Switch) Features(s *session.Session) openflow.FeaturesReply {
	sw.description.told(answeredFeatures)
	r := openflow.FeaturesReply{
		DatapathID: sw.ports.id, Buffers: Buffers, Tables: Tables,
		Capabilities: openflow.CapabilityFlowStats | openflow.CapabilityTableStats | openflow.CapabilityPortStats,
	}
	if s.Version() == openflow.V10 || sw.net.cfg.Version == openflow.V10 {
		r.Tables, r.Actions, r.Ports = 1, actions10, sw.ports.describeAll()
	}
	return r
}

// actions10 are the actions of OpenFlow 1.0 by their numbers: output, and setting of each field.
const actions10 = 1<<11 - 1

// Frame shows the tap what came, and does flow-mods about entries of paths.
func (sw *Switch) Frame(s *session.Session, h openflow.Header, frame []byte) bool {
	if sw.tap != nil && sw.tap.Frame(s, h, frame) {
		return true
	}
	if h.Type != openflow.TypeFlowMod {
		return false
	}
	b := &sw.input
	b.batch.FlowMods++
	if s.Version() != openflow.V13 || !isPath(frame) {
		return false
	}
	if b.at == 0 {
		b.at = sw.net.age()
	}
	return b.handle(s, &sw.table, frame)
}

// FlowMod changes entries, and tells of those that asked for it when they go.
func (sw *Switch) FlowMod(s *session.Session, h openflow.Header, m *openflow.FlowMod) {
	if m.Table >= Tables && m.Table != openflow.TableAll {
		request{s, h}.refuse(m, openflow.FlowModFailedBadTableID)
		return
	}
	for _, e := range sw.table.apply(m, s.Version(), sw.net.age()) {
		if e.Flags&openflow.FlagSendFlowRemoved != 0 {
			sw.sendFlowRemoved(s, e)
		}
	}
}

func (sw *Switch) sendFlowRemoved(s *session.Session, e *entry) {
	age := sw.net.age() - e.since
	_, _ = s.Send(&openflow.FlowRemoved{
		Cookie: e.Cookie, Priority: e.Priority, Reason: openflow.RemovedDelete, Table: e.Table,
		DurationSec: uint32(age / time.Second), DurationNsec: uint32(age % time.Second),
		IdleTimeout: e.IdleTimeout, HardTimeout: e.HardTimeout, Match: e.Match,
	})
}

// PacketOut sends a frame out of ports. Packets kept under a buffer's number are the tap's.
func (sw *Switch) PacketOut(s *session.Session, h openflow.Header, po *openflow.PacketOut) {
	if po.Buffer != openflow.NoBuffer {
		request{s, h}.refuse(po, openflow.BadRequestBufferUnknown)
		return
	}
	for i := range po.Actions {
		if a := &po.Actions[i]; a.Type == openflow.ActionOutput {
			sw.output(a.Port, po.InPort, po.Data)
		}
	}
}

// output does an output action.
func (sw *Switch) output(to, in uint32, frame []byte) {
	switch to {
	case openflow.PortInPort:
		sw.transmit(in, frame)
	case openflow.PortAll, openflow.PortFlood:
		for n := range sw.ports.list {
			if uint32(n)+1 != in {
				sw.transmit(uint32(n)+1, frame)
			}
		}
	default:
		if to != in {
			sw.transmit(to, frame)
		}
	}
}

// BatchEnd takes the time at which the description leaves.
func (sw *Switch) BatchEnd(s *session.Session) {
	if got := sw.input.end(); got.FlowMods > 0 {
		sw.net.count(&got)
	}
	if sw.description.requested != 0 {
		sw.description.end(sw.net.age())
	}
	if sw.tap != nil {
		sw.tap.BatchEnd(s)
	}
}

// Disconnected forgets the connection. Who sees that there is none finds its end counted.
func (sw *Switch) Disconnected(s *session.Session, err error) {
	if sw.conn.Load() == s {
		sw.net.lost(sw, err)
		sw.conn.CompareAndSwap(s, nil)
	}
}
