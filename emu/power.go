package emu

import (
	"cmp"
	"fmt"

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
	if sw.table == nil {
		sw.mu.Unlock()
		return
	}
	sw.table, sw.roles, sw.behaviour = nil, nil, nil
	sw.power.Store(false)
	sw.count()
	for _, p := range sw.ports {
		p.stopped.Store(false)
	}
	sw.mu.Unlock()
	sw.net.on.Add(-1)
	for _, p := range sw.ports {
		p.link.refresh()
	}
	for _, ch := range sw.channels {
		ch.cut()
	}
}

// Up gives the switch power again: its tables are empty, and it connects to its controllers.
func (sw *Switch) Up() {
	sw.powerMu.Lock()
	defer sw.powerMu.Unlock()
	sw.mu.Lock()
	if sw.table != nil {
		sw.mu.Unlock()
		return
	}
	sw.table, sw.roles, sw.behaviour = flowtable.New(sw.tableConfig()), new(session.Roles), sw.behave()
	sw.power.Store(true)
	now := sw.clock(sw.net.now())
	out := output{sw: sw, now: now}
	for _, p := range sw.ports {
		sw.table.AddPort(p.describe(p.out.spec), now, &out)
	}
	if sw.net.cfg.LocalPort {
		sw.table.AddPort(sw.localPort(), now, &out)
	}
	sw.mu.Unlock()
	sw.net.on.Add(1)
	for _, p := range sw.ports {
		p.link.refresh()
	}
	for _, ch := range sw.channels {
		ch.dial()
	}
}

// On reports whether the switch has power.
func (sw *Switch) On() bool { return sw.power.Load() }

// tableConfig is that of the network, with a seed of the switch's own.
func (sw *Switch) tableConfig() flowtable.Config {
	c := sw.net.cfg.Switch
	r := random.Seeded(sw.net.cfg.Seed, seedTables, sw.Index)
	c.Seed = r.Next()
	if sw.profile != nil {
		t := sw.profile.Tables
		c.Tables, c.MaxEntries = cmp.Or(t.Count, c.Tables), cmp.Or(t.Entries, c.MaxEntries)
		c.MaxGroups, c.MaxMeters, c.Buffers = cmp.Or(t.Groups, c.MaxGroups), cmp.Or(t.Meters, c.MaxMeters),
			cmp.Or(t.Buffers, c.Buffers)
	}
	return c
}

// SetPort breaks a port or mends it: its link loses the carrier at both ends. The error says that
// there is no such port.
func (sw *Switch) SetPort(number uint32, up bool) error {
	p := sw.port(number)
	if p == nil {
		return fmt.Errorf("switch %s has no port %d", sw.name, number)
	}
	p.broken.Store(!up)
	p.link.refresh()
	return nil
}
