package discovery

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// Discovery is the loop around a Core. Run's goroutine owns the core and is the only one that writes facts; sessions'
// readers put what happens into the inbox. It ends with Run's context.
type Discovery struct {
	core  *Core
	facts *netview.Facts
	out   Output
	inbox *inbox
	wake  chan struct{} // holds one token while the inbox may have something
	list  []input       // Run's, taken out of the inbox

	damper *damper
	turns  atomic.Uint64 // of Run
}

// New returns a discovery that writes facts and sends probes by out. It does nothing before Run.
func New(facts *netview.Facts, out Output, cfg Config) *Discovery {
	if cfg.Seed == 0 {
		var seed [8]byte
		rand.Read(seed[:])
		cfg.Seed = binary.BigEndian.Uint64(seed[:])
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	core := NewCore(cfg, cfg.Now())
	return &Discovery{
		core: core, facts: facts, out: out, inbox: newInbox(core.cfg.Limits), wake: make(chan struct{}, 1), damper: newDamper(),
	}
}

// Counts are what happened since start.
func (d *Discovery) Counts() *Counts { return d.core.Counts }

// Run works until ctx is done.
func (d *Discovery) Run(ctx context.Context) {
	defer d.inbox.close()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.wake:
		case <-timer.C:
		}
		if next, ok := d.round(); ok {
			timer.Reset(time.Until(next))
		}
		d.turns.Add(1)
	}
}

// Pulse has Run do a turn soon, and returns how many it has done: who asks again and again sees whether it hangs. It never blocks.
func (d *Discovery) Pulse() uint64 {
	d.ring()
	return d.turns.Load()
}

func (d *Discovery) ring() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// round handles all that has come, and what is due. It says when to call it again if nothing comes.
func (d *Discovery) round() (next time.Time, ok bool) {
	d.list = d.inbox.take(d.list)
	for rest := d.list; ; rest = rest[batch:] {
		d.step(rest[:min(batch, len(rest))])
		if len(rest) <= batch {
			break
		}
	}
	clear(d.list) // let go of what the inputs point to
	return d.core.Next()
}

// Turn is one round of Run, for who steps a discovery that does not run: at any time, and when Waiting says so or the time of
// the last call has come.
func (d *Discovery) Turn() (next time.Time, ok bool) {
	select {
	case <-d.wake:
	default:
	}
	return d.round()
}

// Waiting says whether something has come that Turn would handle.
func (d *Discovery) Waiting() bool { return len(d.wake) > 0 }

// step runs one transaction over some inputs, then sends what is to be sent.
func (d *Discovery) step(inputs []input) {
	d.facts.Update(func(tx *netview.FactsTx) {
		d.core.Begin(tx, d.core.cfg.Now())
		for i := range inputs {
			d.core.handle(&inputs[i])
		}
		d.core.Tick()
	})
	for i := range inputs {
		if f := inputs[i].forget; f != nil {
			close(f.answered)
		}
	}
	d.core.Sends(func(at netview.Point, frame []byte) bool {
		d.core.Departing(d.core.cfg.Now())
		return d.out.PacketOut(at.DPID, at.Port, frame)
	})
	d.core.Barriers(func(dpid netview.DPID, number uint64) {
		d.out.Barrier(dpid, func() { d.put(input{kind: inputPassed, dpid: dpid, number: number}) })
	})
}

// Load takes in what was remembered of the network when the instance ended. It is called before Run, and before any switch
// connects. The rows belong to the view from then on.
func (d *Discovery) Load(switches []*netview.Switch, links []*netview.Link, hosts []*netview.Host) {
	d.facts.Update(func(tx *netview.FactsTx) {
		d.core.Begin(tx, d.core.cfg.Now())
		d.core.Load(switches, links, hosts)
	})
}

// put hands an input to the loop; false if it was dropped.
func (d *Discovery) put(in input) bool {
	ok, wake := d.inbox.put(in)
	if wake {
		d.ring()
	}
	return ok
}

// SwitchUp tells that a switch has connected, after its handshake. For one switch the calls of SwitchUp, PortStatus and
// SwitchDown are in order. It waits only if Limits.Facts is reached. The view shows the switch within microseconds.
func (d *Discovery) SwitchUp(f SwitchFacts) { d.put(input{kind: inputUp, facts: &f}) }

// SwitchDown tells that a switch's session is lost.
func (d *Discovery) SwitchDown(dpid netview.DPID) { d.put(input{kind: inputDown, dpid: dpid}) }

// PortStatus tells that a port came, went or changed. The port is copied.
func (d *Discovery) PortStatus(dpid netview.DPID, reason openflow.PortReason, p openflow.Port) {
	d.put(input{kind: inputPort, dpid: dpid, reason: reason, port: &p})
}

// Remembered tells which ports of a connected switch led to other switches in an earlier life, as the rules say that it
// was found to hold when it connected; none is said too. Where nothing is heard at such a port it is no edge for long: the
// switch behind it may be about to connect. The list is kept. It waits only if Limits.Facts is reached.
func (d *Discovery) Remembered(dpid netview.DPID, ports []uint32) {
	d.put(input{kind: inputRemembered, dpid: dpid, ports: ports})
}

// LLDP hands over an LLDP frame that came in at a port. The frame is read before LLDP returns, on the caller's goroutine:
// what is not ours costs the loop nothing.
func (d *Discovery) LLDP(dpid netview.DPID, port uint32, frame []byte) {
	came := d.core.cfg.Now()
	p, err := d.core.sealer.open(frame)
	if err != nil {
		d.core.Counts.probe(err)
		if at := (netview.Point{DPID: dpid, Port: port}); errors.Is(err, ErrForged) && d.damper.first(at, came) {
			d.core.cfg.refused(at, err)
		}
		return
	}
	if !d.put(input{kind: inputProbe, at: netview.Point{DPID: dpid, Port: port}, probe: p, came: came}) {
		d.core.Counts.DroppedProbes.Add(1)
	}
}

// Frame learns from a frame that came in at a port. It is called for every packet-in, from any goroutine: where nothing
// is new it takes no lock, allocates nothing and returns within tens of nanoseconds.
func (d *Discovery) Frame(dpid netview.DPID, port uint32, k *packet.Key) {
	at := netview.Point{DPID: dpid, Port: port}
	s, ok := sight(at, k)
	if !ok {
		return
	}
	if !d.core.known.news(&s) {
		return
	}
	if !d.put(input{kind: inputFrame, sighting: s}) {
		d.core.Counts.DroppedFrames.Add(1)
	}
}

// ForgetSwitch forgets a switch that is gone for good, with its links and hosts, and returns when the view shows it, or
// the context ends: it may be forgotten all the same. The error is ErrConnected, ErrUnknown, ErrEnded or the context's.
func (d *Discovery) ForgetSwitch(ctx context.Context, dpid netview.DPID) error {
	return d.forget(ctx, &forgetting{dpid: dpid, answered: make(chan struct{})})
}

// ForgetHost forgets a host, as ForgetSwitch does a switch. One that still speaks is learned again with its next packet.
func (d *Discovery) ForgetHost(ctx context.Context, id netview.HostID) error {
	return d.forget(ctx, &forgetting{host: &id, answered: make(chan struct{})})
}

func (d *Discovery) forget(ctx context.Context, f *forgetting) error {
	if !d.put(input{kind: inputForget, forget: f}) {
		return ErrEnded
	}
	select {
	case <-f.answered:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
