package forward

import (
	"time"

	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/app/forward/places"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/topology"
)

// spacing is how long packets between two switches may be on their way, of a clock that counts whole
// seconds: at least pathing.LingerUnknown, as if no latency were known.
const spacing = pathing.LingerUnknown + time.Second

// moves has the pairs of one ingress switch take other paths. Step's goroutine calls it; its methods, but for those
// that say otherwise, with the lock of the ingress held.
type moves struct {
	*installer
	hops []topology.Hop // scratch
}

// selection reports whether a pair is to be moved; w is its move in progress, or nil. It is called
// with the lock of the ingress held.
type selection func(in *ingress, pr pairs.Pair, fl pairs.Flow, w *install) bool

// selected moves the selected pairs, in a fixed order. Those that are being installed check themselves when they
// are confirmed. The lock is not held.
func (m *moves) selected(wanted selection) {
	out := m.at.conn.Load()
	if out == nil {
		return
	}
	m.run(out, func() {
		for _, pr := range m.pairs.Where(func(pr pairs.Pair, fl pairs.Flow) bool {
			return wanted(m.ingress, pr, fl, m.installs[pr])
		}) {
			if w := m.installs[pr]; w != nil {
				m.abandon(w)
			}
			fl, _ := m.pairs.Get(pr)
			m.move(out, pr, fl, false)
		}
	})
}

// planned starts planned moves: those that there still is a reason for. The lock is not held.
func (m *moves) planned(list []candidate) {
	out := m.at.conn.Load()
	if out == nil {
		return
	}
	m.run(out, func() {
		j := m.routes.judge()
		for _, c := range list {
			fl, had := m.pairs.Get(c.pr)
			if !had || m.installs[c.pr] != nil {
				continue
			}
			p := m.paths.Get(fl.Path)
			if len(m.halfMoved[c.pr]) > 0 || p != nil && (p.Drained(j) || p.Suboptimal(j)) {
				m.move(out, c.pr, fl, true)
			}
		}
	})
}

// retry moves the pairs that should have moved and could not: a switch did not answer, had no
// connection or no room, or the network changed again while they moved. The lock is not held.
func (m *moves) retry() {
	if m.at.conn.Load() == nil || !m.takeRetry() {
		return
	}
	m.selected(func(in *ingress, pr pairs.Pair, fl pairs.Flow, w *install) bool { return w == nil && !in.valid(pr, fl) })
}

// takeRetry reports whether some pairs may be on a wrong path, once.
func (m *moves) takeRetry() (again bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	again, m.retryMoves = m.retryMoves, false
	return again
}

// linksChanged has those retried too that had no path to their host's new place. The lock is not held.
func (m *moves) linksChanged() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.retryMoves, m.retryPathless = m.retryMoves || m.retryPathless, false
}

// move starts to move one pair to its path in the current topology, from where its source is. It
// stays if there is none, or ends if its path is dead.
func (m *moves) move(out *outlet.Conn, pr pairs.Pair, fl pairs.Flow, planned bool) {
	old := m.paths.Get(fl.Path)
	dead := old != nil && old.Dead()
	from := netview.Point{DPID: m.at.id}
	var to netview.Point
	if old != nil {
		from.Port, to = old.Hops[0].In, old.Egress()
	}
	if at, known := m.places.At(pr.Src()); known && at.DPID == m.at.id {
		from.Port = at.Port
	}
	if at, known := m.places.At(pr.Dst()); known {
		to = at
	} else if dead {
		m.withdraw(out, pr, fl, old)
		return
	} else if old == nil {
		return
	}
	if to.DPID == m.at.id {
		m.within(out, pr, fl, to.Port)
		return
	}
	hops, ok := m.routes.between(m.hops[:0], from, to, pr)
	m.hops = hops
	if !ok && dead {
		m.withdraw(out, pr, fl, old)
		return
	}
	m.retryPathless = m.retryPathless || !ok && (old == nil || old.Egress() != to)
	if !ok || m.paths.Is(fl, hops) && len(m.halfMoved[pr]) == 0 {
		return
	}
	m.begin(out, &install{pr: pr, path: m.paths.Acquire(hops), moving: true}, old, planned)
}

