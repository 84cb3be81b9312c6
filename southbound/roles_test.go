package southbound

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/session/pipe"
)

// counter are terms that nobody else raises.
type counter struct {
	mu     sync.Mutex
	term   uint64
	raised int
	fails  int // how many more calls fail
}

func (c *counter) Term() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.term
}

func (c *counter) raises() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raised
}

func (c *counter) failing(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fails = n
}

func (c *counter) Confirm(ctx context.Context) error {
	_, err := c.Raise(ctx, 0)
	return err
}

func (c *counter) Raise(_ context.Context, generation uint64) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raised++
	if c.fails > 0 {
		c.fails--
		return 0, errors.New("the store does not answer")
	}
	if int64(generation-c.term) >= 0 {
		c.term = generation + 1
	}
	return c.term, nil
}

// contender is an instance with terms of its own, as another cluster has.
type contender struct {
	t *testing.T
	*watcher
	g     *Registry
	terms *counter
}

func newContender(t *testing.T, term uint64) *contender {
	c := &contender{t: t, watcher: &watcher{name: "w", diary: new(diary)}, terms: &counter{term: term}}
	c.g = southboundOf(t, c.watcher)
	c.g.cfg.Terms = c.terms
	ctx, stop := context.WithCancel(t.Context())
	var parts sync.WaitGroup
	parts.Go(func() { c.g.discovery.Run(ctx) })
	parts.Go(func() { c.g.roles.Run(ctx) })
	parts.Go(func() { c.g.cfg.Alarms.Run(ctx) })
	t.Cleanup(func() {
		c.g.Server.Close(context.Background())
		stop()
		parts.Wait()
	})
	return c
}

// meet connects a switch whose controllers have these roles.
func (c *contender) meet(d *session.Dialer, roles *session.Roles, dpid int) *session.Session {
	c.t.Helper()
	a, b := pipe.New(pipe.Options{})
	if _, err := c.g.Server.ServeConn(a); err != nil {
		c.t.Fatal(err)
	}
	s, err := d.ServeConn(b, roles, strict{hub.Switch(dpid)})
	if err != nil {
		c.t.Fatal(err)
	}
	synctest.Wait()
	return s
}

// write has the application write a rule, and returns why it was not taken, by us or by the switch.
func (c *contender) write() error {
	if err := c.out.FlowMod(&openflow.FlowMod{Command: openflow.FlowAdd, Priority: 1}); err != nil {
		return err
	}
	done := make(chan error, 1)
	if err := c.out.Barrier(func(err error) { done <- err }); err != nil {
		return err
	}
	synctest.Wait()
	return <-done
}

// writes reports whether what the application writes enters the queue, and the view and the alarms agree.
func (c *contender) is(what string, master bool) {
	c.t.Helper()
	synctest.Wait()
	if c.sw.Mastered() != master {
		c.t.Errorf("%s: may write: %t", what, !master)
	}
	if err := c.write(); errors.Is(err, ErrNotMaster) == master {
		c.t.Errorf("%s: writing: %v", what, err)
	}
}

// alarmed returns the text of the alarm about another master of a switch; empty: there is none.
func (c *contender) alarmed(dpid netview.DPID) string {
	for a := range c.g.cfg.View.Snapshot().Alarms() {
		if a.Kind == netview.AlarmOtherMaster && a.Object == dpid.String() && a.Active {
			return a.Text
		}
	}
	return ""
}

