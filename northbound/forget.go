package northbound

import (
	"context"
	"errors"
	"fmt"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/settings"
	"github.com/weirnet/weir/store"
)

// someMost is how many of a group are named in an answer.
const someMost = 20

// Switch implements api.Forgetter.
func (n *Answers) Switch(ctx context.Context, dpid netview.DPID, how api.ForgetOptions) (*client.Forgotten,
	netview.Revision, error) {
	sw, ok := n.View.Snapshot().Switch(dpid)
	if !ok {
		return nil, 0, api.ErrNotThere
	}
	f := &client.Forgotten{Kind: "switch", Object: dpid.String(), Name: sw.Name, DryRun: how.DryRun}
	f.Connected = sw.Connected || n.Server.Session(uint64(dpid)) != nil
	if f.Connected && !how.DryRun {
		return nil, 0, connected(dpid)
	}
	d, drained, err := n.onSwitch(f, dpid)
	if err != nil {
		return nil, 0, err
	}
	n.noteSwitch(f, how)
	ctx, cancel := context.WithTimeout(ctx, n.StoreAnswer)
	defer cancel()
	if f.Withdrawn, err = n.withdrawAll(ctx, d.Ends, how); err != nil {
		return nil, 0, err
	}
	if how.DryRun {
		return f, n.View.Snapshot().Revision(), nil
	}
	for _, c := range drained {
		if _, _, err := (settings.Drains{Settings: n.Settings}).Remove(c.Kind, c.Object); err != nil {
			return nil, 0, err
		}
	}
	switch err := n.Discovery.ForgetSwitch(ctx, dpid); {
	case errors.Is(err, discovery.ErrConnected): // since a moment
		return nil, 0, fmt.Errorf("%w; it connected while it was being forgotten: %d intents were withdrawn and %d drains ended by then", connected(dpid),
			f.Withdrawn, len(drained))
	case err != nil && !errors.Is(err, discovery.ErrUnknown): // else somebody else was faster
		return nil, 0, fmt.Errorf("%w: %w", api.ErrNotKept, err)
	}
	n.Stats.Forget(dpid)
	n.Forgotten(dpid)
	n.RuleChecks.forget(dpid)
	n.recorded(ctx, f)
	return f, n.View.Snapshot().Revision(), nil
}

func connected(dpid netview.DPID) error {
	return fmt.Errorf(
		"%w: switch %s would be learned again at once. Stop it, or have it leave this controller, and forget it then; "+
			"weir drain switch %s takes it out of use without loss while it is connected", api.ErrConnected, dpid, dpid)
}

// Host implements api.Forgetter.
func (n *Answers) Host(ctx context.Context, id netview.HostID, how api.ForgetOptions) (*client.Forgotten,
	netview.Revision, error) {
	if _, ok := n.View.Snapshot().Host(id); !ok {
		return nil, 0, api.ErrNotThere
	}
	none := some(nil)
	f := &client.Forgotten{Kind: "host", Object: id.String(), DryRun: how.DryRun, Links: none, Hosts: none,
		Drains: []string{}, Named: []string{}}
	if n.Forward != nil {
		f.Pairs = n.Forward.PairsOf(id)
	}
	var d intent.Dependents
	if n.Intents != nil {
		d = n.Intents.HostDependents(id)
	}
	f.Intents = client.DependentIntents{Ends: some(d.Ends), Passing: none, Withdrawing: none}
	f.Notes = append(f.Notes, "a host that still speaks is learned again with its next packet")
	if len(d.Ends) > 0 && !how.Withdraw {
		f.Notes = append(f.Notes,
			"intents of the host stay, with the rules that they have: they go with --withdraw (?withdraw=true)")
	}
	ctx, cancel := context.WithTimeout(ctx, n.StoreAnswer)
	defer cancel()
	var err error
	if f.Withdrawn, err = n.withdrawAll(ctx, d.Ends, how); err != nil {
		return nil, 0, err
	}
	if how.DryRun {
		return f, n.View.Snapshot().Revision(), nil
	}
	if err := n.Discovery.ForgetHost(ctx, id); err != nil && !errors.Is(err, discovery.ErrUnknown) {
		return nil, 0, fmt.Errorf("%w: %w", api.ErrNotKept, err)
	}
	n.recorded(ctx, f)
	return f, n.View.Snapshot().Revision(), nil
}

