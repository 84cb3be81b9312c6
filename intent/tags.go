package intent

import (
	"fmt"
	"slices"

	"github.com/weirnet/weir/intent/paths"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/pathing"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/topology"
)

// tags are those of wide intents: the ids by which their packets are known on links between switches. An intent keeps the
// id that it has on a link, whatever else of its path changes, so that the rules beyond need not.
type tags struct {
	entries  *entries
	network  *paths.Network
	registry *paths.Registry
	ids      *pathing.Tags

	short   bool            // there was no id for an intent
	freed   bool            // and one is free again
	revoked []uint32        // intents that must move, since takeRevoked
	byHosts map[uint32]bool // intents that are wide because a host elsewhere has the address that fixes their source

	seen   *netview.Snapshot // of narrow
	narrow []netview.LinkKey // links that do not carry frames with tags
	isIn   map[netview.LinkKey]bool
	stuck  bool // there was no other way for an intent that must move
}

// contentIs notes whether an intent is wide with another content.
func (t *tags) contentIs(n uint32, e *coreEntry, s *spec.Spec) {
	how, _ := s.Sender()
	e.flags &^= wide
	if how == spec.AnySender || how == spec.ByAddress && t.byHosts[n] {
		e.flags |= wide
	}
}

// wideByHosts notes that an intent is wide because of hosts, for good: the path of one that is stays as it is if they
// go. It reports whether it was not.
func (t *tags) wideByHosts(n uint32, e *coreEntry) bool {
	t.byHosts[n] = true
	was := e.has(wide)
	if e.content != "" {
		s := spec.Read(e.content)
		t.contentIs(n, e, &s)
	}
	return !was && e.has(wide)
}

// hostsSeen denies the VLAN ids that hosts use: they are not handed out any more. Who has one is to get another.
func (t *tags) hostsSeen(u *NetworkUpdate) {
	if u.Resync {
		for h := range u.Snap.Hosts() {
			t.deny(h.VLAN)
		}
	}
	for i := range u.Changes {
		if c := &u.Changes[i]; c.Kind == netview.KindHost && !c.Deleted {
			t.deny(c.Host.VLAN)
		}
	}
}

func (t *tags) deny(id uint16) {
	if id == 0 || id > pathing.TagMax || !t.ids.Deny(id) || !t.ids.Taken(id) {
		return
	}
	for n := range t.ids.Holders(id) {
		t.revoked = append(t.revoked, n)
	}
}

// takeRevoked returns the intents that have an id that was denied since the last call, or a path over a link that has
// become narrow, some more than once.
func (t *tags) takeRevoked() (list []uint32) {
	list, t.revoked = t.revoked, nil
	return list
}

// hold notes that switches may have rules of a set: its ids are taken. It reports whether they were free, and takes none
// else.
func (t *tags) hold(g *ruleset.Set) bool {
	held, refused := 0, false
	t.each(g, func(port uint32, tag ruleset.Tag) {
		if refused = refused || !t.ids.Hold(port, uint16(tag), g.Number); !refused {
			held++
		}
	})
	if !refused {
		return true
	}
	t.each(g, func(port uint32, tag ruleset.Tag) {
		if held--; held >= 0 {
			t.ids.Release(port, uint16(tag))
		}
	})
	return false
}

// release undoes hold.
func (t *tags) release(g *ruleset.Set) {
	t.each(g, func(port uint32, tag ruleset.Tag) {
		t.ids.Release(port, uint16(tag))
		t.freed = t.short
	})
}

// takeFreed reports whether an id has become free since there was none for an intent.
func (t *tags) takeFreed() bool {
	freed := t.freed
	if freed {
		t.short, t.freed = false, false
	}
	return freed
}

func (t *tags) each(g *ruleset.Set, yield func(port uint32, tag ruleset.Tag)) {
	if !g.Tagged() {
		return
	}
	for r := range g.Routes() {
		t.registry.Of(r).EachTag(yield)
	}
}

// loaded notes that an intent had a rule set before the restart: with tags, it is wide also if the hosts that made it so
// are not known yet.
func (t *tags) loaded(n uint32, e *coreEntry, s *spec.Spec, g *ruleset.Set) {
	if g.Tagged() {
		t.byHosts[n] = true
		t.contentIs(n, e, s)
	}
}

// forget forgets an intent that is gone.
func (t *tags) forget(n uint32) { delete(t.byHosts, n) }

// mustMove reports whether a wide intent is to have other rules, whatever these cost: its own take packets of others, since
// they go by no tags or by one that a host uses, or they go over a link that does not carry full-size frames with a tag.
func (t *tags) mustMove(e *coreEntry) bool {
	if !e.has(wide) || e.has(withdrawing) || e.rules == nil {
		return false
	}
	if !e.rules.Tagged() {
		return true
	}
	denied := false
	t.each(e.rules, func(_ uint32, tag ruleset.Tag) { denied = denied || t.ids.Denied(uint16(tag)) })
	return denied || len(t.narrowLinks()) > 0 && t.registry.Any(e.rules, t.passesNarrow)
}

