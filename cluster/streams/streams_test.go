package streams

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
)

// whole waits until all are connected to all, and fails if they are not. It returns between two ticks.
func (w *world) whole() {
	w.t.Helper()
	synctest.Wait()
	time.Sleep(300*ms + time.Until(time.Now().Truncate(20*ms).Add(20*ms)) + 5*ms)
	for id, n := range w.nodes {
		for other := range w.nodes {
			if other != id && (!n.Heard(other) || !n.Connected(other)) {
				w.t.Fatalf("%d hears %v, and %d is connected: %v; %+v", id, n.heard(), other, n.Connected(other), n.Members())
			}
		}
	}
}

func TestInstancesHearEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 3)
		w.whole()
		time.Sleep(10 * time.Second)
		for id, n := range w.nodes {
			c := n.Counts()
			if c["suspicions"]+c["losses"]+c["heartbeats_missed"]+c["heartbeats_stale"]+c["gaps"] != 0 {
				t.Errorf("%d: %v", id, c)
			}
			sent, got := c["heartbeats_sent"], c["heartbeats_received"]
			if sent < 1000 || sent > 1060 || got < 1000 || got > 1060 {
				t.Errorf("%d has sent %d heartbeats, and received %d, want about 1,035", id, sent, got)
			}
		}
		if m := w.nodes[1].Members(); len(m) != 2 || m[0].Name != "weir-2" || m[0].Incarnation != 100 ||
			m[0].State != liveness.Heard || !m[0].Connected || m[0].Error != "" ||
			!slices.Equal(m[0].Hears, []liveness.Life{{ID: 1, Incarnation: 100}, {ID: 3, Incarnation: 100}}) {
			t.Errorf("%+v", m)
		}
	})
}

// paused is a connection of a process that is stopped for a time right before a write.
type paused struct {
	net.Conn
	writes, at int
}

func (p *paused) Write(b []byte) (int, error) {
	if p.writes++; p.writes == p.at {
		time.Sleep(100 * ms)
	}
	return p.Conn.Write(b)
}

// TestPauseBeforeAWrite: a process that is stopped between two instructions loses no connection by that.
func TestPauseBeforeAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 0)
		w.start(1, 100, func(cfg *Config) {
			dial := cfg.Dial
			cfg.Dial = func(ctx context.Context, to string) (net.Conn, error) {
				c, err := dial(ctx, to)
				return &paused{Conn: c, at: 100}, err
			}
		})
		w.start(2, 100)
		w.whole()
		time.Sleep(10 * time.Second)
		for id, n := range w.nodes {
			if c := n.Counts(); c["losses"] != 0 || c["connections"] != 1 {
				t.Errorf("%d: %v", id, c)
			}
		}
	})
}

// TestProcessEnds: one that ends breaks its connections, and is suspected by all after two periods; its next life is heard.
func TestProcessEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 3)
		w.whole()
		w.nodes[2].stop()
		time.Sleep(15 * ms)
		one := w.nodes[1]
		if one.Suspected(2) {
			t.Error("suspected at once")
		}
		time.Sleep(20 * ms)
		for id, n := range w.nodes {
			if !n.Suspected(2) || n.Connected(2) || !n.Unheard(liveness.Life{ID: 2, Incarnation: 100}) {
				t.Errorf("%d does not suspect it 35 ms after its end", id)
			}
			if _, err := n.Begin(2, kindBulk); !errors.Is(err, ErrNotConnected) {
				t.Error(err)
			}
		}
		if got := w.nodes[3].First([]ID{2, 1, 3}); got != 1 {
			t.Errorf("%d is first, want 1", got)
		}
		w.start(2, 101)
		w.whole()
		if !one.Unheard(liveness.Life{ID: 2, Incarnation: 100}) || one.Unheard(liveness.Life{ID: 2, Incarnation: 101}) {
			t.Error("the lives of 2 are taken for each other")
		}
	})
}

// TestHalfOpen: a peer that vanishes without a word is suspected by its silence, its connections are closed, and it is
// connected again when it is back.
func TestHalfOpen(t *testing.T) {
	for _, caller := range []ID{1, 2} { // the one that calls vanishes, or the one that is called
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 2)
			w.whole()
			n, other := w.nodes[caller], 3-caller
			w.cutBoth(1, 2, true)
			time.Sleep(34 * ms)
			if n.Suspected(other) {
				t.Error("suspected within 40 ms of the last heartbeat")
			}
			time.Sleep(2 * ms)
			if !n.Suspected(other) || !n.Connected(other) {
				t.Error("not suspected 41 ms after the last heartbeat, or closed at once")
			}
			time.Sleep(570 * ms)
			for l := range lanes {
				if n.conn(other, l) != nil {
					t.Errorf("%v is not closed after 600 ms of silence", l)
				}
			}
			time.Sleep(5 * time.Second)
			w.cutBoth(1, 2, false)
			time.Sleep(350 * ms) // a call that waits, a pause, a handshake
			if !n.Heard(other) || !n.Connected(other) {
				t.Errorf("not connected again: %+v", n.Members())
			}
			w.whole()
		})
	}
}

