package netview

import (
	"cmp"
	"slices"
)

// working is the tables as the running transaction has them. It knows nothing of the lock that guards it, of
// snapshots that were published and of watchers.
type working struct {
	revision Revision // of the running transaction, if it changes something

	switches factTable[DPID, Switch]
	links    factTable[LinkKey, Link]
	linksIn  table[LinkKey, Link] // by the reversed key
	hosts    factTable[HostID, Host]
	hostsAt  table[hostPlace, Host]
	layers   []*layer    // of the sources that have a writer, in their order
	behind   []published // the layers as published; nil until there is something in one
	closed   bool        // a layer was closed since
	rules    table[claim, ownedRule]
	meters   table[meterClaim, ownedMeter]
	alarms   table[AlarmKey, Alarm]
	masters  table[DPID, string] // of the switches whose master is another than that of all
	master   string              // of all others
	settings *Settings
	reserved *PortSet
	settled  bool
	nextSeq  uint64   // of the next claim
	pending  []Change // of the transaction that runs
}

func newWorking() working {
	return working{
		switches: factTable[DPID, Switch]{newTable[DPID, Switch](cmp.Compare[DPID]),
			func(s *Switch) *FactSource { return s.Source }, func(l *layer) *table[DPID, Switch] { return &l.switches }},
		links: factTable[LinkKey, Link]{newTable[LinkKey, Link](LinkKey.Compare),
			func(l *Link) *FactSource { return l.Source }, func(l *layer) *table[LinkKey, Link] { return &l.links }},
		linksIn: newTable[LinkKey, Link](LinkKey.Compare),
		hosts: factTable[HostID, Host]{newTable[HostID, Host](HostID.Compare),
			func(h *Host) *FactSource { return h.Source }, func(l *layer) *table[HostID, Host] { return &l.hosts }},
		hostsAt:  newTable[hostPlace, Host](compareHostPlaces),
		rules:    newTable[claim, ownedRule](compareClaims),
		meters:   newTable[meterClaim, ownedMeter](compareMeterClaims),
		alarms:   newTable[AlarmKey, Alarm](AlarmKey.Compare),
		masters:  newTable[DPID, string](cmp.Compare[DPID]),
		settings: &Settings{},
		reserved: &PortSet{},
	}
}

// rollback goes back to what was published last.
func (w *working) rollback(now *Snapshot) {
	w.switches.rollback()
	w.links.rollback()
	w.linksIn.rollback()
	w.hosts.rollback()
	w.hostsAt.rollback()
	for _, l := range w.layers {
		l.rollback()
	}
	w.rules.rollback()
	w.meters.rollback()
	w.alarms.rollback()
	w.masters.rollback()
	w.settings, w.settled, w.master, w.reserved = now.settings, now.settled, now.master, now.reserved
	w.forget()
}

// forget forgets the changes of the transaction, which has ended one way or the other.
func (w *working) forget() {
	clear(w.pending)
	w.pending = w.pending[:0]
	for _, l := range w.layers {
		l.wasSettled = l.settled
	}
}

// changed reports whether the transaction changed something that has a revision.
func (w *working) changed(since *Snapshot) bool {
	return w.switches.dirty || w.links.dirty || w.hosts.dirty || w.rules.dirty || w.meters.dirty || w.alarms.dirty ||
		w.settled != since.settled || w.settings != since.settings
}

// unseen reports whether it changed something that has none: masters of switches without a row,
// reservations of ports that are not there, and what sources say while another's row is shown.
func (w *working) unseen(since *Snapshot) bool {
	return w.masters.dirty || w.reserved != since.reserved ||
		w.master != since.master || w.closed || slices.ContainsFunc(w.layers, (*layer).dirty)
}

// publish returns the tables as they are.
func (w *working) publish(revision Revision) *Snapshot {
	return &Snapshot{
		revision: revision,
		settled:  w.settled,
		settings: w.settings,
		reserved: w.reserved,
		alarms:   w.alarms.publish(),
		masters:  w.masters.publish(),
		master:   w.master,
		switches: w.switches.publish(),
		links:    w.links.publish(),
		linksIn:  w.linksIn.publish(),
		hosts:    w.hosts.publish(),
		hostsAt:  w.hostsAt.publish(),
		behind:   w.publishLayers(),
		rules:    w.rules.publish(),
		meters:   w.meters.publish(),
	}
}

