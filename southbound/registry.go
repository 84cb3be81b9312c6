package southbound

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/trace"
)

// Config is who may connect, and who is told.
type Config struct {
	Instance string // the name of this instance, as master of switches; empty: DefaultInstance
	TLS      TLS
	// Session is what is said of sessions: limits, echoes and the driver. The Registry sets what else
	// is in it.
	Session session.Config
	// Terms are those in which this instance is asked for as master of switches; nil: no role is asked for.
	Terms  Terms
	View   *netview.View
	Alarms *alarm.Board
	// Audit is told of refusals that matter for security, with the datapath id that was claimed, if
	// any; nil: nobody is.
	Audit func(from, dpid, why string)
	Log   *slog.Logger
	Now   func() time.Time // nil: the system's clock
}

// DefaultInstance is Config.Instance where that is empty.
const DefaultInstance = "instance"

// Registry has the sessions of all switches.
type Registry struct {
	Server *session.Server

	cfg       Config
	tls       *switchTLS // nil without
	discovery *discovery.Discovery
	flowsync  *flowsync.Loop
	apps      []App
	epoch     atomic.Uint64
	unowned   atomic.Uint64 // errors about messages that nobody sent
	took      atomic.Int64  // when this instance has taken over from another, in ns of Unix time; 0: it has not
	quiet     logLimiter
	masters   *netview.Masters
	roles     roles
	Standby   Standby

	mu       sync.Mutex       // guards what follows
	sessions map[*Switch]bool // all, while applications may be called
}

// New makes one that is joined to the engines later, and before it serves. The error is that of
// certificates.
func New(cfg Config) (*Registry, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Instance = cmp.Or(cfg.Instance, DefaultInstance)
	g := &Registry{cfg: cfg, sessions: make(map[*Switch]bool), masters: cfg.View.Masters()}
	g.roles.init(g)
	g.Standby.g = g
	g.masters.SetAll(cfg.Instance)
	var err error
	if g.tls, err = newTLS(cfg.TLS); err != nil {
		return nil, err
	}
	sessions := cfg.Session
	sessions.TLS, sessions.Admit, sessions.NewSwitch, sessions.Refused = g.tls.config(), g.admit, g.unverified, g.refused
	sessions.Role = g.roles.first
	g.Server = session.NewServer(sessions, g)
	return g, nil
}

// Join gives it the engines and applications, in the order in which these see packets.
func (g *Registry) Join(d *discovery.Discovery, f *flowsync.Loop, apps ...App) {
	g.discovery, g.flowsync, g.apps = d, f, apps
}

// ReloadCertificates reads those for switches again; nil without TLS.
func (g *Registry) ReloadCertificates() func() error {
	if g.tls == nil {
		return nil
	}
	return g.tls.reload
}

// Connected starts everything that a switch takes part in. Who has to write to it comes before who
// finds out about it.
func (g *Registry) Connected(s *session.Session) {
	f := s.Features()
	if !g.Standby.hold(s, f) {
		begin(g, s, &f)
	}
}

// begin begins a session with its engines and applications.
func begin(g *Registry, s *session.Session, f *session.Features) {
	sw := &Switch{DPID: netview.DPID(f.Datapath), Epoch: g.epoch.Add(1), Version: f.Version, Tables: f.Tables,
		Session: s, queue: newQueue(s), app: noApp}
	sw.told.settled.L = &sw.told.mu
	g.roles.take(sw, f)
	g.comes(sw)
	out := rules{sw.Output(ownerFlowsync, &syncErrors{sw.address(), g.flowsync})}
	s.SetValue(sw)
	for i, a := range g.apps {
		sw.begin(i, a)
	}
	g.discovery.SwitchUp(discovery.SwitchFacts{
		DPID: sw.DPID, Epoch: sw.Epoch, Version: f.Version, Address: f.Remote.String(), Desc: f.Desc,
		Buffers: f.Buffers, Tables: f.Tables, Capabilities: f.Capabilities, Ports: f.Ports, Received: s.Received(),
		Out: probes{sw.Output(ownerDiscovery, nil)},
	})
	g.flowsync.SwitchUp(sw.address(), f.Version, f.Tables, out)
	sw.told.begin()
	g.tellMaster(sw)
	if sw.role.open {
		g.roles.resolve(sw)
	}
	g.cfg.Log.Info("switch connected", "dpid", sw.DPID, "openflow", f.Version, "address", f.Remote, "ports", len(f.Ports))
}

// PacketIn shows a packet to discovery and to the applications.
func (g *Registry) PacketIn(s *session.Session, _ openflow.Header, pin *openflow.PacketIn) {
	sw, ok := s.Value().(*Switch)
	if !ok || sw.claimed(pin) { // it is held: a switch that knows no slaves sends packets to all
		return
	}
	k := &sw.key
	body, fault := packet.ParseKey(pin.Data, k)
	trace.At(trace.PacketIn)
	probe := k.EtherType == packet.TypeLLDP && !malformed(fault) // behind two tags no rule of ours finds it
	for _, a := range sw.admit {
		sw.calls.Begin(a.app)
		if !a.to.Admit(pin.InPort, probe && k.InnerVLAN == 0) {
			sw.calls.End()
			return
		}
	}
	sw.calls.End()
	switch {
	case probe:
		g.discovery.LLDP(sw.DPID, pin.InPort, pin.Data)
		return
	case malformed(fault) || k.EthSrc.IsZero() || k.EthSrc.IsMulticast(): // no host has such an address
		return
	}
	g.discovery.Frame(sw.DPID, pin.InPort, k)
	trace.At(trace.Sighted)
	sw.packet = Packet{PacketIn: pin, Key: k, Body: body}
	for _, a := range sw.packets {
		sw.calls.Begin(a.app)
		if a.to.PacketIn(&sw.packet) {
			break
		}
	}
	sw.calls.End()
}

