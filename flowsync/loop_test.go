package flowsync

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// promptConn is a session to a model that answers at once, from a goroutine of its own as a
// session's reader does.
type promptConn struct {
	mu   sync.Mutex
	wire *wire
	room chan struct{} // holds a token for the reader
}

// epochs number the sessions of all tests.
var epochs atomic.Uint64

// connectPrompt connects a model and answers until stop is closed.
func connectPrompt(l *Loop, dpid netview.DPID, m *model, stop <-chan struct{}) *promptConn {
	c := &promptConn{room: make(chan struct{}, 1)}
	c.wire = &wire{loop: l, dpid: dpid, epoch: epochs.Add(1), model: m, room: 1 << 20, dense: true}
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-c.room:
				c.answer()
			}
		}
	}()
	l.SwitchUp(c.wire.at(), m.version, m.tables, c)
	return c
}

func (c *promptConn) answer() {
	c.mu.Lock()
	queue := c.wire.queue
	c.wire.queue = nil
	c.mu.Unlock()
	for _, q := range queue {
		h, m, err := openflow.Parse(q.frame)
		if err != nil {
			panic(err)
		}
		switch {
		case q.barrier != nil:
			q.barrier(nil)
		case q.multipart != nil:
			q.multipart(c.wire.model.multipart(m.(*openflow.MultipartRequest).Body))
		default:
			if code, _ := c.wire.model.take(m); code != 0 {
				c.with(func() { c.wire.refuse(h.XID, code) })
			}
		}
	}
}

func (c *promptConn) with(do func()) {
	c.mu.Lock()
	do()
	c.mu.Unlock()
	select {
	case c.room <- struct{}{}:
	default:
	}
}

func (c *promptConn) Send(batch uint64, index int, messages ...openflow.Message) (err error) {
	c.with(func() { err = c.wire.Send(batch, index, messages...) })
	return err
}

func (c *promptConn) Gather() {}
func (c *promptConn) Write()  {}

func (c *promptConn) SendFrames(batch uint64, frames []byte, count int) (err error) {
	c.with(func() { err = c.wire.SendFrames(batch, frames, count) })
	return err
}

func (c *promptConn) Barrier(answer func(error)) (err error) {
	c.with(func() { err = c.wire.Barrier(answer) })
	return err
}

func (c *promptConn) Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) (err error) {
	c.with(func() { err = c.wire.Multipart(body, answer) })
	return err
}

func (c *promptConn) MultipartParts(body openflow.RequestBody, part func(openflow.Version, []byte) error,
	answer func(error)) (err error) {
	c.with(func() { err = c.wire.MultipartParts(body, part, answer) })
	return err
}

// running runs a loop in a bubble; the test ends when the loop has.
func running(t *testing.T, view *netview.View, test func(l *Loop, stop <-chan struct{})) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l := New(Config{}, view)
		stop := make(chan struct{})
		go l.Run(ctx)
		test(l, stop)
		close(stop)
		cancel()
		<-l.done
		if l.Ask(func(*Core) { t.Error("a loop that is over called the question") }) {
			t.Error("a loop that is over answered")
		}
		l.SwitchUp(Address{9, epochs.Add(1)}, openflow.V13, 254, nil) // and takes no notice
	})
}

func installed(view *netview.View, dpid netview.DPID) (n int) {
	for r := range view.Snapshot().Rules(dpid) {
		if r.State == netview.RuleInstalled {
			n++
		}
	}
	return n
}

// viewOf is a view of one switch.
func viewOf(dpid netview.DPID) *netview.View {
	view := netview.New(netview.Limits{})
	view.Facts().Update(func(tx *netview.FactsTx) {
		tx.PutSwitch(&netview.Switch{DPID: dpid, State: netview.SwitchDisconnected})
	})
	return view
}

