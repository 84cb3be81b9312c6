package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/datadir"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
	"github.com/weirnet/weir/store/owner"
)

// intents are the engine of intents with its journals. Its orders go to flowsync, and their outcomes
// come back; without an engine there are none, and no journals. Requests are answered when they are in the first
// journal; the second has the paths that were chosen, written within a second.
type intents struct {
	engine             *intent.Engine
	journal, decisions *journal.Journal
	others             func([]ruleset.Outcome) // takes outcomes of rules that are no intents'
}

// openIntents makes the engine, and has it load what an earlier run was asked for. The view has
// been told what is remembered by then; switches have not been served yet. An instance that serves tenants
// alone has no engine.
func (n *node) openIntents(ctx context.Context, now func() time.Time) error {
	if n.cfg.Role == config.RoleHypervisor {
		return nil // intents in the store stay there; flowsync removes what switches have of them
	}
	x := &n.intents
	loader, err := x.load(ctx, n, now)
	if err != nil {
		return err
	}
	x.engine = intent.New(intent.Config{
		Journal: &records{j: x.journal}, Decisions: &records{j: x.decisions}, View: n.view, Maps: n.maps, Now: now,
		Guards: n.view.Desired(intent.RowOwner), Domain: uint16(n.cfg.Domain), Loaded: loader,
		Orders: n.flowsync.Order, Ordered: n.flowsync.Release,
	})
	n.answers.Intents = x.engine
	n.flowsync.Hold()
	return nil
}

// load opens both journals, and loads what they have: what was not followed.
func (x *intents) load(ctx context.Context, n *node, now func() time.Time) (loader *intent.Loader, err error) {
	if f := n.followed; f != nil && f.loader != nil {
		loader = f.loader
		if x.journal, err = promote(ctx, f.intents, datadir.Intents); err != nil {
			return nil, err
		}
		if x.decisions, err = promote(ctx, f.decisions, datadir.Decisions); err != nil {
			return nil, err
		}
	} else {
		loader = intent.NewLoader(intent.Config{View: n.view, Now: now})
		if x.journal, err = openJournal(ctx, n, datadir.Intents, now, intentSink{loader}.Take); err != nil {
			return nil, err
		}
		if x.decisions, err = openJournal(ctx, n, datadir.Decisions, now, decisionSink{loader}.Take); err != nil {
			return nil, err
		}
		if p, ok := n.store.(pager); ok {
			p.PageOut()
		}
	}
	loader.End()
	if count := loader.Len(); count > 0 {
		n.cfg.Log.Info("intents loaded", "intents", count, "paths computed anew", loader.Bad())
	}
	return loader, nil
}

// journalConfig is that of a journal whose keys have this prefix.
func journalConfig(n *node, prefix string, now func() time.Time) journal.Config {
	return journal.Config{
		Prefix: prefix, Now: now, Answer: n.cfg.storeAnswer(), Log: n.cfg.Log, Only: n.owns,
		Trouble: func(reason string) { n.said.say(prefix[:len(prefix)-1], reason) },
	}
}

// openJournal opens a journal whose keys have this prefix, and loads it.
func openJournal(ctx context.Context, n *node, prefix string, now func() time.Time, take func(journal.Record) error) (
	*journal.Journal, error) {
	j, err := journal.Open(ctx, n.store, journalConfig(n, prefix, now))
	if err == nil {
		err = j.Load(ctx, take)
	}
	return j, inStore(prefix, err)
}

// promote opens a journal that was followed: what it has was told by then.
func promote(ctx context.Context, f *journal.Follower, prefix string) (*journal.Journal, error) {
	j, err := f.Promote(ctx)
	return j, inStore(prefix, err)
}

// inStore says what of the store could not be opened. Whose journal another one has is not the owner any more.
func inStore(prefix string, err error) error {
	if errors.Is(err, journal.ErrDeposed) {
		return fmt.Errorf("%w: %s: %w", owner.ErrDeposed, prefix[:len(prefix)-1], err)
	} else if err != nil {
		return fmt.Errorf("%s in the store: %w", prefix[:len(prefix)-1], err)
	}
	return nil
}

// onOutcomes passes the outcomes of orders to who gave them.
func (x *intents) onOutcomes(list []ruleset.Outcome) {
	own, rest := cut(list, plan.KindIntent)
	if x.others != nil && len(rest) > 0 {
		x.others(rest)
	}
	if x.engine != nil && len(own) > 0 {
		x.engine.OnOutcomes(own)
	}
}

// cut returns the outcomes of rules of one kind of owner, and the rest, each in its order.
func cut(list []ruleset.Outcome, kind plan.Kind) (own, rest []ruleset.Outcome) {
	is := func(o ruleset.Outcome) bool { return o.Rules.Kind == kind }
	isNot := func(o ruleset.Outcome) bool { return !is(o) }
	switch {
	case !slices.ContainsFunc(list, isNot):
		return list, nil
	case !slices.ContainsFunc(list, is):
		return nil, list
	}
	for _, o := range list {
		if is(o) {
			own = append(own, o)
		} else {
			rest = append(rest, o)
		}
	}
	return own, rest
}

// onFailure has the engine look at once for paths that have failed.
func (x *intents) onFailure() {
	if x.engine != nil {
		x.engine.Prompt()
	}
}

// records is a journal as the engine takes it. It is used by one goroutine at a time.
type records struct {
	j    *journal.Journal
	list []journal.Record // scratch: those of one call
}

// Append implements intent.Journal.
func (r *records) Append(recs []intent.Record, done func(revision uint64, err error)) error {
	r.list = r.list[:0]
	for i := range recs {
		r.list = append(r.list, journal.Record(recs[i]))
	}
	defer clear(r.list) // what they point to is the caller's
	err := r.j.Append(r.list, func(rev store.Revision, err error) { done(uint64(rev), err) })
	if errors.Is(err, journal.ErrOverload) {
		return &intent.Overload{What: err.Error(), RetryAfter: time.Second}
	}
	return err
}
