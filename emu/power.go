package emu

import (
	"cmp"
	"fmt"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/random"
	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/session"
)

// Down takes the power from the switch: its tables are lost, its connections end without a word,
// its links lose their carrier.
func (sw *Switch) Down() {
	sw.powerMu.Lock()
	defer sw.powerMu.Unlock()
	sw.mu.Lock()
	if sw.data.table == nil {
		sw.mu.Unlock()
		return
	}
	sw.data.table, sw.roles, sw.behaviour = nil, nil, nil
	sw.power.Store(false)
	sw.data.count()
	for _, p := range sw.ports {
		p.stopped.Store(false)
	}
	sw.mu.Unlock()
	sw.net.on.Add(-1)
	for _, p := range sw.ports {
		p.link.refresh()
	}
	for _, ch := range sw.control.channels {
		ch.cut()
	}
}

// Up gives the switch power again: its tables are empty, and it connects to its controllers.
func (sw *Switch) Up() {
	sw.powerMu.Lock()
	defer sw.powerMu.Unlock()
	sw.mu.Lock()
	if sw.data.table != nil {
		sw.mu.Unlock()
		return
	}
	sw.data.table = flowtable.New(sw.net.cfg.tables(sw.profile, sw.Index))
	sw.roles, sw.behaviour = new(session.Roles), newBehaviour(sw)
	sw.power.Store(true)
	now := sw.data.clock(sw.net.now())
	out := output{sw: sw, now: now}
	for _, p := range sw.ports {
		sw.data.table.AddPort(p.describe(p.out.spec), now, &out)
	}
	if sw.net.cfg.LocalPort {
		sw.data.table.AddPort(sw.localPort(), now, &out)
	}
	sw.mu.Unlock()
	sw.net.on.Add(1)
	for _, p := range sw.ports {
		p.link.refresh()
	}
	for _, ch := range sw.control.channels {
		ch.dial()
	}
}

// On reports whether the switch has power.
func (sw *Switch) On() bool { return sw.power.Load() }

// tables is the configuration of a switch's tables, with a seed of the switch's own.
func (c *Config) tables(p *profile.Profile, index int) flowtable.Config {
	f := c.Switch
	r := random.Seeded(c.Seed, seedTables, index)
	f.Seed = r.Next()
	if p != nil {
		t := p.Tables
		f.Tables, f.MaxEntries = cmp.Or(t.Count, f.Tables), cmp.Or(t.Entries, f.MaxEntries)
		f.MaxGroups, f.MaxMeters, f.Buffers = cmp.Or(t.Groups, f.MaxGroups), cmp.Or(t.Meters, f.MaxMeters),
			cmp.Or(t.Buffers, f.Buffers)
	}
	return f
}

// SetPort breaks a port or mends it: its link loses the carrier at both ends. The error says that
// there is no such port.
func (sw *Switch) SetPort(number uint32, up bool) error {
	p := sw.ports.find(number)
	if p == nil {
		return fmt.Errorf("switch %s has no port %d", sw.name, number)
	}
	p.broken.Store(!up)
	p.link.refresh()
	return nil
}