// publishLayers returns the layers as they are: the same as before if none has changed.
func (w *working) publishLayers() []published {
	dirty := w.closed && w.behind != nil
	w.closed = false
	for _, l := range w.layers {
		dirty = dirty || l.dirty()
	}
	if dirty {
		w.behind = make([]published, 0, len(w.layers))
		for _, l := range w.layers {
			w.behind = append(w.behind, l.publish())
		}
	}
	return w.behind
}

// record adds a change to the running transaction.
func (w *working) record(c Change) { w.pending = append(w.pending, c) }

// open adds a source.
func (w *working) open(source *FactSource) *layer {
	l := newLayer(source)
	at, _ := slices.BinarySearchFunc(w.layers, source, func(l *layer, s *FactSource) int { return l.source.compare(s) })
	w.layers = slices.Insert(slices.Clone(w.layers), at, l)
	return l
}

// close removes a source, which says nothing any more.
func (w *working) close(l *layer) {
	w.layers = slices.DeleteFunc(slices.Clone(w.layers), func(k *layer) bool { return k == l })
	w.closed, l.withdrawn = true, true
	w.settle()
}

// settle has the view settled if all sources have.
func (w *working) settle() {
	w.settled = w.settled || len(w.layers) > 0 && !slices.ContainsFunc(w.layers, func(l *layer) bool { return !l.settled })
}

func (w *working) knows(dpid DPID) bool {
	_, ok := w.switches.get(dpid)
	return ok
}

// linksOf lists the links from and to a switch.
func (w *working) linksOf(dpid DPID) []*Link {
	links := slices.Collect(linksOf(w.links.rows, dpid))
	for l := range linksOf(w.linksIn.rows, dpid) {
		if l.Src.DPID != dpid {
			links = append(links, l)
		}
	}
	return links
}

// showLink writes a derived row.
func (w *working) showLink(l *Link) {
	w.links.put(l.LinkKey, l)
	w.linksIn.put(l.Reverse(), l)
	w.record(Change{Kind: KindLink, Link: l})
}

// refreshLinks derives the links of a changed switch again: among others, links without two ports
// that are up go down.
func (w *working) refreshLinks(dpid DPID) {
	for _, l := range w.linksOf(dpid) {
		if row := w.derivedLink(l, l.said); row != l {
			w.showLink(row)
		}
	}
}

// showHost shows a host, in place of an earlier row.
func (w *working) showHost(was, h *Host) {
	if was != nil && was.At != h.At {
		w.hostsAt.remove(hostPlace{was.At, h.HostID})
	}
	w.hostsAt.put(hostPlace{h.At, h.HostID}, h)
	w.record(Change{Kind: KindHost, Host: h})
}

// reconcile holds what sources say to what others say of the same switches, at the end of a transaction: links
// at ports where no link is are not up, and hosts at ports where one is go. Of rows of one source this is for
// the source to see to.
func (w *working) reconcile() {
	if len(w.layers) == 1 {
		return
	}
	for i := 0; i < len(w.pending); i++ { // grows meanwhile
		switch c := w.pending[i]; {
		case c.Deleted:
		case c.Kind == KindSwitch:
			w.refreshLinks(c.Switch.DPID)
			for _, h := range slices.Collect(hostsOf(w.hostsAt.rows, c.Switch.DPID)) {
				w.dropMisplaced(h)
			}
		case c.Kind == KindHost:
			if h, ok := w.hosts.get(c.Host.HostID); ok && h == c.Host {
				w.dropMisplaced(h)
			}
		}
	}
}

// dropMisplaced deletes a host at a port where another source has a link.
func (w *working) dropMisplaced(h *Host) {
	at, ok := w.switches.get(h.At.DPID)
	if !ok || at.Source == h.Source {
		return
	}
	if p, _ := at.Port(h.At.Port); p.Role == PortLink {
		(&FactsTx{w, layerOf(w.layers, h.Source)}).DeleteHost(h.HostID)
	}
}
