package app

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/southbound"
)

// OutputRate is how many messages an application may send to one switch in a second.
const OutputRate = 1000

// queueMax is how many bytes may wait for a switch when an application sends: the rest of its queue is
// for others.
const queueMax = session.DefaultMaxQueue / 4

// Host runs one application. Its part's goroutine calls the application; sessions' readers and
// requests leave what they have for it in the mailbox.
type Host struct {
	loop.Part

	spec   Spec
	app    App
	env    Env
	view   *netview.View
	alarms alarm.Sink
	box    mailbox

	// What the application is besides; nil: it is not.
	switches SwitchHandler
	packets  PacketHandler
	removals FlowRemovedHandler
	errors   ErrorHandler
	masters  MasterHandler
	settings SettingsHandler
	viewer   ViewHandler
	periodic Periodic
	filters  []Filter
	routes   []Route

	// Of the part's goroutine.
	took   mail
	at     int // in took: what the application is called with
	packet Packet
	rev    netview.Revision
	tick   time.Time // when the next one is due
	every  time.Duration
	wrote  []*Switch // in this turn

	calls   southbound.Calls // of the application
	stalled atomic.Bool
	failed  atomic.Pointer[string]
	counts  counts
}

// counts are what happened since the start.
type counts struct{ packets, dropped, sent, unsent atomic.Uint64 }

// New makes the host of an application, and the application. One that cannot be made has failed: an
// alarm says so, and the instance goes on without it.
func New(spec Spec, view *netview.View, alarms alarm.Sink, env Env) *Host {
	h := &Host{spec: spec, view: view, alarms: alarms, env: env}
	h.env.View, h.env.Alarms = view, &raised{host: h, active: make(map[string]bool)}
	h.env.Log = env.Log.With("app", spec.Name)
	h.Part = loop.Part{Name: "application " + spec.Name, Bell: loop.NewBell(), Turn: h.turn, Own: h.run}
	h.make()
	if h.viewer != nil {
		h.Behind = func() bool { return h.failed.Load() == nil && view.Snapshot().Revision() != h.rev }
		h.Changed = func() <-chan struct{} {
			if h.failed.Load() != nil {
				return nil
			}
			return view.Changed(h.rev)
		}
	}
	return h
}

// make makes the application.
func (h *Host) make() {
	defer h.contain()
	a, err := h.spec.New(h.env)
	if err != nil {
		h.fail(err.Error())
		return
	}
	h.app = a
	h.switches, _ = a.(SwitchHandler)
	h.removals, _ = a.(FlowRemovedHandler)
	h.errors, _ = a.(ErrorHandler)
	h.masters, _ = a.(MasterHandler)
	if h.settings, _ = a.(SettingsHandler); h.settings == nil && (&config.App{Settings: h.spec.Settings}).AtOnce() {
		h.fail("settings of it need no restart, and it has no SettingsChanged")
		return
	}
	h.viewer, _ = a.(ViewHandler)
	if h.packets, _ = a.(PacketHandler); h.packets != nil {
		h.filters = slices.Clone(h.packets.Filters())
	}
	if s, ok := a.(Server); ok {
		h.routes = s.Routes()
	}
	if h.periodic, _ = a.(Periodic); h.periodic != nil {
		h.every = max(h.periodic.Period(), MinPeriod)
		h.tick = h.env.Now().Add(h.every)
	}
}

// State is "running", "stalled", or why it has failed.
func (h *Host) State() string {
	switch why := h.failed.Load(); {
	case why != nil:
		return "failed: " + *why
	case h.stalled.Load():
		return "stalled"
	}
	return "running"
}

// Counts are what happened since the start, by kind.
func (h *Host) Counts() map[string]uint64 {
	c := &h.counts
	return map[string]uint64{"packet_ins": c.packets.Load(), "dropped": c.dropped.Load(), "sent": c.sent.Load(),
		"unsent": c.unsent.Load()}
}