// claimed reports whether an application has taken a packet-in for its own.
func (sw *Switch) claimed(pin *openflow.PacketIn) bool {
	for _, a := range sw.claim {
		sw.calls.Begin(a.app)
		if a.to.Claim(pin) {
			sw.calls.End()
			return true
		}
	}
	sw.calls.End()
	return false
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

// BatchEnd ends a batch of input: applications ask for their confirmations, and what they wrote goes
// to the queue.
func (g *Registry) BatchEnd(s *session.Session) {
	sw, ok := s.Value().(*Switch)
	if !ok {
		return
	}
	for _, a := range sw.batches {
		sw.calls.Begin(a.app)
		a.to.BatchEnd()
	}
	sw.calls.End()
	sw.queue.flush()
}

// Message hands over all else.
func (g *Registry) Message(s *session.Session, h openflow.Header, m openflow.Message) {
	sw, ok := s.Value().(*Switch)
	if !ok {
		if p, ok := m.(*openflow.PortStatus); ok {
			s.Value().(*heldSwitch).take(p)
		}
		return
	}
	switch m := m.(type) {
	case *openflow.PortStatus:
		trace.At(trace.PortStatus)
		g.discovery.PortStatus(sw.DPID, m.Reason, m.Port)
	case *openflow.FlowRemoved:
		g.flowsync.Removed(sw.address(), m)
		for _, a := range sw.removals {
			sw.calls.Begin(a.app)
			a.to.FlowRemoved(m)
		}
		sw.calls.End()
	case *openflow.ErrorMsg:
		g.refusal(sw, h, m)
	case *openflow.MultipartReply:
		if list, ok := m.Body.(*openflow.FlowUpdateList); ok {
			g.flowsync.Updates(sw.address(), list)
		}
	case *openflow.Experimenter:
		if paused, ok := m.FlowMonitorPause(h.Version); ok {
			g.flowsync.MonitorPaused(sw.address(), paused)
		}
	}
}

// refusal gives an error to the owner of the message that it refuses. One about a message that nobody
// sent, or long ago, is counted.
func (g *Registry) refusal(sw *Switch, h openflow.Header, m *openflow.ErrorMsg) {
	if sw.role.refusesSlave(m) {
		g.roles.demoted(sw)
		return
	}
	r := &sw.refusal
	r.XID, r.Error = h.XID, m
	owner := "nobody"
	if o := sw.queue.refused(r); o == nil {
		g.unowned.Add(1)
	} else {
		owner = o.owner
		if o.refused != nil {
			sw.refuse(o, r)
		}
		if o != sw.role.trial {
			g.roles.suspect(sw, m)
		}
	}
	if g.cfg.Log.Enabled(context.Background(), slog.LevelDebug) { // a hostile switch sends many
		g.cfg.Log.Debug("switch refused a message", "dpid", sw.DPID, "of", owner, "error", openflow.Text(h, m))
	}
}

// refuse gives an error to an owner.
func (sw *Switch) refuse(o *Output, r *Refusal) {
	if o.app != noApp {
		sw.calls.Begin(o.app)
		defer sw.calls.End()
	}
	o.refused.Refused(r)
}

// Unowned is how many errors came about messages that nobody sent.
func (g *Registry) Unowned() uint64 { return g.unowned.Load() }

// Frame takes the news that a rule of an intent went, which switches send in great numbers when
// intents are withdrawn: few but flowsync want to know. All else goes the usual way.
func (g *Registry) Frame(s *session.Session, h openflow.Header, frame []byte) bool {
	if h.Type != openflow.TypeFlowRemoved {
		return false
	}
	sw, ok := s.Value().(*Switch)
	if !ok {
		return true // nobody here waits for it
	}
	if !g.flowsync.RemovedFrame(sw.address(), h.Version, frame) {
		return false
	}
	for _, a := range sw.frames {
		sw.calls.Begin(a.app)
		a.to.RemovedFrame(h.Version, frame)
	}
	sw.calls.End()
	return true
}

var _ session.FrameHandler = (*Registry)(nil)

// Disconnected ends what Connected started. A newer session of the same switch is Connected after
// it.
func (g *Registry) Disconnected(s *session.Session, err error) {
	sw, ok := s.Value().(*Switch)
	if !ok {
		g.Standby.ends(s)
		return
	}
	sw.told.end()
	for i := len(sw.parts) - 1; i >= 0; i-- {
		sw.calls.Begin(sw.parts[i].app)
		sw.parts[i].to.SwitchDown()
	}
	sw.calls.End()
	g.mu.Lock()
	delete(g.sessions, sw)
	g.mu.Unlock()
	g.roles.ends(sw)
	g.flowsync.SwitchDown(sw.address(), stuck(err))
	g.discovery.SwitchDown(sw.DPID, sw.Epoch)
	if errors.Is(err, session.ErrHeld) {
		g.cfg.Alarms.Raise(netview.AlarmLimit, "limits.handshake_memory", "switch "+sw.DPID.String()+": "+err.Error())
	}
	g.cfg.Log.Info("switch disconnected", "dpid", sw.DPID, "reason", err)
}

// stuck is how a session ended whose switch answered nothing, or read nothing; empty if it ended
// otherwise.
func stuck(err error) string {
	if errors.Is(err, session.ErrStuck) || errors.Is(err, session.ErrDead) {
		return err.Error()
	}
	return ""
}

// RoundTrip is how far away a switch is; 0 if that is not known.
func (g *Registry) RoundTrip(dpid netview.DPID) time.Duration {
	if s := g.Server.Session(uint64(dpid)); s != nil {
		return s.MinRoundTrip()
	}
	return 0
}
