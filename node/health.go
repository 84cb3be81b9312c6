package node

import (
	"cmp"
	"fmt"
	"time"
)

// hangAfter is how long a part may do nothing though it is asked to, before it is taken to hang.
const hangAfter = time.Minute

// healthy returns which part of a running instance has ended without being told to, or hangs.
func (n *node) healthy() error {
	if name := n.ended.Load(); name != nil {
		return fmt.Errorf("%s: it has ended, and the instance goes on without it: start the instance again", *name)
	}
	if name := n.hung.Load(); name != nil {
		return fmt.Errorf("%s: it hangs: it has done nothing for %v, though it was asked to: start the instance again", *name, n.cfg.hangAfter())
	}
	return nil
}

func (c *Config) hangAfter() time.Duration { return cmp.Or(c.HangAfter, hangAfter) }

// A pulse is a part whose loop has turns, and has one soon when it is asked how many it has done.
type pulse struct {
	name  string
	turns func() uint64
	last  uint64
	idle  int // how many times in a row it had done none
}

// pulses are the parts that can be asked: those that have a bell or beats, and the journals.
func (n *node) pulses() []*pulse {
	list := []*pulse{
		{name: "journal of intents", turns: n.intents.journal.Pulse},
		{name: "journal of paths", turns: n.intents.decisions.Pulse},
	}
	for _, p := range n.parts {
		if p.Bell.C() != nil || p.Beats > 0 {
			list = append(list, &pulse{name: p.Name, turns: p.Pulse})
		}
	}
	return list
}

// pulseTimes is how many times in hangAfter each part is asked: by counting them, not by the clock,
// a process that was stopped as a whole is not taken to hang.
const pulseTimes = 6

// hungPart asks all parts, and returns the first that hangs; nil: none does.
func hungPart(list []*pulse) (hung *string) {
	for _, p := range list {
		turns := p.turns()
		if p.idle++; turns != p.last {
			p.last, p.idle = turns, 0
		}
		if p.idle > pulseTimes && hung == nil {
			hung = &p.name
		}
	}
	return hung
}