// turn calls the application with all that has happened, and returns when to do so again.
func (h *Host) turn() time.Time {
	now := h.env.Now()
	if h.failed.Load() != nil {
		return time.Time{}
	}
	h.work(now)
	h.calls.End()
	return h.tick
}

// work is the turn as far as the application is called.
func (h *Host) work(now time.Time) {
	defer h.contain()
	h.took, h.at = h.box.take(h.took), 0
	for h.at < len(h.took.events) {
		h.calls.Begin(0)
		h.handle(&h.took.events[h.at])
		h.at++
	}
	if h.viewer != nil {
		if snap := h.view.Snapshot(); snap.Revision() != h.rev {
			h.rev = snap.Revision()
			h.calls.Begin(0)
			h.viewer.ViewChanged(snap)
		}
	}
	if h.periodic != nil && !now.Before(h.tick) {
		h.tick = now.Add(h.every)
		h.calls.Begin(0)
		h.periodic.Tick(now)
	}
	for _, s := range h.wrote {
		s.unsent = false
		s.out.Flush()
	}
	clear(h.wrote)
	h.wrote = h.wrote[:0]
}

// handle calls the application with one event.
func (h *Host) handle(e *event) {
	switch {
	case e.ask != nil:
		e.ask.do()
		done := e.ask.done
		e.ask = nil // answered: a later panic does not concern it
		close(done)
	case e.up || e.down:
		if h.switches == nil {
			return
		}
		if e.up {
			h.switches.SwitchUp(e.sw)
		} else {
			h.switches.SwitchDown(e.sw)
		}
	case e.mastered != nil:
		h.masters.Mastered(e.sw, *e.mastered)
	case e.settings != nil:
		h.settings.SettingsChanged(e.settings)
	case e.removed != nil:
		h.removals.FlowRemoved(e.sw, e.removed)
	case e.refused != nil:
		h.errors.Refused(e.sw, e.refused)
	default:
		h.counts.packets.Add(1)
		h.packet = Packet{Switch: e.sw, Port: e.port, Key: e.key, Data: h.took.data[e.from:e.to:e.to]}
		h.packets.PacketIn(&h.packet)
	}
}

// contain ends an application that panics.
func (h *Host) contain() {
	if why := recover(); why != nil {
		h.env.Log.Error("the application has panicked, and is not called again", "panic", why, "stack", string(debug.Stack()))
		h.fail(fmt.Sprint("it panicked: ", why))
	}
}

// fail ends the application. What it was asked is answered.
func (h *Host) fail(why string) {
	h.failed.Store(&why)
	h.tick = time.Time{}
	h.box.close()
	if h.at < len(h.took.events) {
		rest := mail{events: h.took.events[h.at:]}
		rest.end()
	}
	h.took, h.wrote = mail{}, nil
	h.alarms.Raise(netview.AlarmAppFailed, h.spec.Name, why+": it is not called again; the log has more; start the instance again, or without it (--disable-app "+h.spec.Name+")")
}

// mayWrite reports why an application may not write to a switch now.
func (h *Host) mayWrite(s *Switch) error {
	now := h.env.Now()
	if now.Sub(s.second) >= time.Second {
		s.second, s.sent = now, 0
	}
	err := error(nil)
	switch s.sent++; {
	case s.sent > OutputRate:
		err = ErrFlood
		if s.sent == OutputRate+1 {
			h.alarms.Raise(netview.AlarmAppFlood, h.spec.Name, fmt.Sprintf("switch %s: %v: the others are refused", s.DPID, err))
		}
	case s.out.Queue() > queueMax:
		err = session.ErrFull
	}
	return err
}

// written counts a message, and has it leave with the end of the turn.
func (h *Host) written(s *Switch, err error) {
	if err != nil {
		h.counts.unsent.Add(1)
		return
	}
	h.counts.sent.Add(1)
	if !s.unsent {
		s.unsent = true
		h.wrote = append(h.wrote, s)
	}
}

