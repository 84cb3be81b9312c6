package emu

import (
	"errors"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Packet-ins are lost while more than maxAsync bytes wait for a controller, besides the statistics
// it has asked for. Answers, and what tells of lost entries and changed ports, go on. Below
// littleAsync the statistics have left.
const (
	maxAsync    = 1 << 20
	littleAsync = 64 << 10
)

// conn is one connection of a switch to a controller: the session's SwitchHandler. What the session
// calls runs on its reader.
type conn struct {
	sw         *Switch
	channel    *channel
	wire       *wire
	roles      *session.Roles       // of the switch, since it has power
	version    openflow.Version     // from Connected on
	flags      openflow.ConfigFlags // that the tables know of; of the reader
	lastError  *rejection           // the controller's last word so far; of the reader
	acceptance acceptance           // of the reader

	session *session.Session // from Connected on; guarded by the switch's lock, as the rest is
	async   openflow.AsyncMasks
	asked   int                                   // bytes of statistics that may wait still
	pin     openflow.PacketIn                     // memory that is used again
	parts   map[uint32]*openflow.MultipartRequest // that have come, of requests in several parts; of the reader
}

// Connected adds the connection to those of the switch, after the handshake.
func (c *conn) Connected(s *session.Session) {
	sw := c.sw
	c.version = s.Version()
	sw.mu.Lock()
	if sw.roles != c.roles {
		sw.mu.Unlock()
		c.wire.Close()
		return
	}
	c.session = s
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
	sw := c.sw
	sw.mu.Lock()
	if sw.roles != c.roles { // the power was off meanwhile
		sw.mu.Unlock()
		return false
	}
	out := output{sw: sw, now: sw.data.clock(sw.net.now()), from: from}
	err := f(sw.data.table, &out)
	sw.data.count()
	sw.mu.Unlock()
	if err != nil {
		refuse(s, h, m, err)
	}
	return err == nil
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
			err = t.CheckFlowMod(c.version, m, out.now)
		} else {
			err = t.FlowMod(c.version, m, out.now, out)
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
		return t.PacketOut(c.version, m, out.now, out)
	})
}

// packetIn sends a packet-in; false if too much is queued for the controller. The switch's lock is
// held.
func (c *conn) packetIn(p *flowtable.PacketIn) bool {
	waiting := c.session.Queue()
	if waiting < littleAsync {
		c.asked = 0
	}
	if waiting > maxAsync+c.asked {
		return false
	}
	p.Message(&c.pin, c.version, c.session.SwitchConfig().MissSendLen)
	_, err := c.session.Send(&c.pin)
	c.pin.Data = nil
	return err == nil
}

// refuse answers a message with the specification's error; not if the session has ended.
func refuse(s *session.Session, h openflow.Header, m openflow.Message, why error) {
	if sessionGone(why) {
		return
	}
	d := &openflow.DecodeError{Code: openflow.BadRequestBadType, Reason: why.Error()}
	var refused *flowtable.Error
	if errors.As(why, &refused) {
		d.Code = refused.Code
	}
	frame, err := openflow.Append(nil, s.Version(), h.XID, m)
	if err != nil {
		frame = []byte{uint8(s.Version())}
	}
	_ = s.Reply(h.XID, openflow.NewError(d, frame))
}
