package node

import (
	"cmp"
	"fmt"
	"time"

	"github.com/weirnet/weir/loop"
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

// watchdog asks the parts that can be asked: those that have a bell or beats, and the journals.
func (n *node) watchdog() (dog loop.Watchdog) {
	if n.intents.engine != nil {
		dog.Add("journal of intents", n.intents.journal.Pulse)
		dog.Add("journal of paths", n.intents.decisions.Pulse)
	}
	if n.tables != nil {
		dog.Add("journal of tenants", n.tables.Pulse)
	}
	for _, p := range n.parts {
		if (p.Bell.C() != nil || p.Beats > 0) && !n.apps.Hosts(p) {
			dog.Add(p.Name, p.Pulse)
		}
	}
	return dog
}