func TestLoopInstallsWhatIsDesired(t *testing.T) {
	view := viewOf(7)
	running(t, view, func(l *Loop, stop <-chan struct{}) {
		m := newModel(openflow.V13, 254)
		m.refuse[5001] = openflow.FlowModFailedTableFull
		c := connectPrompt(l, 7, m, stop)
		forward := view.Desired("forward")
		forward.Update(func(tx *netview.DesiredTx) {
			tx.Set(7, []netview.Rule{
				parseRule(t, "table=1 priority=5004 eth_dst=ff:ff:ff:ff:ff:ff apply=1,2"),
				parseRule(t, "table=1 priority=5001 eth_type=0x86dd apply=1,2"),
			})
		})
		synctest.Wait()
		if n := installed(view, 7); n != 4 {
			t.Errorf("%d rules installed, want the infrastructure's 3 and 1", n)
		}
		l.Ask(func(core *Core) {
			want := SwitchStatus{
				DPID: 7, Connected: true, Compared: true, Desired: 5, Installed: 4, Failed: 1, BatchSize: batchFirst,
				DriftBound: core.config.ReadEvery, Revision: view.Snapshot().Revision(),
			}
			got := core.Statuses()
			if len(got) == 1 {
				got[0].ReadCost = 0 // which is measured
			}
			if len(got) != 1 || got[0] != want {
				t.Errorf("standing %+v, want %+v", got, want)
			}
		})
		l.SwitchDown(c.wire.at(), "")
		synctest.Wait()
		l.Ask(func(core *Core) {
			if got := core.Statuses(); got[0].Connected || got[0].Installed != 4 {
				t.Errorf("after the session's end: %+v", got[0])
			}
		})
	})
}

func TestLoopIgnoresEarlierSessions(t *testing.T) {
	view := viewOf(7)
	running(t, view, func(l *Loop, stop <-chan struct{}) {
		m := newModel(openflow.V13, 254)
		first := connectPrompt(l, 7, m, stop)
		second := connectPrompt(l, 7, m, stop)
		synctest.Wait()
		l.SwitchDown(first.wire.at(), "") // the half-open one is found dead later
		l.Refused(first.wire.at(), 1, 0, &openflow.ErrorMsg{Code: openflow.FlowModFailedTableFull})
		synctest.Wait()
		l.Ask(func(core *Core) {
			if s := core.Statuses()[0]; !s.Connected || s.Installed != 3 {
				t.Errorf("the switch's present session was taken for the earlier one: %+v", s)
			}
		})
		l.SwitchDown(second.wire.at(), "")
		synctest.Wait()
		l.Ask(func(core *Core) {
			if core.Statuses()[0].Connected {
				t.Error("the session's end was not noticed")
			}
		})
	})
}

// TestLoopCatchesUpFromSnapshot lets the log of the view run over before the loop starts: it must
// take the snapshot, and still forget what went.
func TestLoopCatchesUpFromSnapshot(t *testing.T) {
	view := netview.New(netview.Limits{Changes: 4})
	facts, forward := view.Facts(), view.Desired("forward")
	facts.Update(func(tx *netview.FactsTx) {
		for dpid := netview.DPID(1); dpid <= 8; dpid++ {
			tx.PutSwitch(&netview.Switch{DPID: dpid, State: netview.SwitchDisconnected})
		}
	})
	for dpid := netview.DPID(1); dpid <= 8; dpid++ {
		forward.Update(func(tx *netview.DesiredTx) {
			tx.Set(dpid, []netview.Rule{parseRule(t, "table=1 priority=5002 eth_type=0x0806 apply=1")})
		})
	}
	running(t, view, func(l *Loop, stop <-chan struct{}) {
		var models []*model
		for dpid := netview.DPID(1); dpid <= 8; dpid++ {
			models = append(models, newModel(openflow.V13, 254))
			connectPrompt(l, dpid, models[dpid-1], stop)
		}
		synctest.Wait()
		for dpid := netview.DPID(1); dpid <= 8; dpid++ {
			if n := installed(view, dpid); n != 4 || len(models[dpid-1].entries) != 4 {
				t.Errorf("%s: %d rules installed, %d held, want 4", dpid, n, len(models[dpid-1].entries))
			}
		}
	})
}

func TestSendGoesOneByOneWhereAllDoNotFit(t *testing.T) {
	w := &wire{model: newModel(openflow.V13, 254), room: 2}
	mod := &openflow.FlowMod{Buffer: openflow.NoBuffer}
	n := send(w, 9, 5, []openflow.Message{mod, mod, mod})
	if a, b := w.sent[4], w.sent[5]; len(w.queue) != 2 || n != 2 || a.Batch != 9 || a.Index != 5 || b.Batch != 9 || b.Index != 6 {
		t.Fatalf("%d of 2 messages sent, %d in the queue: %v", n, len(w.queue), w.sent)
	}
}
