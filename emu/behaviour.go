package emu

import (
	"bytes"
	"time"

	"github.com/weirnet/weir/emu/delay"
	"github.com/weirnet/weir/emu/random"
	"github.com/weirnet/weir/flowtable"
)

// behaviour delays what a switch does as its model says, from power on to power off. It
// belongs to the switch, under its lock. Delayed actions are jobs of the engine.
type behaviour struct {
	sw        *Switch
	model     *delay.Model
	installer installer
}

// newBehaviour is how a switch behaves that has power from now on; nil if it does everything at once.
func newBehaviour(sw *Switch) *behaviour {
	if sw.profile == nil {
		return nil
	}
	b := &behaviour{sw: sw, model: delay.New(sw.profile, random.Seeded(sw.net.cfg.Seed, seedBehaviour, sw.Index))}
	b.installer.Install = sw.profile.Install
	return b
}

// departs is when a frame leaves through a port; false if the switch cannot forward it in time.
func (b *behaviour) departs(o *output, p *port, frame []byte) (time.Duration, bool) {
	from, device := o.leaves(), p.link.outer != nil
	leaves, ok := b.model.Departs(&p.model, frame, from, device)
	if !ok {
		b.sw.engine.counts.drops[LostToForwarding].Add(1)
		return 0, false
	}
	if device { // until then it is at the device
		leaves = max(leaves-b.sw.net.wakeLatency.typical(), from)
	}
	if !p.out.absorbs {
		p.out.engine.ahead.Add(int64(leaves - from))
	}
	return leaves, true
}

// packetIn schedules a packet-in; false if it is to be sent now.
func (b *behaviour) packetIn(o *output, p *flowtable.PacketIn) bool {
	if !b.model.DelaysPacketIns() {
		return false
	}
	from, in := o.leaves(), b.sw.ports.find(p.InPort)
	at, set, ok := b.model.PacketIn(p.Buffer, p.Frame, from, in != nil && in.link.outer != nil)
	if !ok {
		b.sw.engine.counts.drops[LostToRate].Add(1)
		return true
	}
	kept := *p
	kept.Frame = bytes.Clone(p.Frame)
	b.later(at, at-from, func(_ *engine, at time.Duration) { b.show(&kept, set, at) })
	return true
}

// show sends a scheduled packet-in.
func (b *behaviour) show(p *flowtable.PacketIn, set delay.PacketIn, at time.Duration) {
	sw := b.sw
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.behaviour != b {
		return
	}
	now := sw.net.now()
	b.model.Sent(set, now)
	out := output{sw: sw, now: sw.data.clock(now), from: at}
	out.sendPacketIn(p)
}

// job is a delayed action of a switch.
type job struct {
	timer timer
	do    func(e *engine, at time.Duration)
}

// later has the engine call do at a time; promised is the delay until then. The switch's lock is
// not held during the call, which must not hold it for long.
func (b *behaviour) later(at, promised time.Duration, do func(e *engine, at time.Duration)) {
	j := &job{do: do}
	j.timer.owner, j.timer.exact = j, true
	e := b.sw.engine
	e.ahead.Add(int64(promised))
	e.schedule(&j.timer, at)
}

// wake does the job.
func (j *job) wake(e *engine) {
	e.due = append(e.due, j.timer.at)
	j.do(e, j.timer.at)
}
