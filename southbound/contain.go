package southbound

import (
	"errors"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/openflow"
)

// Containment ends an application that panics, in place of the instance: from then on nothing of it is
// called. It costs a deferred call, and no allocation.
type Containment struct {
	failed func(why any, stack []byte) // told of the panic, once
	ended  atomic.Bool
}

// errPanicked ends the reading of an answer for an application that has ended.
var errPanicked = errors.New("southbound: the application that asks has panicked")

// NewContainment returns that of one application.
func NewContainment(failed func(why any, stack []byte)) *Containment {
	return &Containment{failed: failed}
}

// recovered is deferred around each call.
func (c *Containment) recovered() {
	if why := recover(); why != nil && !c.ended.Swap(true) {
		c.failed(why, debug.Stack())
	}
}

// Do calls what an application has left to be called, unless it has ended.
func (c *Containment) Do(call func()) {
	if !c.ended.Load() {
		defer c.recovered()
		call()
	}
}

// Part contains the turns of the application's own part. Other goroutines do not run it yet.
func (c *Containment) Part(p *loop.Part) {
	turn, beat := p.Turn, p.Beat
	p.Turn = func() (next time.Time) {
		if c.ended.Load() {
			return time.Time{}
		}
		defer c.recovered()
		return turn()
	}
	if beat != nil {
		p.Beat = func() {
			if !c.ended.Load() {
				defer c.recovered()
				beat()
			}
		}
	}
}

// App contains the application's part in sessions.
func (c *Containment) App(a App) App { return &contained{c, a} }

type contained struct {
	*Containment
	app App
}

// Name implements App.
func (c *contained) Name() string { return c.app.Name() }

// SwitchUp implements App.
func (c *contained) SwitchUp(sw *Switch) (p Part) {
	if c.ended.Load() {
		return nil
	}
	sw.contain = c.Containment
	defer c.recovered()
	defer func() { sw.contain = nil }()
	if p := c.app.SwitchUp(sw); p != nil {
		return &containedPart{c.Containment, p}
	}
	return nil
}

// containedPart is a part of a contained application. Switch.take asks the part inside what it wants.
type containedPart struct {
	*Containment
	part Part
}

// SwitchDown implements Part.
func (c *containedPart) SwitchDown() {
	if !c.ended.Load() {
		defer c.recovered()
		c.part.SwitchDown()
	}
}

// takeContained adds what a contained part wants.
func (sw *Switch) takeContained(app int, c *containedPart) {
	sw.parts = append(sw.parts, handler[Part]{app, c})
	if h, ok := c.part.(Admitter); ok {
		sw.admit = append(sw.admit, handler[Admitter]{app, containedAdmitter{c.Containment, h}})
	}
	if h, ok := c.part.(PacketHandler); ok {
		sw.packets = append(sw.packets, handler[PacketHandler]{app, containedPackets{c.Containment, h}})
	}
	if h, ok := c.part.(BatchHandler); ok {
		sw.batches = append(sw.batches, handler[BatchHandler]{app, containedBatches{c.Containment, h}})
	}
	if h, ok := c.part.(FlowRemovedHandler); ok {
		sw.removals = append(sw.removals, handler[FlowRemovedHandler]{app, containedRemovals{c.Containment, h}})
	}
	if h, ok := c.part.(MasterHandler); ok {
		sw.masters = append(sw.masters, handler[MasterHandler]{app, containedMasters{c.Containment, h}})
	}
}

type containedAdmitter struct {
	*Containment
	to Admitter
}

// Admit implements Admitter: what has ended refuses nothing.
func (c containedAdmitter) Admit(port uint32, probe bool) (admitted bool) {
	if c.ended.Load() {
		return true
	}
	admitted = true
	defer c.recovered()
	return c.to.Admit(port, probe)
}

type containedPackets struct {
	*Containment
	to PacketHandler
}

// PacketIn implements PacketHandler.
func (c containedPackets) PacketIn(p *Packet) (consumed bool) {
	if c.ended.Load() {
		return false
	}
	defer c.recovered()
	return c.to.PacketIn(p)
}

type containedBatches struct {
	*Containment
	to BatchHandler
}

// BatchEnd implements BatchHandler.
func (c containedBatches) BatchEnd() {
	if !c.ended.Load() {
		defer c.recovered()
		c.to.BatchEnd()
	}
}

type containedRemovals struct {
	*Containment
	to FlowRemovedHandler
}

// FlowRemoved implements FlowRemovedHandler.
func (c containedRemovals) FlowRemoved(m *openflow.FlowRemoved) {
	if !c.ended.Load() {
		defer c.recovered()
		c.to.FlowRemoved(m)
	}
}

type containedMasters struct {
	*Containment
	to MasterHandler
}

// Mastered implements MasterHandler.
func (c containedMasters) Mastered(on bool) {
	if !c.ended.Load() {
		defer c.recovered()
		c.to.Mastered(on)
	}
}

type containedErrors struct {
	*Containment
	to ErrorHandler
}

// Refused implements ErrorHandler.
func (c containedErrors) Refused(r *Refusal) {
	if !c.ended.Load() {
		defer c.recovered()
		c.to.Refused(r)
	}
}