// TestMasterOfATerm: a switch makes who asks in a later term its master, and nobody writes to it before. Who was its master
// before finds out when the switch refuses what it writes, says so, and takes it back with the switch's next session only.
func TestMasterOfATerm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newContender(t, 5), newContender(t, 2)
		dialer, roles := session.NewDialer(session.Config{}), new(session.Roles)
		defer dialer.Close(context.Background())
		atFirst := first.meet(dialer, roles, 7)
		if atFirst.Role() != openflow.RoleMaster {
			t.Errorf("at the switch the first has the role %v", atFirst.Role())
		}
		first.is("the first", true)
		first.meet(dialer, new(session.Roles), 8)
		on8 := first.sw
		first.sw, first.out = nil, nil
		again := func() *session.Session { return first.meet(dialer, roles, 7) }
		atFirst.Close(nil)
		<-atFirst.Done()
		atFirst = again()

		atSecond := second.meet(dialer, roles, 7)
		second.is("the second, whose term was lower", true)
		if second.terms.Term() != 6 || second.terms.raises() != 1 {
			t.Errorf("the second is in term %d, raised %d times: want 6, once", second.terms.Term(), second.terms.raises())
		}
		if err := first.write(); err != nil && !errors.Is(err, ErrNotMaster) {
			t.Errorf("the first writes: %v", err)
		}
		first.is("the first, deposed", false)
		if text := first.alarmed(7); !strings.Contains(text, "another controller is its master") {
			t.Errorf("the first says %q", text)
		}
		if m := first.g.cfg.View.Snapshot().Master(7); m != "" {
			t.Errorf("the first shows %q as the master", m)
		}
		if first.refusal.Error != nil {
			t.Errorf("the application is told that its rule was refused: %v", first.refusal)
		}
		if !on8.Mastered() || first.alarmed(8) != "" {
			t.Error("the first has lost another switch")
		}
		time.Sleep(time.Minute)
		first.is("the first, a minute later", false)
		second.is("the second, a minute later", true)

		atFirst.Close(nil)
		<-atFirst.Done()
		again()
		first.is("the first, in the switch's next session", true)
		if first.alarmed(7) != "" || first.g.cfg.View.Snapshot().Master(7) != "test" {
			t.Errorf("alarm %q, master %q", first.alarmed(7), first.g.cfg.View.Snapshot().Master(7))
		}
		if err := first.g.cfg.View.Snapshot().Check(); err != nil {
			t.Error(err)
		}
		_ = atSecond
	})
}

// TestTermIsRaised: a term that a switch refuses is raised, again and again while the store does not answer, and one that is out
// of reach is not; meanwhile nothing is written.
func TestTermIsRaised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newContender(t, 1)
		dialer := session.NewDialer(session.Config{})
		defer dialer.Close(context.Background())
		knows := func(generation uint64) *session.Roles {
			other := newContender(t, generation)
			roles := new(session.Roles)
			s := other.meet(dialer, roles, 1)
			s.Close(nil)
			<-s.Done()
			return roles
		}
		c.terms.failing(3)
		c.meet(dialer, knows(40), 2)
		c.is("while the store does not answer", false)
		if c.alarmed(2) != "" {
			t.Errorf("another master is claimed: %s", c.alarmed(2))
		}
		time.Sleep(10 * retryAtFirst)
		c.is("when it answers", true)
		if c.terms.Term() != 41 {
			t.Errorf("the term is %d, want 41", c.terms.Term())
		}
		c.meet(dialer, knows(41), 3)
		c.is("a switch that knows the same term", true)
		for i, far := range []uint64{math.MaxInt64 - 100, 42 + leapMost} {
			s := c.meet(dialer, knows(far), 4+i)
			c.is("a switch that knows a term far away", true)
			if c.terms.Term() != 41 || s.Role() != openflow.RoleMaster {
				t.Errorf("term %d, role %v", c.terms.Term(), s.Role())
			}
		}
		c.terms.failing(1)
		c.meet(dialer, knows(1<<50), 6)
		c.is("one, while the store does not confirm who owns it", false)
		time.Sleep(2 * retryAtFirst)
		c.is("when it does", true)
	})
}