// TestShortSilence: streams outlive a silence that is shorter than half a second.
func TestShortSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		w.whole()
		w.cutBoth(1, 2, true)
		time.Sleep(400 * ms)
		w.cutBoth(1, 2, false)
		time.Sleep(20 * ms)
		for _, n := range w.nodes {
			if c := n.Counts(); c["losses"] != 0 || c["suspicions"] != 1 || len(n.heard()) != 1 {
				t.Errorf("%v", c)
			}
		}
	})
}

// TestOneWayCut: what 1 sends does not come to 2. 2 does not hear 1, and knows from 3 that 1 lives; 1 knows from 2 that it
// is not heard.
func TestOneWayCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 3)
		w.whole()
		w.cut(1, 2, true)
		time.Sleep(70 * ms)
		one, two := w.nodes[1], w.nodes[2]
		if two.Heard(1) || !one.Heard(2) || two.Unheard(liveness.Life{ID: 1, Incarnation: 100}) {
			t.Error("2 hears 1, 1 does not hear 2, or 2 takes 1 for dead")
		}
		if m := one.Members(); m[0].ID != 2 || slices.ContainsFunc(m[0].Hears, func(l liveness.Life) bool { return l.ID == 1 }) {
			t.Errorf("1 does not know that 2 does not hear it: %+v", m)
		}
		w.nodes[3].stop()
		time.Sleep(70 * ms)
		if !two.Unheard(liveness.Life{ID: 1, Incarnation: 100}) {
			t.Error("nobody that 2 hears says that it hears 1")
		}
		w.cut(1, 2, false)
		w.whole()
	})
}

// TestReset: connections that break are made again at once, and nobody is suspected.
func TestReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 3)
		w.whole()
		for range 20 {
			time.Sleep(1500 * ms)
			w.reset(1, 2)
		}
		time.Sleep(50 * ms)
		w.whole()
		for id, n := range w.nodes {
			if c := n.Counts(); c["suspicions"] != 0 || id != 3 && c["connections"] != 22 {
				t.Errorf("%d: %v", id, c)
			}
		}
	})
}

func TestMembersChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		w.whole()
		w.start(3, 100)
		w.whole()
		one := w.nodes[1]
		one.SetPeers([]Peer{w.peer(1), w.peer(3)}) // 2 was taken out, and does not know it yet
		time.Sleep(time.Second)
		if one.Connected(2) || one.Heard(2) || !one.Heard(3) || len(one.Members()) != 1 {
			t.Errorf("%+v", one.Members())
		}
		two := w.nodes[2]
		if two.Heard(1) || two.Connected(1) || !two.Heard(3) {
			t.Errorf("%+v", two.Members())
		}
		one.SetPeers(w.peers())
		w.whole()
		n := one.changes
		one.SetPeers(w.peers())
		time.Sleep(time.Second)
		if one.changes > n+1 || !one.Connected(2) {
			t.Error("the same list has changed something")
		}
	})
}

// TestDeadMemberIsCalled: how often is bounded.
func TestDeadMemberIsCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 0)
		var calls atomic.Int64
		one := w.start(1, 100, func(cfg *Config) {
			dial := cfg.Dial
			cfg.Dial = func(ctx context.Context, to string) (net.Conn, error) { calls.Add(1); return dial(ctx, to) }
		})
		one.SetPeers([]Peer{w.peer(1), w.peer(2)})
		time.Sleep(2500 * ms)
		if n := calls.Load(); n < 25 || n > 30 {
			t.Errorf("%d calls in 2.5 s, want about 27", n)
		}
		if !one.Suspected(2) {
			t.Error("one that was never heard is not suspected")
		}
		if m := one.Members(); m[0].Error != "connection refused" || m[0].State != liveness.Suspected {
			t.Errorf("%+v", m)
		}
		w.start(2, 100)
		time.Sleep(120 * ms)
		if !one.Heard(2) {
			t.Error("it is there, and not heard after 120 ms")
		}
	})
}

// TestRunsTwice: a second process of an instance's number is refused as long as the first one's heartbeats come, and told
// so; the first one is not harmed. After the first one's end it is taken.
func TestRunsTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		w.whole()
		one, two := w.nodes[1], w.nodes[2]
		copied := w.start(1, 101)
		time.Sleep(time.Second)
		if !two.Connected(1) || two.Members()[0].Incarnation != 100 || two.Counts()["losses"] != 0 {
			t.Errorf("%+v", two.Members())
		}
		if m := copied.Members(); m[0].Connected || !strings.Contains(m[0].Error, "instance weir-1 (1) runs twice") {
			t.Errorf("%+v", m)
		}
		one.stop()
		w.nodes[1] = copied
		w.whole()
		if two.Members()[0].Incarnation != 101 {
			t.Errorf("%+v", two.Members())
		}
	})
}
