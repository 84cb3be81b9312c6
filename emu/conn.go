package emu

import (
	"time"

	"github.com/weirnet/weir/agent"
	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// conn is one connection of a switch to a controller: the session's SwitchHandler. What the session
// calls runs on its reader.
type conn struct {
	sw         *Switch
	channel    *channel
	wire       *wire
	roles      *session.Roles       // of the switch, since it has power
	flags      openflow.ConfigFlags // that the tables know of; of the reader
	lastError  *rejection           // the controller's last word so far; of the reader
	acceptance acceptance           // of the reader

	agent.Agent
}

// Connected adds the connection to those of the switch, after the handshake.
func (c *conn) Connected(s *session.Session) {
	sw := c.sw
	sw.mu.Lock()
	if sw.roles != c.roles {
		sw.mu.Unlock()
		c.wire.Close()
		return
	}
	c.Attach(s)
	first := sw.control.add(c) // what no entry matches is shown while a controller of OpenFlow 1.0 is there
	sw.data.table.SetMiss(sw.control.speaks(openflow.V10))
	greet := !sw.announced && !sw.net.cfg.Silent
	sw.announced = true
	sw.mu.Unlock()
	c.channel.connected(c.wire)
	sw.net.sessions.Add(1)
	if first {
		sw.net.connected.Add(1)
	}
	if greet {
		for _, h := range sw.hosts {
			h.announceLater()
		}
	}
}

// Disconnected removes the connection from those of the switch.
func (c *conn) Disconnected(_ *session.Session, err error) {
	if c.lastError != nil {
		err = c.lastError
	}
	c.channel.troubled(c.wire, err)
	sw := c.sw
	sw.mu.Lock()
	was, last := sw.control.remove(c)
	if sw.data.table != nil {
		sw.data.table.SetMiss(sw.control.speaks(openflow.V10))
	}
	sw.mu.Unlock()
	if was {
		sw.net.sessions.Add(-1)
	}
	if last {
		sw.net.connected.Add(-1)
	}
}

// BatchEnd sets how the tables handle fragments when the controller has changed that: the session
// keeps the setting. Everything else of the batch is done.
func (c *conn) BatchEnd(s *session.Session) {
	c.endOfBatch()
	flags := s.SwitchConfig().Flags
	if flags == c.flags {
		return
	}
	c.flags = flags
	c.sw.mu.Lock()
	defer c.sw.mu.Unlock()
	if c.sw.roles == c.roles {
		c.sw.data.table.SetConfig(flags)
	}
}

// Features answers a features request.
func (c *conn) Features(s *session.Session) openflow.FeaturesReply {
	if c.acceptance == unasked {
		c.acceptance = asked
	}
	c.sw.mu.Lock()
	defer c.sw.mu.Unlock()
	if c.sw.data.table == nil {
		return openflow.FeaturesReply{DatapathID: c.sw.id}
	}
	r := c.sw.data.table.Features(s.Version())
	r.DatapathID = c.sw.id
	return r
}

// do calls f with the tables and answers an error of f; it reports whether there was none.
func (c *conn) do(s *session.Session, h openflow.Header, m openflow.Message,
	f func(t *flowtable.Switch, out *output) error) bool {
	return c.doFrom(s, h, m, 0, f)
}

// doFrom is do for what was promised for a time.
func (c *conn) doFrom(s *session.Session, h openflow.Header, m openflow.Message, from time.Duration,
	f func(t *flowtable.Switch, out *output) error) bool {
	ok, err := c.tables(from, func(t *flowtable.Switch, out *output) error {
		err := f(t, out)
		if err == nil {
			c.Accepted(m)
		}
		return err
	})
	if err != nil {
		agent.Refuse(s, h, m, err)
	}
	return ok && err == nil
}

// tables calls f with the tables, with what was promised for a time; false: the power was off meanwhile.
func (c *conn) tables(from time.Duration, f func(t *flowtable.Switch, out *output) error) (ok bool, err error) {
	sw := c.sw
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.roles != c.roles {
		return false, nil
	}
	out := output{sw: sw, now: sw.data.clock(sw.net.now()), from: from}
	err = f(sw.data.table, &out)
	sw.data.count()
	return true, err
}

// Accepted tells that what a controller wrote was done. The switch's lock is held.
func (c *conn) Accepted(m openflow.Message) {
	if tell := c.sw.net.cfg.Accepted; tell != nil {
		tell(c.sw, c.channel.number, m)
	}
}

// FlowMod applies a flow-mod.
func (c *conn) FlowMod(s *session.Session, h openflow.Header, m *openflow.FlowMod) {
	c.changeFlows(s, h, m)
}

// changeFlows applies a flow-mod, and reports whether it was accepted.
func (c *conn) changeFlows(s *session.Session, h openflow.Header, m *openflow.FlowMod) bool {
	if c.sw.misbehaviour.drops(&c.sw.mu) {
		return false
	}
	return c.do(s, h, m, func(t *flowtable.Switch, out *output) (err error) {
		if c.sw.misbehaviour.forgets() {
			err = t.CheckFlowMod(c.Version(), m, out.now)
		} else {
			err = t.FlowMod(c.Version(), m, out.now, out)
		}
		if m.IdleTimeout|m.HardTimeout != 0 { // also after an error: where only the buffer was at fault, the entry is there
			c.sw.data.expire(out.now, out)
		}
		if err == nil {
			c.sw.engine.counts.flowMods.Add(1)
		}
		return err
	})
}

// PacketOut sends a packet.
func (c *conn) PacketOut(s *session.Session, h openflow.Header, m *openflow.PacketOut) {
	c.packetOut(s, h, m, 0)
}

// packetOut sends a packet, as of a time.
func (c *conn) packetOut(s *session.Session, h openflow.Header, m *openflow.PacketOut, from time.Duration) {
	c.doFrom(s, h, m, from, func(t *flowtable.Switch, out *output) error {
		c.sw.engine.counts.packetOuts.Add(1)
		return t.PacketOut(c.Version(), m, out.now, out)
	})
}

// Message does what the session does not do itself.
func (c *conn) Message(s *session.Session, h openflow.Header, m openflow.Message) {
	if e, ok := m.(*openflow.ErrorMsg); ok {
		c.lastError = &rejection{code: e.Code, text: string(e.Data)}
		return
	}
	c.Agent.Message(s, h, m)
}

// Tables calls f with the tables, unless the power was off meanwhile.
func (c *conn) Tables(f func(t *flowtable.Switch, now time.Duration, out flowtable.Output) error) (ok bool, err error) {
	return c.tables(0, func(t *flowtable.Switch, out *output) error { return f(t, out.now, out) })
}

// Desc describes the switch.
func (c *conn) Desc() *openflow.Desc { return c.sw.desc() }

// Show leaves out the entries that a misbehaving switch hides.
func (c *conn) Show(reply openflow.ReplyBody) { c.sw.misbehaviour.hide(reply) }

// PortMod configures a port. One that is switched off has no carrier, at both ends of its link.
func (c *conn) PortMod(v openflow.Version, m *openflow.PortMod) (ok bool, err error) {
	p, changed := c.sw.ports.find(m.Port), false
	ok, err = c.tables(0, func(t *flowtable.Switch, out *output) error {
		if err := t.PortMod(v, m, out.now, out); err != nil {
			return err
		}
		c.Accepted(m)
		if p == nil || m.Mask&openflow.PortConfigDown == 0 {
			return nil
		}
		p.stopped.Store(m.Config&openflow.PortConfigDown != 0) // under the lock: the tables and it say the same
		changed = true
		return nil
	})
	if changed {
		p.link.refresh()
	}
	return ok, err
}
