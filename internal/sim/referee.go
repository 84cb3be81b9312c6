package sim

import (
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/store/owner"
)

// referee stands at the switches, and holds the instances of a cluster to what must be whatever they know of each other: a switch
// has one master at a time, no two owners have one term, and nothing is accepted from an owner when a later one was the switch's
// master already.
type referee struct {
	w        *world
	switches []refereed
	term     uint64    // of the latest owner
	began    time.Time // when that became the owner
	writes   int       // that were accepted
	late     int       // of them, in OpenFlow 1.0, from an owner that had been replaced
}

// refereed is what is known of a switch, since it has power.
type refereed struct {
	master     *wire // nil: none is
	generation uint64
	run        *instanceRun // that was granted that generation
	reign      int          // of the latest owner that was its master
	since      time.Time    // of when that was its master first
}

// With OpenFlow 1.0 nothing tells a switch of terms: an owner that was replaced, and does not know, may take a switch back
// while the store does not answer it.
const lateMost = 6 * time.Second

// flightMost is how long what was written may be on its way.
const flightMost = 200 * time.Millisecond

func newReferee(w *world) *referee {
	return &referee{w: w, switches: make([]refereed, w.plan.Switches)}
}

// begins takes note of a new owner.
func (r *referee) begins(l *instanceRun, terms *owner.Terms) {
	if l.reign > 1 && int64(terms.Term()-r.term) <= 0 {
		r.w.fail("%s owns the store in term %d, and an owner before had %d", l.name(), terms.Term(), r.term)
	}
	r.term, r.began = terms.Term(), r.w.now
}

// answers takes note of an answer for which nothing is written: to who reads, or asks for what is so. An owner that was
// replaced, and does not know yet, answers by what it knows; a while later it knows, or does not answer any more.
func (r *referee) answers(o *Operation, l *instanceRun) {
	o.Replaced = l.reign < r.w.instances.reigns && (o.Kind == OpGet || o.Was != WasAny)
	if !o.Replaced {
		return
	}
	if r.w.now.Sub(r.began) > lateMost && r.w.now.Sub(l.machine.paused) > lateMost {
		r.w.fail("%s answers by what it knows, %v after another had become the owner", l.name(), r.w.now.Sub(r.began))
	}
}

// says looks for answers to requests for a role in what a switch writes.
func (r *referee) says(e *end, b []byte) {
	e.said = append(e.said, b...)
	for len(e.said) >= openflow.HeaderLen {
		n := int(e.said[2])<<8 | int(e.said[3])
		if n < openflow.HeaderLen || n > len(e.said) {
			return
		}
		if t := e.said[1]; t == typeRoleReply || t == typeExperimenter {
			if _, m, err := openflow.Parse(e.said[:n]); err == nil {
				if reply, ok := m.(*openflow.RoleReply); ok {
					r.grants(e.wire, reply)
				}
			}
		}
		e.said = e.said[n:]
	}
}

// The types of messages that may be answers to requests for a role, in all versions.
const (
	typeExperimenter = 4
	typeRoleReply    = 25
)

// grants takes note of the role that a switch gives.
func (r *referee) grants(c *wire, reply *openflow.RoleReply) {
	s, name := &r.switches[c.sw], r.w.net.Switches()[c.sw].Name()
	if reply.Role != openflow.RoleMaster {
		if s.master == c {
			s.master = nil
		}
		return
	}
	r.w.say("%s is the master of %s, generation %d", c.run.name(), name, reply.Generation)
	if r.w.plan.Version >= openflow.V13 && s.run != nil && s.run != c.run && s.generation == reply.Generation {
		r.w.fail("switch %s has two masters in generation %d: %s and %s", name, s.generation, s.run.name(), c.run.name())
	}
	s.master, s.generation, s.run = c, reply.Generation, c.run
	if c.run.reign > s.reign {
		s.reign, s.since = c.run.reign, r.w.now
	}
}

// forgets takes note that a switch has lost its power, and with it what it knew of masters.
func (r *referee) forgets(sw int) { r.switches[sw] = refereed{} }

// accepted takes note of a message by which an instance has changed a switch, or sent a packet.
func (r *referee) accepted(sw *emu.Switch, controller int, m openflow.Message) {
	w := r.w
	if w.wires.reading == nil {
		return
	}
	c := w.wires.reading.wire
	s := &r.switches[c.sw]
	if c.run.machine.index != controller || w.net.Switches()[c.sw] != sw {
		w.fail("a message of controller %d is read on a connection of %s", controller, c.run.name())
	}
	r.writes++
	switch {
	case c.run.reign == 0:
		w.fail("switch %s accepts %s from %s, which has never been the owner", sw.Name(), m.Type(), c.run.name())
	case w.plan.Equal:
		if c.run.reign < w.instances.reigns && w.now.Sub(r.began) > flightMost {
			w.fail("switch %s accepts %s from %s, %v after another had become the owner", sw.Name(), m.Type(), c.run.name(),
				w.now.Sub(r.began))
		}
	case s.master != c:
		w.fail("switch %s accepts %s from %s, which is not its master", sw.Name(), m.Type(), c.run.name())
	case c.run.reign < s.reign && w.plan.Version >= openflow.V13:
		w.fail("switch %s accepts %s from %s, %v after a later owner had become its master", sw.Name(), m.Type(), c.run.name(),
			w.now.Sub(s.since))
	case c.run.reign < s.reign:
		if r.late++; w.now.Sub(s.since) > lateMost {
			w.fail("switch %s accepts %s from %s, %v after a later owner had become its master", sw.Name(), m.Type(), c.run.name(),
				w.now.Sub(s.since))
		}
	}
}