// TestTermsOutOfReach: no switch, however often it comes with a generation that is far away, takes others from an instance, nor
// from one whose store is of before.
func TestTermsOutOfReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newContender(t, 5)
		dialer := session.NewDialer(session.Config{})
		defer dialer.Close(context.Background())
		honest := new(session.Roles)
		s := c.meet(dialer, honest, 1)
		c.is("an honest switch", true)
		for i := range 4 {
			far := newContender(t, c.terms.Term()+1<<62-2)
			roles := new(session.Roles)
			bad := far.meet(dialer, roles, 9)
			bad.Close(nil)
			<-bad.Done()
			bad = c.meet(dialer, roles, 9)
			bad.Close(nil)
			<-bad.Done()
			synctest.Wait()
			if text := c.alarmed(9); text != "" {
				t.Errorf("after the end of session %d: %s", i, text)
			}
		}
		s.Close(nil)
		<-s.Done()
		c.meet(dialer, honest, 1)
		c.is("the honest switch, in another session", true)
		restored := newContender(t, 5)
		restored.meet(dialer, honest, 1)
		restored.is("the honest switch, of an instance with an old store", true)
	})
}

// liar is a switch that answers requests for roles as it likes.
type liar struct {
	t      *testing.T
	answer func(*openflow.RoleRequest) openflow.Message // nil: none
	delay  time.Duration                                // of each answer to a request for a role
	conn   net.Conn

	mu    sync.Mutex // guards what follows, and answer
	asked int
	other []openflow.Type // what came besides
}

// lie connects such a switch.
func (c *contender) lie(l *liar) {
	a, b := pipe.New(pipe.Options{})
	if _, err := c.g.Server.ServeConn(a); err != nil {
		c.t.Fatal(err)
	}
	l.t, l.conn = c.t, b
	go l.run()
	synctest.Wait()
}

// from has it answer otherwise from now on.
func (l *liar) from(answer func(*openflow.RoleRequest) openflow.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer = answer
}

// heard is how often it was asked for roles, and whether it was configured.
func (l *liar) heard() (asked int, configured bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked, slices.Contains(l.other, openflow.TypeSetConfig)
}

func (l *liar) send(xid uint32, m openflow.Message) {
	b, err := openflow.Append(nil, openflow.V13, xid, m)
	if err != nil {
		l.t.Error(err)
	}
	_, _ = l.conn.Write(b)
}

func (l *liar) run() {
	l.send(1, &openflow.Hello{})
	r := bufio.NewReader(l.conn)
	for {
		b := make([]byte, openflow.HeaderLen)
		if _, err := io.ReadFull(r, b); err != nil {
			return
		}
		b = append(b, make([]byte, int(binary.BigEndian.Uint16(b[2:]))-openflow.HeaderLen)...)
		if _, err := io.ReadFull(r, b[openflow.HeaderLen:]); err != nil {
			return
		}
		h, m, err := openflow.Parse(b)
		if err != nil {
			l.t.Error(err)
			return
		}
		switch m := m.(type) {
		case *openflow.FeaturesRequest:
			l.send(h.XID, &openflow.FeaturesReply{DatapathID: 3, Tables: 8})
		case *openflow.EchoRequest:
			l.send(h.XID, &openflow.EchoReply{Data: m.Data})
		case *openflow.BarrierRequest:
			l.send(h.XID, &openflow.BarrierReply{})
		case *openflow.MultipartRequest:
			switch m.Body.(type) {
			case *openflow.PortDescRequest:
				l.send(h.XID, &openflow.MultipartReply{Body: &openflow.PortDescList{}})
			case *openflow.DescRequest:
				l.send(h.XID, &openflow.MultipartReply{Body: &openflow.Desc{}})
			}
		case *openflow.RoleRequest:
			l.mu.Lock()
			l.asked++
			reply := l.answer(m)
			l.mu.Unlock()
			if reply != nil {
				time.AfterFunc(l.delay, func() { l.send(h.XID, reply) })
			}
		default:
			l.mu.Lock()
			l.other = append(l.other, m.Type())
			l.mu.Unlock()
		}
	}
}