// begin begins a move.
func (m *moves) begin(out *outlet.Conn, w *install, old *pairs.Path, planned bool) {
	w.Start(m.order(w.path, old, w.pr, planned), m.clock.began())
	w.wrote = !planned
	if !m.switches.connected(w.path.Hops) {
		m.paths.Release(w.path.ID)
		m.retryMoves = true
		return
	}
	if fl, _ := m.pairs.Get(w.pr); !m.refusals.accepts(w.path.Hops[1:], old) {
		m.paths.Release(w.path.ID)
		if !planned && old != nil && !m.valid(w.pr, fl) {
			m.withdraw(out, w.pr, fl, old)
		}
		return
	}
	m.beginMove(out, w, planned)
}

// within points a pair at a host that is now on the ingress switch itself.
func (m *moves) within(out *outlet.Conn, pr pairs.Pair, fl pairs.Flow, port uint32) {
	if fl.Path == 0 && fl.Out == port {
		return
	}
	if !m.send.Rule(out, pr, m.paths.Cookie(0), port, 0, openflow.NoBuffer) {
		m.retryMoves = true
		return
	}
	m.dropHalfMoved(pr)
	m.set(pr, pairs.Flow{Out: port})
	m.count.Moved.Add(1)
}

// withdraw deletes the ingress rule of a pair whose path is broken and that can have no other, so
// that its packets come to the controller.
func (m *moves) withdraw(out *outlet.Conn, pr pairs.Pair, fl pairs.Flow, old *pairs.Path) {
	if m.send.Delete(out, pr, m.paths.CookieAt(old, 0), fl.Out) {
		m.end(pr, fl)
	} else {
		m.retryMoves = true
	}
}

// order returns the order in which the rules of a pair's next path are written: after a failure all but
// that of the ingress at once, planned without loss. Its rules match no port in: where the two paths turn,
// or packets may be on an abandoned one, stages are spaced, and after a failure, when packets are lost
// anyway, they come one after the other at least.
func (m *moves) order(next, old *pairs.Path, pr pairs.Pair, planned bool) pathing.Order {
	mixed := len(m.halfMoved[pr]) > 0
	turned := old != nil && pathing.Turns(old.Hops, next.Hops)
	if !planned && !turned {
		return pathing.Order{IngressLast: true}
	}
	rules := make([]pathing.Rule, len(next.Hops))
	for i, h := range next.Hops {
		rules[i] = pathing.Rule{Finds: old.Finds(h), After: len(rules) - 1 - i, Ingress: i == 0}
		if i == 0 || mixed { // the rule where a pair enters tells by its cookie which path it has
			rules[i].Finds = pathing.Other
		}
	}
	o := pathing.Order{Stages: pathing.Stages(rules)}
	if planned && (turned || mixed) {
		o.Spacing = spacing
	}
	return o
}

// endRelocated ends the pairs whose source has moved from this switch to another; was is where each had been. The
// lock is not held.
func (m *moves) endRelocated(was map[places.Key]netview.Point) {
	out := m.at.conn.Load()
	m.mu.Lock()
	left := m.pairs.Where(func(pr pairs.Pair, fl pairs.Flow) bool {
		at, moved := was[pr.Src()]
		now, known := m.places.At(pr.Src())
		return moved && known && at.DPID == m.at.id && now.DPID != m.at.id && fl.Path != 0
	})
	for _, pr := range left {
		if w := m.installs[pr]; w != nil {
			if !w.moving {
				continue // its confirmation checks that
			}
			m.abandon(w)
		}
		fl, _ := m.pairs.Get(pr)
		if out != nil {
			m.send.Delete(out, pr, m.paths.IngressCookie(fl), fl.Out)
		}
		m.end(pr, fl)
	}
	m.mu.Unlock()
	if out != nil {
		out.Flush()
	}
}