// InSessions is the application's part in switches' sessions; nil: it has none.
func (h *Host) InSessions() southbound.App {
	if h.switches == nil && len(h.filters) == 0 && h.removals == nil && h.errors == nil && h.masters == nil {
		return nil
	}
	return inSessions{h}
}

type inSessions struct{ *Host }

// Name implements southbound.App.
func (x inSessions) Name() string { return x.spec.Name }

// SwitchUp implements southbound.App.
func (x inSessions) SwitchUp(sw *southbound.Switch) southbound.Part {
	h := x.Host
	s := &Switch{DPID: sw.DPID, Epoch: sw.Epoch, Version: sw.Version, host: h}
	p := part{h, s}
	s.out = sw.Output("application "+h.spec.Name, &p)
	h.put(event{sw: s, up: true})
	if len(h.filters) == 0 {
		return &p
	}
	return &packetPart{p}
}

// part is the host in one session. Its methods are called by the session's reader.
type part struct {
	h *Host
	s *Switch
}

// SwitchDown implements southbound.Part.
func (p *part) SwitchDown() { p.h.put(event{sw: p.s, down: true}) }

// FlowRemoved implements southbound.FlowRemovedHandler.
func (p *part) FlowRemoved(m *openflow.FlowRemoved) {
	if p.h.removals != nil {
		p.h.put(event{sw: p.s, removed: m})
	}
}

// Refused implements southbound.ErrorHandler.
func (p *part) Refused(r *southbound.Refusal) {
	if p.h.errors != nil {
		p.h.put(event{sw: p.s, refused: r.Error})
	}
}

// Mastered implements southbound.MasterHandler.
func (p *part) Mastered(on bool) {
	if p.h.masters != nil {
		p.h.put(event{sw: p.s, mastered: &on})
	}
}

// packetPart is the part of an application that sees packet-ins.
type packetPart struct{ part }

// PacketIn implements southbound.PacketHandler: the application sees a copy.
func (p *packetPart) PacketIn(in *southbound.Packet) (consumed bool) {
	h := p.h
	if !slices.ContainsFunc(h.filters, func(f Filter) bool { return f.matches(in.Key) }) {
		return false
	}
	h.left(h.box.packet(p.s, in.InPort, in.Key, in.Data))
	return false
}

// Configure gives the application settings in place of those that it has.
func (h *Host) Configure(settings any) {
	if h.settings != nil {
		h.put(event{settings: settings})
	}
}

// put leaves an event for the next turn.
func (h *Host) put(e event) { h.left(h.box.put(e)) }

// left has the application called, or counts that there was no room.
func (h *Host) left(ok bool) {
	if !ok {
		h.counts.dropped.Add(1)
		h.alarms.Raise(netview.AlarmLimit, "application "+h.spec.Name, "it is slower than what it is to see comes: the rest is dropped")
		return
	}
	h.Bell.Ring()
}

// raised takes the application's alarms. There are no more than raisedMax at a time.
type raised struct {
	host   *Host
	active map[string]bool
}

const raisedMax = 64

// Raise implements Alarms.
func (r *raised) Raise(object, text string) {
	if !r.active[object] && len(r.active) >= raisedMax {
		r.host.alarms.Raise(netview.AlarmLimit, "application "+r.host.spec.Name,
			fmt.Sprintf("it has raised %d alarms that have not ended: further ones are dropped", raisedMax))
		return
	}
	r.active[object] = true
	r.host.alarms.Raise(netview.AlarmApp, r.object(object), text)
}

// Clear implements Alarms.
func (r *raised) Clear(object string) {
	if r.active[object] {
		delete(r.active, object)
		r.host.alarms.Clear(netview.AlarmApp, r.object(object))
	}
}

func (r *raised) object(object string) string {
	if object == "" {
		return r.host.spec.Name
	}
	return r.host.spec.Name + ": " + object
}
