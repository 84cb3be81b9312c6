package node

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/app/guard"
	"github.com/weirnet/weir/app/proxyarp"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/northbound"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/stats"
)

// switches is the controller's side of all switches: it hands what they say to those it concerns.
// Its methods are called by the sessions' readers.
type switches struct {
	log        *slog.Logger
	server     *session.Server
	discovery  *discovery.Discovery
	flowsync   *flowsync.Loop
	forward    *forward.Forward // nil if disabled
	guard      *guard.Guard     // nil if disabled
	stats      *stats.Loop
	proxyarp   *proxyarp.Proxy // nil if disabled
	view       *netview.View
	alarms     *alarm.Board
	failModes  failModes
	ruleChecks *northbound.RuleChecks
}

// newSwitches makes what is joined to the engines later.
func newSwitches(cfg *Config, view *netview.View, alarms *alarm.Board) *switches {
	return &switches{log: cfg.Log, alarms: alarms, view: view, failModes: failModes{now: time.Now}}
}

// device is what a session's reader needs at hand.
type device struct {
	dpid     netview.DPID
	out      *switchOutput
	datapath *forward.Datapath // nil if forwarding is disabled
	gate     *guard.Gate       // nil if the guard is disabled
	key      packet.Key
	asked    proxyarp.Port
}

// Connected starts everything that a switch takes part in. Who has to write to it comes before who
// finds out about it.
func (n *switches) Connected(s *session.Session) {
	f := s.Features()
	d := &device{dpid: netview.DPID(f.Datapath), out: newSwitchOutput(s)}
	s.SetValue(d)
	if n.forward != nil {
		d.datapath = n.forward.Attach(d.dpid, f.Version, f.Tables, d.out)
	}
	n.guardUp(d, &f)
	n.discovery.SwitchUp(discovery.SwitchFacts{
		DPID: d.dpid, Version: f.Version, Address: f.Remote.String(), Desc: f.Desc,
		Buffers: f.Buffers, Tables: f.Tables, Capabilities: f.Capabilities, Ports: f.Ports, Received: s.Received(),
	})
	n.flowsync.SwitchUp(d.dpid, f.Version, f.Tables, s)
	n.stats.SwitchUp(d.dpid, f.Version, counterConn{s})
	n.log.Info("switch connected", "dpid", d.dpid, "openflow", f.Version, "address", f.Remote, "ports", len(f.Ports))
}

// PacketIn shows a packet to discovery and gives it to the application.
func (n *switches) PacketIn(s *session.Session, _ openflow.Header, pin *openflow.PacketIn) {
	d := s.Value().(*device)
	if !d.admits(pin) {
		return
	}
	dst, src, vlan, etherType, _, ok := packet.ParseEthernet(pin.Data)
	if !ok {
		return
	}
	if etherType == packet.TypeLLDP {
		n.discovery.LLDP(d.dpid, pin.InPort, pin.Data)
		return
	}
	end, fault := packet.ParseKey(pin.Data, &d.key)
	if malformed(fault) || src == 0 || src>>40&1 != 0 { // no host has such an address
		return
	}
	n.discovery.Frame(d.dpid, pin.InPort, &d.key)
	n.answer(d, pin, end)
	if d.datapath != nil {
		d.datapath.PacketIn(pin, forward.Frame{Dst: dst, Src: src, VLAN: vlan, EtherType: etherType})
	}
}

// malformed reports whether a frame is not what its types say, up to the network header: it is
// neither learned from nor forwarded. What is wrong further in is between hosts.
func malformed(f packet.Fault) bool {
	switch f {
	case packet.FaultNone, packet.FaultExtension, packet.FaultTransport:
		return false
	}
	return true
}

// BatchEnd ends a batch of input: the application asks for its confirmations and what it wrote goes
// to the queue.
func (n *switches) BatchEnd(s *session.Session) {
	d, ok := s.Value().(*device)
	if !ok {
		return
	}
	if d.datapath != nil {
		d.datapath.BatchEnd()
	}
	d.out.Flush()
}

// Message hands over all else.
func (n *switches) Message(s *session.Session, h openflow.Header, m openflow.Message) {
	d := s.Value().(*device)
	n.guardMessage(d, h, m)
	n.flowMonitorMessage(d, s, h, m)
	switch m := m.(type) {
	case *openflow.PortStatus:
		n.discovery.PortStatus(d.dpid, m.Reason, m.Port)
	case *openflow.FlowRemoved:
		n.flowsync.Removed(d.dpid, s, m)
		if d.datapath != nil {
			d.datapath.FlowRemoved(m)
		}
	case *openflow.ErrorMsg:
		n.flowsync.Refused(d.dpid, s, h.XID, m)
		d.refused(h.XID, m)
		if n.log.Enabled(context.Background(), slog.LevelDebug) { // a hostile switch sends many
			n.log.Debug("switch refused a message", "dpid", d.dpid, "error", openflow.Text(h, m))
		}
	}
}

// Disconnected ends what Connected started. A newer session of the same switch is Connected after
// it.
func (n *switches) Disconnected(s *session.Session, err error) {
	d := s.Value().(*device)
	if d.datapath != nil {
		d.datapath.Detach(d.out)
	}
	n.guardDown(d)
	n.stats.SwitchDown(d.dpid, counterConn{s})
	n.failModes.sessionEnded(d.dpid, n.view.Snapshot())
	n.flowsync.SwitchDown(d.dpid, s, stuck(err))
	n.discovery.SwitchDown(d.dpid)
	if errors.Is(err, session.ErrHeld) {
		n.alarms.Raise(netview.AlarmLimit, "limits.handshake_memory", "switch "+d.dpid.String()+": "+err.Error())
	}
	n.log.Info("switch disconnected", "dpid", d.dpid, "reason", err)
}

// stuck is how a session ended whose switch answered nothing, or read nothing; empty if it ended
// otherwise.
func stuck(err error) string {
	if errors.Is(err, session.ErrStuck) || errors.Is(err, session.ErrDead) {
		return err.Error()
	}
	return ""
}

// PacketOut sends a frame out of a port, for discovery; false if the session did not take it.
func (n *switches) PacketOut(dpid netview.DPID, port uint32, frame []byte) bool {
	s := n.server.Session(uint64(dpid))
	if s == nil {
		return false
	}
	_, err := s.Send(&openflow.PacketOut{
		Buffer: openflow.NoBuffer, InPort: openflow.PortController,
		Actions: []openflow.Action{openflow.Output(port)}, Data: frame,
	})
	return err == nil
}

// Barrier asks a switch, for discovery, to say when it has come to all that it was sent.
func (n *switches) Barrier(dpid netview.DPID, passed func()) {
	s := n.server.Session(uint64(dpid))
	if s == nil {
		return
	}
	_ = s.Barrier(func(err error) { // of a session whose queue is full, or that ends, nothing is found out
		if err == nil {
			passed()
		}
	})
}

// flowMonitorMessage hands on what belongs to a switch's flow monitor.
func (n *switches) flowMonitorMessage(d *device, s *session.Session, h openflow.Header, m openflow.Message) {
	switch m := m.(type) {
	case *openflow.MultipartReply:
		if list, ok := m.Body.(*openflow.FlowUpdateList); ok {
			n.flowsync.Updates(d.dpid, s, list)
		}
	case *openflow.Experimenter:
		if paused, ok := m.FlowMonitorPause(h.Version); ok {
			n.flowsync.MonitorPaused(d.dpid, s, paused)
		}
	}
}
