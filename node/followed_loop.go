package node

import (
	"context"
	"sync"

	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
)

// followed is what a standby knows of what the owner keeps in journals, as it comes: what it begins with when it takes over,
// which then does not depend on how much there is.
type followed struct {
	intents, decisions, tables *journal.Follower // of a hypervisor the first two are nil
	loader                     *intent.Loader
	kept                       *journal.Kept
	stop                       context.CancelFunc
	running                    sync.WaitGroup
}

// followJournals begins to follow the journals in the store.
func followJournals(ctx context.Context, n *node, st store.Store) *followed {
	f := &followed{kept: &journal.Kept{}}
	ctx, f.stop = context.WithCancel(ctx)
	f.tables = journal.NewFollower(st, journalConfig(n, datadir.TenantTables, nil), f.kept)
	f.running.Go(func() { f.tables.Run(ctx) })
	if n.cfg.Role == config.RoleHypervisor {
		return f
	}
	f.loader = intent.NewLoader(intent.Config{View: n.view})
	f.intents = journal.NewFollower(st, journalConfig(n, datadir.Intents, nil), intentSink{f.loader})
	f.decisions = journal.NewFollower(st, journalConfig(n, datadir.Decisions, nil), decisionSink{f.loader})
	f.running.Go(func() { f.intents.Run(ctx) })
	f.running.Go(func() {
		for _, one := range []*journal.Follower{f.tables, f.intents, f.decisions} {
			select {
			case <-one.Known():
			case <-ctx.Done():
				return
			}
		}
		n.cfg.Log.Info("what the owner keeps is followed", "intents", f.loader.Len())
		if p, ok := st.(pager); ok {
			p.PageOut()
		}
	})
	f.running.Go(func() {
		select { // what is decided about is known first, or all decisions would be kept aside
		case <-f.intents.Known():
			f.decisions.Run(ctx)
		case <-ctx.Done():
		}
	})
	return f
}

// end ends the following, and waits.
func (f *followed) end() {
	if f != nil {
		f.stop()
		f.running.Wait()
	}
}

// intentSink and decisionSink are what journals tell a loader.
type (
	intentSink   struct{ *intent.Loader }
	decisionSink struct{ *intent.Loader }
)

// Reset implements journal.Sink.
func (s intentSink) Reset() { s.Loader.Reset(false) }

// Take implements journal.Sink.
func (s intentSink) Take(r journal.Record) error { return s.Intent(intent.Record(r)) }

// Reset implements journal.Sink.
func (s decisionSink) Reset() { s.Loader.Reset(true) }

// Take implements journal.Sink. A decision that is not understood is no loss: its path is computed anew.
func (s decisionSink) Take(r journal.Record) error {
	s.Decision(intent.Record(r))
	return nil
}
