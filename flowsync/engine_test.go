package flowsync

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
	conns "github.com/weirnet/weir/session"
)

// engine is a node without anything but sessions and flowsync.
type engine struct {
	t     *testing.T
	v     openflow.Version
	view  *netview.View
	facts *netview.Facts
	loop  *Loop
}

// sessionConn is the Conn of a session, which knows whose messages errors are about.
type sessionConn struct {
	*conns.Session
	at   Address
	mu   sync.Mutex
	sent map[uint32]Refused // by transaction id
}

func (c *sessionConn) Send(batch uint64, index int, messages ...openflow.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, err := c.Session.Send(messages...)
	c.own(first, len(messages), batch, index)
	return err
}

func (c *sessionConn) SendFrames(batch uint64, frames []byte, count int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	first, err := c.Session.SendFrames(frames, count)
	c.own(first, count, batch, 0)
	return err
}

// own notes messages that were sent; c.mu is held.
func (c *sessionConn) own(first uint32, count int, batch uint64, index int) {
	for i := range count {
		c.sent[first+uint32(i)] = Refused{Batch: batch, Index: index + i}
	}
}

// of is whose message has a transaction id.
func (c *sessionConn) of(xid uint32) (Refused, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of, ok := c.sent[xid]
	return of, ok
}

func (e *engine) Connected(s *conns.Session) {
	f := s.Features()
	c := &sessionConn{Session: s, at: Address{netview.DPID(f.Datapath), epochs.Add(1)}, sent: make(map[uint32]Refused)}
	s.SetValue(c)
	e.loop.SwitchUp(c.at, f.Version, f.Tables, c)
}
func (e *engine) PacketIn(*conns.Session, openflow.Header, *openflow.PacketIn) {}
func (e *engine) BatchEnd(*conns.Session)                                      {}

func (e *engine) Frame(s *conns.Session, h openflow.Header, frame []byte) bool {
	return h.Type == openflow.TypeFlowRemoved && e.loop.RemovedFrame(s.Value().(*sessionConn).at, h.Version, frame)
}

func (e *engine) Message(s *conns.Session, h openflow.Header, m openflow.Message) {
	c := s.Value().(*sessionConn)
	switch m := m.(type) {
	case *openflow.ErrorMsg:
		e.t.Logf("%s", openflow.Text(h, m))
		if of, ok := c.of(h.XID); ok {
			e.loop.Refused(c.at, of.Batch, of.Index, m)
		}
	case *openflow.FlowRemoved:
		e.loop.Removed(c.at, m)
	case *openflow.MultipartReply:
		if list, ok := m.Body.(*openflow.FlowUpdateList); ok {
			e.loop.Updates(c.at, list)
		}
	case *openflow.Experimenter:
		if paused, ok := m.FlowMonitorPause(h.Version); ok {
			e.loop.MonitorPaused(c.at, paused)
		}
	}
}
func (e *engine) Disconnected(s *conns.Session, _ error) {
	e.loop.SwitchDown(s.Value().(*sessionConn).at, "")
}

// newEngine runs an engine, which does not listen yet, for switch 1.
func newEngine(t *testing.T, v openflow.Version, config Config) *engine {
	e := &engine{t: t, v: v, view: netview.New(netview.Limits{})}
	config.Grace = 10 * time.Millisecond
	e.facts, e.loop = e.view.Facts(), New(config, e.view)
	e.facts.Update(func(tx *netview.FactsTx) {
		tx.PutSwitch(&netview.Switch{DPID: 1, State: netview.SwitchReady, Connected: true, Settled: true})
	})
	ctx, cancel := context.WithCancel(context.Background())
	go e.loop.Run(ctx)
	t.Cleanup(func() {
		cancel()
		<-e.loop.done
	})
	return e
}

// serve has the engine take the sessions that a listener has for it.
func (e *engine) serve(listener net.Listener) {
	server := conns.NewServer(conns.Config{}, e)
	go server.Serve(listener)
	e.t.Cleanup(func() { server.Close(context.Background()) })
}

func (e *engine) counters() (c Counters) {
	e.loop.Ask(func(core *Core) { c = core.Counters() })
	return c
}

// isSettled reports whether nothing is to be written, as far as is known.
func (e *engine) isSettled() (is bool) {
	e.loop.Ask(func(core *Core) {
		s := core.Statuses()[0]
		is = s.Compared && s.Pending+s.Removing+s.Stale+s.Lacking+s.InFlight == 0 && core.switches[1].objects.Quiet()
	})
	return is
}

// outcomes counts what is told, and keeps the last of each intent, and the results of each in their order.
type outcomes struct {
	mu    sync.Mutex
	count [5]int
	last  map[uint32]ruleset.Outcome
	all   map[uint32][]string
}

func newOutcomes() *outcomes {
	return &outcomes{last: make(map[uint32]ruleset.Outcome), all: make(map[uint32][]string)}
}

func (o *outcomes) add(list []ruleset.Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, out := range list {
		o.count[out.Result]++
		o.last[out.Rules.Number] = out
		o.all[out.Rules.Number] = append(o.all[out.Rules.Number], out.Result.String())
	}
}

func (o *outcomes) of(what ruleset.Result) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count[what]
}

// results are those of an intent: "installed lost installed".
func (o *outcomes) results(intent uint32) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.all[intent], " ")
}

// lastOf is what was told last of an intent.
func (o *outcomes) lastOf(intent uint32) ruleset.Outcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last[intent]
}