// TestSwitchesThatLie: a switch that refuses every term costs few transactions and no more of others' time; one that is slow is
// written to, and its master in the end; nobody is told that there is another master where none is known.
func TestSwitchesThatLie(t *testing.T) {
	stale := &openflow.ErrorMsg{Code: openflow.RoleRequestFailedStale, Data: make([]byte, 64)}
	t.Run("stale", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := newContender(t, 5)
			l := &liar{}
			last := uint64(0)
			l.answer = func(m *openflow.RoleRequest) openflow.Message {
				if m.Role == openflow.RoleNoChange {
					return &openflow.RoleReply{Role: openflow.RoleEqual, Generation: last}
				}
				last = m.Generation
				return stale
			}
			c.lie(l)
			if time.Sleep(time.Minute); c.terms.raises() > 10 {
				t.Errorf("the term was raised %d times in a minute", c.terms.raises())
			}
			c.is("refused each time", false)
			if text := c.alarmed(3); text != "" {
				t.Error(text)
			}
			if _, configured := l.heard(); configured {
				t.Error("it is configured by who is not its master")
			}
			l.from(func(m *openflow.RoleRequest) openflow.Message {
				return &openflow.RoleReply{Role: openflow.RoleMaster, Generation: m.Generation}
			})
			time.Sleep(retryAtMost)
			c.is("when it takes the term", true)
			if _, configured := l.heard(); !configured {
				t.Error("it is not configured")
			}
		})
	})
	t.Run("silent", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := newContender(t, 5)
			l := &liar{answer: func(*openflow.RoleRequest) openflow.Message { return nil }}
			c.lie(l)
			time.Sleep(4 * time.Second)
			c.is("silent, and perhaps slow", false)
			time.Sleep(10 * time.Minute)
			c.is("silent", true)
			if asked, _ := l.heard(); c.alarmed(3) != "" || asked > 20 {
				t.Errorf("asked %d times, alarm %q", asked, c.alarmed(3))
			}
			l.from(func(m *openflow.RoleRequest) openflow.Message {
				return &openflow.RoleReply{Role: m.Role, Generation: 70}
			})
			time.Sleep(2 * retryAtMost)
			if c.terms.Term() != 71 || c.sw.Session.Role() != openflow.RoleMaster {
				t.Errorf("term %d, role %v", c.terms.Term(), c.sw.Session.Role())
			}
		})
	})
	t.Run("slow", func(t *testing.T) { // a deposed owner, whose store does not answer
		synctest.Test(t, func(t *testing.T) {
			c := newContender(t, 5)
			c.terms.failing(1 << 20)
			l := &liar{delay: 3200 * time.Millisecond}
			l.answer = func(m *openflow.RoleRequest) openflow.Message {
				if m.Role == openflow.RoleNoChange {
					return &openflow.RoleReply{Role: openflow.RoleEqual, Generation: 9}
				}
				return stale
			}
			c.lie(l)
			time.Sleep(4 * time.Second)
			synctest.Wait()
			if c.sw == nil {
				t.Fatal("the switch is not connected")
			}
			for range 40 {
				if c.is("it knows a later term", false); t.Failed() {
					return
				}
				time.Sleep(4 * time.Second)
			}
		})
	})
	t.Run("slave", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := newContender(t, 5)
			c.lie(&liar{answer: func(m *openflow.RoleRequest) openflow.Message {
				return &openflow.RoleReply{Role: openflow.RoleSlave, Generation: m.Generation}
			}})
			c.is("made a slave", false)
			if c.alarmed(3) == "" {
				t.Error("nobody is told")
			}
		})
	})
}

