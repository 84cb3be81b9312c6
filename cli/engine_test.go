package cli

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/weirnet/weir/api/intents"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// atOnce is a journal that has everything on its disk as soon as Append has returned.
type atOnce chan func()

// Append implements intent.Journal.
func (j atOnce) Append(_ []intent.Record, done func(uint64, error)) error {
	j <- func() { done(1, nil) }
	return nil
}

// newEngine starts intents over a view, whose switches do what they are told. They end with the
// script.
func newEngine(e *testscript.Env, v *netview.View) *intent.Engine {
	journal := make(atOnce, 1000)
	var engine *intent.Engine
	engine = intent.New(intent.Config{Journal: journal, View: v, Orders: func(orders []ruleset.Order) {
		told := make([]ruleset.Outcome, len(orders))
		for i, o := range orders {
			told[i] = ruleset.Outcome{Rules: o.Rules, Rule: o.Rule, Result: ruleset.Installed}
			if o.Remove {
				told[i].Result = ruleset.Removed
			}
		}
		engine.OnOutcomes(told)
	}})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{}, 2)
	go func() { engine.Run(ctx); ended <- struct{}{} }()
	go func() {
		defer func() { ended <- struct{}{} }()
		for {
			select {
			case f := <-journal:
				f()
			case <-ctx.Done():
				return
			}
		}
	}()
	e.Defer(func() {
		cancel()
		<-ended
		<-ended
	})
	return engine
}

// intentFlows are the entries that switch 1 has of any intent: 17 packets came in by its port 1.
// Switch 2 is not connected.
func intentFlows(_ context.Context, dpid netview.DPID, _ uint32) ([]openflow.FlowStats, error) {
	if dpid != 1 {
		return nil, intents.ErrNotConnected
	}
	e := openflow.FlowStats{Packets: 17, Bytes: 1714}
	e.Match.SetUint(openflow.FieldInPort, 1)
	return []openflow.FlowStats{e}, nil
}