// linksNarrowed revokes the paths of intents whose tagged packets go over links that are narrow now, if some have become
// so, or if there may be another way since links are up. It looks at all paths: both are rare.
func (t *tags) linksNarrowed(changes []netview.Change, up bool) {
	was := t.isIn // of the snapshot before
	narrower := slices.ContainsFunc(changes, func(c netview.Change) bool {
		return c.Kind == netview.KindLink && !c.Deleted && c.Link.Width == netview.WidthNarrow && !was[c.Link.LinkKey]
	})
	if !narrower && !(up && t.stuck) || len(t.narrowLinks()) == 0 {
		return
	}
	t.stuck = false
	for path := range t.registry.All() {
		if path.Used() && path.Tagged() && t.passesNarrow(path) {
			t.revoked = append(t.revoked, path.Users()...)
		}
	}
}

// with returns the path with the links of another whose packets carry tags. Where that cannot be, without has what is to
// be left out for another try: nothing, if none helps.
func (t *tags) with(n uint32, s *spec.Spec, path *paths.Path) (tagged *paths.Path, without topology.Filter, p problem) {
	if path.Tagged() {
		return path, without, p
	}
	if without, p = t.tooNarrow(path); p.code != NoCode {
		return nil, without, p
	}
	ingress := s.Ingress(nil)
	if p = t.cannotPush(s, ingress); p.code != NoCode {
		return nil, without, p
	}
	now := t.pathOf(n)
	tagged, at := t.registry.Tagged(path, paths.Tagging{
		Tag: func(port uint32, _ netview.Point) ruleset.Tag { return t.next(now, port) },
		Enters: func(at netview.Point) bool {
			for _, p := range ingress {
				if p == at {
					return true
				}
			}
			return false
		},
		Dialects: t.dialect,
	})
	if tagged == nil {
		path.EachLink(func(k netview.LinkKey) {
			if k.Dst == at {
				without.Links = append(without.Links, k)
			}
		})
		return nil, without, problem{code: NoTag, text: fmt.Sprintf(
			"link %s: all VLAN ids that packets may be tagged with are taken", without.Links[0])}
	}
	return tagged, without, problem{}
}

// pathOf returns the tagged path that an intent has, or is on its way to; nil if it has none.
func (t *tags) pathOf(n uint32) *paths.Path {
	e := t.entries.At(n)
	g := e.rules
	if e.transition != nil && e.transition.next != nil {
		g = e.transition.next
	}
	if !g.Tagged() {
		return nil
	}
	return t.registry.Of(g.Legs[0].Route)
}

// next returns the id at a port of an intent that has a path now: the one that it has there, else the lowest free one; 0:
// there is none.
func (t *tags) next(now *paths.Path, port uint32) ruleset.Tag {
	if now != nil {
		if tag := now.TagAt(port); tag != 0 && !t.ids.Denied(uint16(tag)) {
			return tag
		}
	}
	id, ok := t.ids.Free(port)
	t.short = t.short || !ok
	return ruleset.Tag(id)
}

// dialect is the version of OpenFlow that a switch speaks; 0 if it is not known.
func (t *tags) dialect(dpid netview.DPID) openflow.Version {
	if sw, ok := t.network.Snap.Switch(dpid); ok {
		return sw.Version
	}
	return 0
}

// cannotPush says which switch cannot tag what comes in.
func (t *tags) cannotPush(s *spec.Spec, ingress []netview.Point) problem {
	vlan, mask, ok := s.Selector.Lookup(openflow.FieldVLANVID)
	if ok && mask == nil && len(vlan) == 2 && vlan[0]|vlan[1] == 0 { // none have a tag
		return problem{}
	}
	for _, at := range ingress {
		if !plan.TagsAll(t.dialect(at.DPID)) {
			return problem{code: NoTag, text: fmt.Sprintf(
				"switch %s, where packets come in, speaks OpenFlow 1.0 and can tag untagged packets only: "+
					"add vlan_vid=none to the selector, or say who sends (eth_src)", at.DPID)}
		}
	}
	return problem{}
}

// narrowLinks returns the links that do not carry full-size frames with tags.
func (t *tags) narrowLinks() []netview.LinkKey {
	if t.seen != t.network.Snap {
		t.seen, t.narrow, t.isIn = t.network.Snap, t.narrow[:0], make(map[netview.LinkKey]bool)
		for l := range t.seen.Links() {
			if l.Width == netview.WidthNarrow {
				t.narrow = append(t.narrow, l.LinkKey)
				t.isIn[l.LinkKey] = true
			}
		}
	}
	return t.narrow
}

func (t *tags) passesNarrow(path *paths.Path) (found bool) {
	t.narrowLinks()
	path.EachLink(func(k netview.LinkKey) { found = found || t.isIn[k] })
	return found
}

// tooNarrow says which link of a path does not carry frames with tags. All that do not are to be left out then.
func (t *tags) tooNarrow(path *paths.Path) (without topology.Filter, p problem) {
	narrow := t.narrowLinks()
	if len(narrow) == 0 {
		return without, p
	}
	path.EachLink(func(k netview.LinkKey) {
		if l, ok := t.seen.Link(k); ok && l.Width == netview.WidthNarrow && p.code == NoCode {
			without.Links = narrow
			p = problem{code: NoTag, text: fmt.Sprintf(
				"link %s: frames with a tag more than hosts send do not pass: raise the MTU of what it leads through", k)}
		}
	})
	return without, p
}
