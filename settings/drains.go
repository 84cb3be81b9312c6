package settings

import (
	"slices"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
)

// Drains are settings as the API drains them.
type Drains struct{ *Settings }

// Crossing is what crosses a place, at a revision of the view: what is to leave it, and what
// cannot.
type Crossing struct {
	Revision       netview.Revision
	Leaving, Bound int                  // intents included
	Intents        intent.DrainProgress // of those
}

// List implements api.Drains.
func (d Drains) List() []client.Drain {
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
func (d Drains) Add(kind config.DrainKind, object string, by rest.Actor) (client.Drain, netview.Revision, error) {
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
	if err := d.keep(ctx, said{state, d.own}, func() { rev = d.set(); d.drained[key(want)] = rev }); err != nil {
		return client.Drain{}, 0, err
	}
	return d.item(want, rev), rev, nil
}

// Remove implements api.Drains.
func (d Drains) Remove(kind config.DrainKind, object string) (bool, netview.Revision, error) {
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
	if err := d.keep(ctx, said{state, d.own}, func() { delete(d.drained, gone); rev = d.set() }); err != nil {
		return false, 0, err
	}
	return true, rev, nil
}

// item is a drain with what still passes. Where nobody counts, or the drain is not taken in yet, it
// is draining.
func (d Drains) item(c config.Drain, since netview.Revision) client.Drain {
	item := client.Drain{Kind: string(c.Kind), Object: c.Object, State: "draining", By: c.By, Since: c.Since}
	place, ok := place(c)
	if d.crossings == nil || !ok {
		return item
	}
	p := d.crossings(place)
	if p.Revision < since {
		return item
	}
	item.Passing, item.Bound = &p.Leaving, &p.Bound
	item.Intents = &client.DrainIntents{Passing: p.Intents.Leaving, Ends: p.Intents.Ends,
		NoOther: p.Intents.NoOther, First: p.Intents.First}
	switch {
	case p.Leaving > 0:
	case p.Bound > 0:
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

// Naming are the drains of a switch, its ports and links, and where the configuration names one of
// these.
func (s *Settings) Naming(dpid netview.DPID) (drained []config.Drain, named []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range sorted(s.state.Drains) {
		ends, err := d.Ends()
		if err == nil && slices.ContainsFunc(ends, func(at netview.Point) bool { return at.DPID == dpid }) {
			drained = append(drained, d)
		}
	}
	set := s.current.Settings(nil)
	named = []string{}
	if _, ok := set.Switches[dpid]; ok {
		named = append(named, "switches."+dpid.String())
	}
	for at := range set.Ports {
		if at.DPID == dpid {
			named = append(named, "ports."+config.FormatPoint(at))
		}
	}
	for l := range set.Links {
		if l.Src.DPID == dpid || l.Dst.DPID == dpid {
			named = append(named, "links."+config.LinkRef{A: l.Src, B: l.Dst}.String())
		}
	}
	if set.Allow[dpid] {
		named = append(named, "allow")
	}
	slices.Sort(named)
	return drained, named
}