// onSwitch fills in what depends on a switch.
func (n *Answers) onSwitch(f *client.Forgotten, dpid netview.DPID) (d intent.Dependents, drained []config.Drain, err error) {
	snap := n.View.Snapshot()
	var links, hosts []string
	seen := make(map[string]bool)
	for _, all := range [...]func(func(*netview.Link) bool){snap.LinksFrom(dpid), snap.LinksTo(dpid)} {
		for l := range all {
			if name := (config.LinkRef{A: l.Src, B: l.Dst, Both: true}).Undirected().String(); !seen[name] {
				seen[name] = true
				links = append(links, name)
			}
		}
	}
	for h := range snap.HostsOf(dpid) {
		hosts = append(hosts, h.HostID.String())
	}
	f.Links, f.Hosts = some(links), some(hosts)
	if n.Forward != nil {
		p := n.Forward.Crossing(netview.Point{DPID: dpid})
		f.Pairs = p.Pairs + p.Bound
	}
	if n.Intents != nil {
		ok := false
		if d, ok = n.Intents.SwitchDependents(dpid); !ok {
			return d, nil, fmt.Errorf("%w: the instance ends", api.ErrNotKept)
		}
	}
	f.Intents = client.DependentIntents{Ends: some(d.Ends), Passing: some(d.Transit), Withdrawing: some(d.Withdrawing)}
	drained, f.Named = n.Settings.Naming(dpid)
	f.Drains = []string{}
	for _, c := range drained {
		f.Drains = append(f.Drains, string(c.Kind)+" "+c.Object)
	}
	return d, drained, nil
}

// noteSwitch notes what follows.
func (n *Answers) noteSwitch(f *client.Forgotten, how api.ForgetOptions) {
	note := func(format string, args ...any) { f.Notes = append(f.Notes, fmt.Sprintf(format, args...)) }
	if f.Connected {
		note("the switch is connected: it is forgotten only when it is not")
	}
	if in := &f.Intents; in.Ends.Count > 0 && !how.Withdraw {
		note("intents with an end there stay, and wait for it to come back: they end with --withdraw (?withdraw=true)")
	}
	if f.Intents.Passing.Count > 0 {
		note("intents that pass it get other paths; those for which there is none fail until there is one")
	}
	if len(f.Named) > 0 {
		note("the configuration names it: weir apply a configuration without it")
	}
	note("if it comes back it is a new switch: entries of ours that nobody wants are removed from it then")
}

// some is how many there are, and the first of them.
func some(list []string) client.Some {
	return client.Some{Count: len(list), First: append([]string{}, list[:min(len(list), someMost)]...)}
}

// withdrawAll withdraws intents, if that is desired, and returns how many when that is durable; of a
// dry run, how many it would be.
func (n *Answers) withdrawAll(ctx context.Context, ids []string, how api.ForgetOptions) (int, error) {
	switch {
	case !how.Withdraw:
		return 0, nil
	case how.DryRun, len(ids) == 0:
		return len(ids), nil
	}
	reqs := make([]intent.Request, len(ids))
	for i, id := range ids {
		reqs[i] = intent.Request{Op: intent.Withdraw, ID: id}
	}
	answers, err := n.Intents.Submit(ctx, reqs, false)
	if errors.Is(err, context.DeadlineExceeded) {
		err = store.ErrUnknown
	}
	if err != nil {
		return 0, fmt.Errorf("%w: intents could not be withdrawn, and nothing is forgotten: %w", api.ErrNotKept, err)
	}
	withdrawn := 0
	for i := range answers {
		if answers[i].Status == intent.Accepted {
			withdrawn++
		}
	}
	return withdrawn, nil
}

// recorded waits until what is remembered of the network has it no more. Where that fails the alarm
// "remembered" tells too.
func (n *Answers) recorded(ctx context.Context, f *client.Forgotten) {
	if err := n.Recorder.WriteNow(ctx); err != nil {
		f.Notes = append(f.Notes,
			"what is remembered of the network could not be written: if the instance ends before it is, it will know it again: "+err.Error())
	}
}
