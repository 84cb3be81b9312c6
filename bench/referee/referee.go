package referee

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/openflow"
)

// Nobody stands for no controller, where one is given by its number.
const Nobody = -1

// Referee watches a network.
type Referee struct {
	switches []*watched
	writes   atomic.Uint64
	stale    atomic.Uint64
	entries  entries
}

// watched is what is known of a switch.
type watched struct {
	mu          sync.Mutex
	connections []connection // by the numbers of controllers
	master      int          // number of the controller that was made it last; Nobody: none was, or its connection has ended
	generation  uint64       // by which it was

	dead          int       // whose writes and roles do not count for what follows
	became, wrote time.Time // since the mark: when another was made master, and when that first wrote; zero: not yet
}

// connection is one of a switch with a controller.
type connection struct {
	from, to    scanner           // controller
	asked       map[uint32]uint64 // requests for the role of master that are not answered: their generations by their xids
	provisional uint64            // writes accepted while it asks
}

// New returns the referee of a network of so many switches, each with so many controllers. Accepted is for the
// configuration of the network, and Watch is called before it starts.
func New(switches, controllers int) *Referee {
	r := &Referee{}
	for range switches {
		r.switches = append(r.switches,
			&watched{connections: make([]connection, controllers), master: Nobody, dead: Nobody})
	}
	return r
}

// Watch has the referee see the connections of a network's switches. It is called once.
func (r *Referee) Watch(n *emu.Network) error {
	for _, sw := range n.Switches() {
		w := r.switches[sw.Index]
		for i := range w.connections {
			_, err := sw.Control().Capture(i, func(at time.Time, way emu.CaptureKind, b []byte) { r.see(w, i, at, way, b) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// see takes bytes of a connection.
func (r *Referee) see(w *watched, controller int, at time.Time, way emu.CaptureKind, b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := &w.connections[controller]
	switch {
	case len(b) == 0: // a new connection begins: the one before has ended, and its role with it
		r.stale.Add(c.provisional)
		*c = connection{}
		if w.master == controller {
			w.master = Nobody
		}
	case way == emu.FromController:
		c.from.feed(b, func(m message) {
			if m.kind == typeRoleRequest && m.role == openflow.RoleMaster {
				if c.asked == nil {
					c.asked = map[uint32]uint64{}
				}
				c.asked[m.xid] = m.generation
			}
		})
	default:
		c.to.feed(b, func(m message) { r.answer(w, controller, at, m) })
	}
}

// answer takes the answer of a switch to a request for the role of master.
func (r *Referee) answer(w *watched, controller int, at time.Time, m message) {
	c := &w.connections[controller]
	generation, ok := c.asked[m.xid]
	if !ok || m.kind != typeRoleReply && m.kind != typeError {
		return
	}
	delete(c.asked, m.xid)
	if m.kind == typeRoleReply && m.role == openflow.RoleMaster {
		w.master, w.generation = controller, generation
		if controller != w.dead && w.became.IsZero() {
			w.became = at
		}
		c.provisional = 0
	} else if len(c.asked) == 0 {
		r.stale.Add(c.provisional)
		c.provisional = 0
	}
}

// Accepted takes a write that a switch has done; it is emu.Config's.
func (r *Referee) Accepted(sw *emu.Switch, controller int, m openflow.Message) {
	r.accepted(r.switches[sw.Index], controller, m, time.Now())
}

func (r *Referee) accepted(w *watched, controller int, m openflow.Message, at time.Time) {
	r.writes.Add(1)
	w.mu.Lock()
	defer w.mu.Unlock()
	c := &w.connections[controller]
	switch {
	case w.master == controller:
	case len(c.asked) > 0:
		c.provisional++
	default:
		r.stale.Add(1)
	}
	if controller != w.dead && w.wrote.IsZero() {
		w.wrote = at
	}
	if f, ok := m.(*openflow.FlowMod); ok && f.Command == openflow.FlowAdd {
		r.entries.note(f, at)
	}
}

// Writes is how many writes switches have accepted; stale, of them, those of who was not the master. Those of who has
// asked for the role, and not been answered, are not judged yet.
func (r *Referee) Writes() (all, stale uint64) { return r.writes.Load(), r.stale.Load() }

// Mark begins a measurement: a controller is about to die, or Nobody. Switches whose master is another one have one
// from the beginning.
func (r *Referee) Mark(dead int, at time.Time) {
	for _, w := range r.switches {
		w.mu.Lock()
		w.dead, w.became, w.wrote = dead, time.Time{}, time.Time{}
		if w.master != Nobody && w.master != dead {
			w.became = at
		}
		w.mu.Unlock()
	}
}

// Since is what has happened since the mark.
type Since struct {
	Mastered    int       // switches whose master is not the one that died
	First, Last time.Time // when the first and the last of them were given one
	Wrote       time.Time // when another than the one that died first wrote to some switch; zero: it has not
	Generations int       // different ones of the masters
}

// Since reports what has happened since the mark.
func (r *Referee) Since() (s Since) {
	generations := map[uint64]bool{}
	for _, w := range r.switches {
		w.mu.Lock()
		if !w.became.IsZero() {
			s.Mastered++
			if s.First.IsZero() || w.became.Before(s.First) {
				s.First = w.became
			}
			if w.became.After(s.Last) {
				s.Last = w.became
			}
			generations[w.generation] = true
		}
		if !w.wrote.IsZero() && (s.Wrote.IsZero() || w.wrote.Before(s.Wrote)) {
			s.Wrote = w.wrote
		}
		w.mu.Unlock()
	}
	s.Generations = len(generations)
	return s
}

// Master is how many switches each controller is the master of.
func (r *Referee) Masters() (list []int) {
	for i, w := range r.switches {
		w.mu.Lock()
		if i == 0 {
			list = make([]int, len(w.connections))
		}
		if w.master != Nobody {
			list[w.master]++
		}
		w.mu.Unlock()
	}
	return list
}
