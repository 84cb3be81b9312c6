package node

import (
	"context"
	"time"

	"github.com/weirnet/weir/intent/watch"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/store/journal"
)

// engineParts are the engines of an instance and what follows the view, in the order in which they
// start: run gives each a goroutine of its own, and whoever steps an instance steps them.
func (n *node) engineParts(now func() time.Time) []*loop.Part {
	list := append([]*loop.Part{&n.alarms.Part, &n.alarms.Watcher(n.view).Part}, n.switches.Parts(now)...)
	list = append(list, &n.discovery.Part, &n.flowsync.Part)
	list = append(append(append(list, n.apps.Parts()...), tenantParts(n)...), n.recorder.Part())
	if n.intents.engine == nil {
		return list
	}
	return append(append(list, n.intents.parts()...), watch.New(n.intents.engine, n.alarms).Part(now))
}

// parts are the engine of intents and the journals. The journal of the paths that the engine
// chooses ends after it, so that the last ones are kept too.
func (x *intents) parts() []*loop.Part {
	paths := journalUntil(x.decisions, "journal of paths", &x.engine.Part)
	return []*loop.Part{x.journal.Part("journal of intents"), paths, &x.engine.Part}
}

// journalUntil returns the part of a journal that ends after another part.
func journalUntil(j *journal.Journal, name string, other *loop.Part) *loop.Part {
	keeping, ended := context.WithCancel(context.Background())
	p := j.Part(name)
	p.Own = func(context.Context) { j.Run(keeping) }
	end := other.End
	other.End = func() {
		end()
		ended()
	}
	return p
}
