package discovery

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"time"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/trace"
)

// Discovery is the loop around a Core. Run's goroutine owns the core and is the only one that
// writes facts; sessions' readers put events into the inbox. It ends with Run's context.
type Discovery struct {
	loop.Part

	core     *Core
	seen     *hosts.SeenCache // of the core; sessions look it up
	facts    *netview.Facts
	inbox    *inbox
	inputs   []input                  // scratch of Run
	sessions map[netview.DPID]current // of each connected switch, as far as inputs were handled; Run's

	forgedLimiter *alarmLimiter
}

// current is the present session of a switch.
type current struct {
	epoch uint64
	out   Output // nil: it takes nothing
}

// New returns a discovery that writes facts. It does nothing before Run.
func New(facts *netview.Facts, cfg Config) *Discovery {
	if cfg.Seed == 0 {
		var seed [8]byte
		rand.Read(seed[:])
		cfg.Seed = binary.BigEndian.Uint64(seed[:])
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	core := NewCore(cfg, cfg.Now())
	d := &Discovery{
		core: core, seen: core.hosts.Seen, facts: facts, inbox: newInbox(core.cfg.Limits),
		sessions:      make(map[netview.DPID]current),
		forgedLimiter: newAlarmLimiter(),
	}
	d.Part = loop.Part{Name: "discovery", Bell: loop.NewBell(), Turn: d.turn, End: d.inbox.close}
	return d
}

// Counts returns the counters since start.
func (d *Discovery) Counts() *inventory.Counts { return d.core.Counts }

// turn handles all events, and what is due. It returns when to call it again without events.
func (d *Discovery) turn() (next time.Time) {
	d.inputs = d.inbox.drain(d.inputs)
	for rest := d.inputs; ; rest = rest[batchInputs:] {
		d.step(rest[:min(batchInputs, len(rest))])
		if len(rest) <= batchInputs {
			break
		}
	}
	clear(d.inputs) // release what the inputs point to
	next, _ = d.core.Next()
	return next
}

// step runs one transaction over some inputs. What others have locks for is read before it and done
// after it, since the view is locked meanwhile.
func (d *Discovery) step(inputs []input) {
	cfg := &d.core.cfg
	for i := range inputs {
		if in := &inputs[i]; in.kind == inputProbe && cfg.RoundTrip != nil {
			in.arrival.srcTrip, in.arrival.dstTrip = cfg.RoundTrip(in.probe.From.DPID), cfg.RoundTrip(in.at.DPID)
		}
	}
	d.facts.Update(func(tx *netview.FactsTx) {
		d.core.Begin(tx, cfg.Now())
		for i := range inputs {
			if d.isCurrent(&inputs[i]) {
				d.core.handle(&inputs[i])
			}
		}
		d.core.Tick()
	})
	trace.At(trace.Facts)
	urgent := false
	for i := range inputs {
		in := &inputs[i]
		urgent = urgent || in.breaks()
		if f := in.forget; f != nil {
			close(f.done)
		}
	}
	if urgent && cfg.Changed != nil {
		cfg.Changed()
	}
	d.core.Sends(func(at netview.Point, frame []byte) bool {
		d.core.SendTime(cfg.Now())
		out := d.sessions[at.DPID].out
		return out != nil && out.PacketOut(at.Port, frame)
	})
	d.core.Barriers(func(dpid netview.DPID, number uint64) {
		if s := d.sessions[dpid]; s.out != nil {
			s.out.Barrier(func() { d.put(input{kind: inputBarrier, dpid: dpid, epoch: s.epoch, number: number}) })
		}
	})
	d.core.Alarms(cfg.Alarms)
	d.core.SilentHosts(cfg.InUse)
}

// isCurrent reports whether an input is to be handled, and notes sessions that begin and end: what is
// of one that has ended is dropped here.
func (d *Discovery) isCurrent(in *input) bool {
	switch in.kind {
	case inputUp:
		if d.sessions[in.facts.DPID].epoch >= in.facts.Epoch {
			return false
		}
		d.sessions[in.facts.DPID] = current{in.facts.Epoch, in.facts.Out}
	case inputDown, inputFormerLinks, inputBarrier:
		if s, ok := d.sessions[in.dpid]; !ok || s.epoch != in.epoch {
			return false
		}
		if in.kind == inputDown {
			delete(d.sessions, in.dpid)
		}
	}
	return true
}

// Load restores the view of the previous process. It is called before Run, and before any switch
// connects. The rows belong to the view from then on.
func (d *Discovery) Load(switches []*netview.Switch, links []*netview.Link, hosts []*netview.Host) {
	d.facts.Update(func(tx *netview.FactsTx) {
		d.core.Begin(tx, d.core.cfg.Now())
		d.core.Load(switches, links, hosts)
	})
	d.core.Alarms(d.core.cfg.Alarms)
}

// put hands an input to the loop; false if it was dropped.
func (d *Discovery) put(in input) bool {
	ok, wake := d.inbox.put(in)
	if wake {
		d.Bell.Ring()
	}
	return ok
}

// SwitchUp reports that a switch has connected, after its handshake. For one switch the calls of
// SwitchUp, PortStatus and SwitchDown are in order. It blocks only if Limits.Facts is reached. The
// view shows the switch within microseconds.
func (d *Discovery) SwitchUp(f SwitchFacts) { d.put(input{kind: inputUp, facts: &f}) }

// SwitchDown reports that a switch's session is lost. If the switch has another one by now, that
// stays.
func (d *Discovery) SwitchDown(dpid netview.DPID, epoch uint64) {
	d.put(input{kind: inputDown, dpid: dpid, epoch: epoch})
}

// PortStatus reports that a port was added, deleted or modified. The port is copied.
func (d *Discovery) PortStatus(dpid netview.DPID, reason openflow.PortReason, p openflow.Port) {
	d.put(input{kind: inputPort, dpid: dpid, reason: reason, port: &p})
}

// FormerLinkPorts reports which ports of a switch, in the session of that epoch, led to other switches before the
// restart, according to the rules found on it; an empty list is reported too. If nothing is heard
// at such a port, it does not become an edge for some time: the switch behind it may be about to
// connect. The list is retained. It never blocks: discovery itself may prompt the caller.
func (d *Discovery) FormerLinkPorts(dpid netview.DPID, epoch uint64, ports []uint32) {
	d.put(input{kind: inputFormerLinks, dpid: dpid, epoch: epoch, ports: ports})
}

// LLDP handles an LLDP frame that came in at a port. The frame is parsed before LLDP returns, on
// the caller's goroutine: foreign frames cost the loop nothing.
func (d *Discovery) LLDP(dpid netview.DPID, port uint32, frame []byte) {
	at, came := netview.Point{DPID: dpid, Port: port}, d.core.cfg.Now()
	p, err := d.core.prober.Codec.Decode(frame)
	if err != nil {
		d.core.prober.Count(err)
		if errors.Is(err, probes.ErrForged) && d.forgedLimiter.first(at, came) {
			d.core.cfg.raiseForged(at, err)
		}
		return
	}
	if !d.put(input{kind: inputProbe, at: at, probe: p, arrival: arrival{at: came}}) {
		d.core.Counts.DroppedProbes.Add(1)
	}
}

// Own reports whether a frame is a discovery frame of this network's, or says so. Any goroutine may call it.
func (d *Discovery) Own(frame []byte) bool {
	_, err := d.core.prober.Codec.Decode(frame)
	return err == nil || errors.Is(err, probes.ErrForged)
}

// Frame learns from a frame that came in at a port. It is called for every packet-in, from any
// goroutine: if nothing is new it takes no lock, allocates nothing and returns within tens of
// nanoseconds.
func (d *Discovery) Frame(dpid netview.DPID, port uint32, k *packet.Key) {
	at := netview.Point{DPID: dpid, Port: port}
	s, ok := hosts.ParseSighting(at, k)
	if ok && d.seen.IsNew(&s) && !d.put(input{kind: inputFrame, sighting: s}) {
		d.core.Counts.DroppedFrames.Add(1)
	}
}

// ForgetSwitch deletes a switch that is gone for good, with its links and hosts, and returns when
// the view shows it, or the context ends: it may be deleted all the same. The error is
// ErrConnected, ErrUnknown, ErrEnded or the context's.
func (d *Discovery) ForgetSwitch(ctx context.Context, dpid netview.DPID) error {
	return d.forget(ctx, &forgetRequest{dpid: dpid, done: make(chan struct{})})
}

// ForgetHost deletes a host, as ForgetSwitch does a switch. One that is alive is learned again with
// its next packet.
func (d *Discovery) ForgetHost(ctx context.Context, id netview.HostID) error {
	return d.forget(ctx, &forgetRequest{host: &id, done: make(chan struct{})})
}

// DropHost is ForgetHost without waiting.
func (d *Discovery) DropHost(id netview.HostID) {
	d.put(input{kind: inputForget, forget: &forgetRequest{host: &id, done: make(chan struct{})}})
}

func (d *Discovery) forget(ctx context.Context, f *forgetRequest) error {
	if !d.put(input{kind: inputForget, forget: f}) {
		return ErrEnded
	}
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
