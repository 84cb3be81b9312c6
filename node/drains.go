package node

import (
	"slices"
	"time"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
)

// drains are the inputs as the API drains them.
type drains struct{ *inputs }

// crossing is what crosses a place, at a revision of the view: what is to leave it, and what
// cannot.
type crossing struct {
	revision       netview.Revision
	leaving, bound int                  // intents included
	intents        intent.DrainProgress // of those
}

// crossings counts what app/forward, nil if it is disabled, and the engine of intents know.
func crossings(f *forward.Forward, in *intents) func(netview.Point) crossing {
	return func(at netview.Point) (p crossing) {
		if in.engine == nil {
			return p
		}
		p.intents, _ = in.engine.DrainProgress(at)
		p.revision = p.intents.Revision
		p.leaving, p.bound = p.intents.Leaving, p.intents.Ends+p.intents.NoOther
		if f != nil {
			q := f.Crossing(at)
			p.revision = min(p.revision, q.Revision)
			p.leaving += q.Pairs + q.Tree
			p.bound += q.Bound
		}
		return p
	}
}

// List implements api.Drains.
func (d drains) List() []client.Drain {
	d.mu.Lock()
	list := sorted(d.state.Drains)
	since := make([]netview.Revision, len(list))
	for i := range list {
		since[i] = d.drained[key(list[i])]
	}
	d.mu.Unlock()
	items := make([]client.Drain, len(list))
	for i := range list {
		items[i] = d.item(list[i], since[i])
	}
	return items
}

// key names a drain, whoever made it.
func key(d config.Drain) config.Drain { return config.Drain{Kind: d.Kind, Object: d.Object} }

// Add implements api.Drains.
func (d drains) Add(kind config.DrainKind, object string, by api.Actor) (client.Drain, netview.Revision, error) {
	ctx, done, err := d.beginChange()
	if err != nil {
		return client.Drain{}, 0, err
	}
	defer done()
	state := d.state
	want := config.Drain{Kind: kind, Object: object, By: by.Name, Since: moment(time.Now())}
	if i := slices.IndexFunc(state.Drains, func(o config.Drain) bool { return key(o) == key(want) }); i >= 0 {
		return d.item(state.Drains[i], d.drained[key(want)]), d.view.Snapshot().Revision(), nil
	}
	state.Drains = append(slices.Clone(state.Drains), want)
	var rev netview.Revision
	if err := d.keep(ctx, state, func() { rev = d.set(); d.drained[key(want)] = rev }); err != nil {
		return client.Drain{}, 0, err
	}
	return d.item(want, rev), rev, nil
}

// Remove implements api.Drains.
func (d drains) Remove(kind config.DrainKind, object string) (bool, netview.Revision, error) {
	ctx, done, err := d.beginChange()
	if err != nil {
		return false, 0, err
	}
	defer done()
	state := d.state
	gone := config.Drain{Kind: kind, Object: object}
	state.Drains = slices.DeleteFunc(slices.Clone(state.Drains), func(o config.Drain) bool { return key(o) == gone })
	if len(state.Drains) == len(d.state.Drains) {
		return false, 0, nil
	}
	var rev netview.Revision
	if err := d.keep(ctx, state, func() { delete(d.drained, gone); rev = d.set() }); err != nil {
		return false, 0, err
	}
	return true, rev, nil
}

// item is a drain with what still passes. Where nobody counts, or the drain is not taken in yet, it
// is draining.
func (d drains) item(c config.Drain, since netview.Revision) client.Drain {
	item := client.Drain{Kind: string(c.Kind), Object: c.Object, State: "draining", By: c.By, Since: c.Since}
	place, ok := place(c)
	if d.crossings == nil || !ok {
		return item
	}
	p := d.crossings(place)
	if p.revision < since {
		return item
	}
	item.Passing, item.Bound = &p.leaving, &p.bound
	item.Intents = &client.DrainIntents{Passing: p.intents.Leaving, Ends: p.intents.Ends,
		NoOther: p.intents.NoOther, First: p.intents.First}
	switch {
	case p.leaving > 0:
	case p.bound > 0:
		item.State = "bound"
	default:
		item.State = "drained"
	}
	return item
}

// place is where to look for what still passes: of a link, one of its ends.
func place(d config.Drain) (netview.Point, bool) {
	ends, err := d.Ends()
	if err != nil {
		return netview.Point{}, false
	}
	return ends[0], true
}
