package emu

import (
	"bytes"
	"sync"
	"time"

	"github.com/weirnet/weir/agent"
	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// delayedConn is a connection of a switch with a profile: requests are executed after the profile's
// delays. It keeps the order that barriers demand.
type delayedConn struct {
	*conn

	mu      sync.Mutex // outside of that of the switch
	open    int        // tasks that are being done
	waiting ring[*task]
	room    chan struct{} // has one token when tasks were done
}

// task is a message of a controller; the message is owned by its connection.
type task struct {
	conn   *delayedConn
	s      *session.Session
	h      openflow.Header
	m      openflow.Message // nil: a barrier
	buffer uint32           // of a flow-mod, which its message names no more
}

// maxTasks bounds the messages of one controller that are executed or wait. Above it the connection
// is not read.
const maxTasks = 1 << 14

// Frame queues a message that the session has read.
func (a *delayedConn) Frame(s *session.Session, h openflow.Header, frame []byte) bool {
	_, m, err := openflow.Parse(bytes.Clone(frame))
	if err != nil {
		return false // the session refuses it
	}
	if r, ok := m.(*openflow.MultipartRequest); ok {
		if r, err = a.Assemble(h, r); err != nil {
			agent.Refuse(s, h, m, err)
		}
		if r == nil || err != nil {
			return true
		}
		m = r
	}
	a.accept(&task{conn: a, s: s, h: h, m: m, buffer: openflow.NoBuffer})
	return true
}

// Barrier queues a barrier.
func (a *delayedConn) Barrier(s *session.Session, h openflow.Header) {
	a.accept(&task{conn: a, s: s, h: h})
}

// accept starts a task, or queues it behind a barrier. While there are too many it blocks the
// session's reader, unless a driver runs the network.
func (a *delayedConn) accept(t *task) {
	a.mu.Lock()
	for a.open+a.waiting.len() >= maxTasks && a.sw.net.cfg.Driver == nil {
		a.mu.Unlock()
		select {
		case <-a.room:
		case <-a.wire.over:
			return
		case <-a.sw.net.stop: // no engine makes room any more
			return
		}
		a.mu.Lock()
	}
	defer a.mu.Unlock()
	a.waiting.push(t)
	a.proceed()
}

// proceed starts the tasks that may start. The lock is held.
func (a *delayedConn) proceed() {
	for a.waiting.len() > 0 {
		t := *a.waiting.first()
		if t.m == nil && a.open > 0 {
			return
		}
		a.waiting.pop()
		if t.m == nil {
			_ = t.s.Reply(t.h.XID, &openflow.BarrierReply{})
		} else if !a.begin(t) {
			a.open++
		}
	}
}

// done is called when a task is done. No lock is held.
func (a *delayedConn) done() {
	a.mu.Lock()
	a.open--
	a.proceed()
	a.mu.Unlock()
	select {
	case a.room <- struct{}{}:
	default:
	}
}

// begin starts a task, and reports whether it is done already. The connection's lock is held.
func (a *delayedConn) begin(t *task) bool {
	sw := a.sw
	sw.mu.Lock()
	b := sw.behaviour
	now := sw.net.now()
	if sw.roles != a.roles || b == nil {
		sw.mu.Unlock()
		return true
	}
	when := atOnce
	switch m := t.m.(type) {
	case *openflow.FlowMod:
		if m.Buffer != openflow.NoBuffer {
			t.buffer, m.Buffer = m.Buffer, openflow.NoBuffer
		}
		when = b.changes(t, now)
	case *openflow.GroupMod, *openflow.MeterMod, *openflow.PortMod, *openflow.TableMod:
		when = b.changes(t, now)
	case *openflow.PacketOut:
		when = b.sends(t, m, now)
	case *openflow.MultipartRequest:
		when = b.counts(t, m, now)
	}
	sw.mu.Unlock()
	if m, ok := t.m.(*openflow.FlowMod); ok && when == atOnce {
		return a.flowMod(t, m)
	}
	if when == atOnce {
		a.act(t)
	}
	return when != later
}

// timing is when a request is executed.
type timing uint8

const (
	atOnce timing = iota
	later
	never
)

// changes queues a change for the installer, if the profile has one. The switch's lock is held.
func (b *behaviour) changes(t *task, now time.Duration) timing {
	if b.installer.PerSecond == 0 && b.installer.Delay == 0 {
		return atOnce
	}
	b.install(t, now)
	return later
}

// change applies a change that is due. No lock is held.
func (a *delayedConn) change(t *task) {
	if m, ok := t.m.(*openflow.FlowMod); ok {
		if !a.flowMod(t, m) {
			return
		}
	} else {
		a.act(t)
	}
	a.done()
}

// act executes a task as a switch without a profile does.
func (a *delayedConn) act(t *task) {
	switch m := t.m.(type) {
	case *openflow.PacketOut:
		a.PacketOut(t.s, t.h, m)
	case *openflow.MultipartRequest:
		if err := a.Answer(t.s, t.h, m.Body); err != nil {
			agent.Refuse(t.s, t.h, m, err)
		}
	default:
		a.Message(t.s, t.h, t.m)
	}
}

// flowMod changes entries, and reports whether all is done: not if a packet that was kept is to be
// released later. The switch's lock is not held.
func (a *delayedConn) flowMod(t *task, m *openflow.FlowMod) bool {
	if !a.changeFlows(t.s, t.h, m) || t.buffer == openflow.NoBuffer {
		return true
	}
	sw := a.sw
	sw.mu.Lock()
	b := sw.behaviour
	if sw.roles != a.roles || b == nil {
		sw.mu.Unlock()
		return true
	}
	now := sw.net.now()
	at := b.model.Released(t.buffer, nil, now)
	sw.mu.Unlock()
	m.Buffer = t.buffer
	b.later(at, at-now, func(_ *engine, at time.Duration) {
		a.doFrom(t.s, t.h, m, at,
			func(table *flowtable.Switch, out *output) error { return table.Release(t.buffer, out.now, out) })
		a.done()
	})
	return false
}

// sends schedules a packet-out for the end of its flow's set-up. The switch's lock is held.
func (b *behaviour) sends(t *task, m *openflow.PacketOut, now time.Duration) timing {
	if !b.model.DelaysPacketOuts() {
		return atOnce
	}
	at, ok := b.model.PacketOut(m.Buffer, m.Data, now)
	if !ok {
		b.sw.engine.counts.drops[LostFromRate].Add(1)
		return never
	}
	b.later(at, at-now, func(_ *engine, at time.Duration) {
		t.conn.packetOut(t.s, t.h, m, at)
		t.conn.done()
	})
	return later
}

// counts schedules an answer with counters for when it is complete. The switch's lock is held.
func (b *behaviour) counts(t *task, m *openflow.MultipartRequest, now time.Duration) timing {
	items := 1
	switch r := m.Body.(type) {
	case *openflow.FlowRequest, *openflow.AggregateRequest:
		items = b.sw.data.entries
	case *openflow.PortStatsRequest:
		if r.Port == openflow.PortAny {
			items = len(b.sw.ports)
		}
	case *openflow.TableRequest, *openflow.QueueRequest, *openflow.GroupRequest, *openflow.MeterRequest:
	default:
		return atOnce
	}
	at, ok := b.model.Counters(items, now)
	if !ok {
		return atOnce
	}
	b.later(at, at-now, func(*engine, time.Duration) {
		t.conn.act(t)
		t.conn.done()
	})
	return later
}

var (
	_ session.SwitchHandler  = (*delayedConn)(nil)
	_ session.FrameHandler   = (*delayedConn)(nil)
	_ session.BarrierHandler = (*delayedConn)(nil)
)