// TestSwitchWithoutRoles: a switch that refuses the request as such is written to, as it takes what anybody writes.
func TestSwitchWithoutRoles(t *testing.T) {
	for _, c := range []struct {
		err    error
		writes bool
	}{
		{nil, true},
		{session.ErrTimeout, false}, // it may know them, and be slow
		{&session.PeerError{Msg: &openflow.ErrorMsg{Code: openflow.BadRequestBadType}}, true},
		{&session.PeerError{Msg: &openflow.ErrorMsg{Code: openflow.RoleRequestFailedUnsup}}, true},
		{&session.PeerError{Msg: &openflow.ErrorMsg{Code: openflow.BadRequestBadExperimenter}}, true},
		{&session.PeerError{Msg: &openflow.ErrorMsg{Code: openflow.RoleRequestFailedStale}}, false},
		{session.ErrRole, false},
	} {
		g := southboundOf(t)
		sw := &Switch{DPID: 1, Version: openflow.V13}
		g.roles.take(sw, &session.Features{Asked: openflow.RoleRequest{Role: openflow.RoleMaster}, RoleError: c.err})
		if got := sw.role.writes.Load(); got != c.writes {
			t.Errorf("%v: writes %t", c.err, got)
		}
	}
}

// strict is a switch of OpenFlow 1.0 that permits one priority to nobody.
type strict struct{ session.SwitchHandler }

func (s strict) FlowMod(c *session.Session, h openflow.Header, m *openflow.FlowMod) {
	if m.Priority == 13 {
		_ = c.Reply(h.XID, &openflow.ErrorMsg{Code: openflow.BadRequestEPerm, Data: make([]byte, 64)})
	}
}

// TestSlaveOf10: a switch of OpenFlow 1.0 says of what a slave writes that it is not permitted, as of much else: the first ends
// mastership, the other does not.
func TestSlaveOf10(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newContender(t, 1), newContender(t, 1)
		dialer := session.NewDialer(session.Config{Versions: []openflow.Version{openflow.V10}})
		defer dialer.Close(context.Background())
		roles := new(session.Roles)
		first.meet(dialer, roles, 7)
		if err := first.out.FlowMod(&openflow.FlowMod{Command: openflow.FlowAdd, Priority: 13}); err != nil {
			t.Fatal(err)
		}
		first.is("the first, refused a rule", true)
		if first.refusal.Error == nil || first.refusal.Error.Code != openflow.BadRequestEPerm {
			t.Errorf("the application is told %+v", first.refusal)
		}
		second.meet(dialer, roles, 7)
		second.is("the second", true)
		_ = first.write()
		first.is("the first, deposed", false)
		if first.alarmed(7) == "" {
			t.Error("the first does not say so")
		}
	})
}

// TestTakenBackAfterATakeOver: a switch of OpenFlow 1.0 that is lost soon after a take-over, perhaps to who was replaced and does
// not know it, is asked again, and one that is lost later is not.
func TestTakenBackAfterATakeOver(t *testing.T) {
	for ago, back := range map[time.Duration]bool{time.Second: true, unknowing: false} {
		synctest.Test(t, func(t *testing.T) {
			first, second := newContender(t, 1), newContender(t, 1)
			dialer := session.NewDialer(session.Config{Versions: []openflow.Version{openflow.V10}})
			defer dialer.Close(context.Background())
			roles := new(session.Roles)
			first.meet(dialer, roles, 7)
			first.g.took.Store(time.Now().Add(-ago).UnixNano())
			second.meet(dialer, roles, 7)
			_ = first.write()
			first.is("the first, deposed", false)
			time.Sleep(time.Minute)
			first.is("the first, later", back)
			if alarmed := first.alarmed(7) != ""; alarmed == back {
				t.Errorf("%v after a take-over: alarm %v", ago, alarmed)
			}
		})
	}
}

// TestLostWhileAsked: a switch that has made another its master, while this instance still wanted to ask it again, is not taken
// back: the other stays its master.
func TestLostWhileAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newContender(t, 1), newContender(t, 1)
		dialer, roles := session.NewDialer(session.Config{}), new(session.Roles)
		defer dialer.Close(context.Background())
		first.meet(dialer, roles, 7)
		first.g.roles.again(first.sw, session.ErrTimeout)
		second.meet(dialer, roles, 7)
		_ = first.write()
		first.is("the first", false)
		time.Sleep(time.Minute)
		first.is("the first, later", false)
		second.is("the second", true)
	})
}
