package netview

import (
	"iter"
	"slices"
)

// Facts writes what one source says of the network: switches, links, hosts. Discovery owns the one of the
// source Discovery; others may write beside it, at the same time.
type Facts struct {
	view  *View
	layer *layer
}

// Facts is FactsFrom(Discovery).
func (v *View) Facts() *Facts { return v.FactsFrom(Discovery) }

// FactsFrom returns the writer of what a source says. It has one owner: a second call with a source of this
// name panics. From then on the view does not settle before this source says so.
//
// A source has rows of its own, whatever others say, and reads these. Of each switch, link and host the row
// of the source that takes precedence is shown (FactSource); if that is deleted, the next one is. What follows
// from the switches is the same for all: a link of any source is up between two ports that are up, and what is
// at a switch that nobody knows any more goes. A source that goes on saying so puts it again when the switch, or
// the port, is back.
func (v *View) FactsFrom(source *FactSource) *Facts {
	v.own("Facts(" + source.name + ")")
	v.write.Lock()
	defer v.write.Unlock()
	return &Facts{v, v.work.open(source)}
}

// Update runs one transaction and returns the revision that shows it, published when Update
// returns. If do panics nothing of it is. After Withdraw it panics itself.
func (f *Facts) Update(do func(tx *FactsTx)) Revision {
	return f.view.transact(func(w *working) {
		do(f.begin(w))
		w.reconcile()
	})
}

// Withdraw deletes all that the source says, in one transaction, and ends the writer: the source may have
// another one then. It costs the size of the view. A second call panics.
func (f *Facts) Withdraw() Revision {
	r := f.view.transact(func(w *working) {
		tx := f.begin(w)
		for _, s := range saidBy(&w.switches, f.layer) {
			tx.DeleteSwitch(s.DPID)
		}
		for _, l := range saidBy(&w.links, f.layer) {
			tx.DeleteLink(l.LinkKey)
		}
		for _, h := range saidBy(&w.hosts, f.layer) {
			tx.DeleteHost(h.HostID)
		}
		w.reconcile()
		w.close(f.layer)
	})
	f.view.disown("Facts(" + f.layer.source.name + ")")
	return r
}

func (f *Facts) begin(w *working) *FactsTx {
	if f.layer.withdrawn {
		panic("netview: Facts(" + f.layer.source.name + ") has been withdrawn")
	}
	return &FactsTx{w, f.layer}
}

// saidBy lists all that a source says of one kind.
func saidBy[K, R any](t *factTable[K, R], by *layer) []*R {
	list := slices.Collect(t.of(by).all())
	for row := range t.all() {
		if t.source(row) == by.source {
			list = append(list, row)
		}
	}
	return list
}

// FactsTx is a running transaction; it is valid inside Update only. Its reads are of what its source says, and
// see its own writes. Rows given to it belong to the view from then on.
type FactsTx struct {
	tables *working
	layer  *layer
}

// Switch finds a switch.
func (tx *FactsTx) Switch(dpid DPID) (*Switch, bool) {
	w := tx.tables
	s, ok := w.switches.said(tx.layer, dpid)
	if ok && len(w.layers) > 1 {
		s = w.derivedSwitch(s, w.masterOf(dpid)) // of one that is not shown they may have changed
	}
	return s, ok
}

// Link finds a link. Up is what the source said last: where another source's row of a switch, or of a port,
// keeps the link down, the view shows otherwise.
func (tx *FactsTx) Link(key LinkKey) (*Link, bool) {
	l, ok := tx.tables.links.said(tx.layer, key)
	if ok && l.Up != l.said {
		c := *l // the row itself may have been published
		c.Up = c.said
		l = &c
	}
	return l, ok
}

// Host finds a host.
func (tx *FactsTx) Host(id HostID) (*Host, bool) { return tx.tables.hosts.said(tx.layer, id) }

// HostsAt yields the hosts at a port. Do not write hosts while ranging over it.
func (tx *FactsTx) HostsAt(p Point) iter.Seq[*Host] {
	return tx.own(hostsAt(tx.tables.hostsAt.rows, p), func(h *Host) bool { return h.At == p })
}

// HostsOf yields the hosts at any port of a switch. Do not write hosts while ranging over it.
func (tx *FactsTx) HostsOf(dpid DPID) iter.Seq[*Host] {
	return tx.own(hostsOf(tx.tables.hostsAt.rows, dpid), func(h *Host) bool { return h.At.DPID == dpid })
}

// own yields those of the hosts that are shown which are the source's, and those of the others that match.
func (tx *FactsTx) own(shown iter.Seq[*Host], match func(*Host) bool) iter.Seq[*Host] {
	if len(tx.tables.layers) == 1 {
		return shown
	}
	return func(yield func(*Host) bool) {
		for h := range shown {
			if h.Source == tx.layer.source && !yield(h) {
				return
			}
		}
		for h := range tx.layer.hosts.all() {
			if match(h) && !yield(h) {
				return
			}
		}
	}
}

// HostsFrom yields the hosts from one on, in order. Do not write hosts while ranging over it.
func (tx *FactsTx) HostsFrom(id HostID) iter.Seq[*Host] {
	all := func(HostID) bool { return true }
	shown := tx.tables.hosts.from(id, all)
	if len(tx.tables.layers) == 1 {
		return shown
	}
	return func(yield func(*Host) bool) {
		behind := tx.layer.hosts.tree.Iter()
		more := behind.Seek(entry[HostID, Host]{key: id})
		for h := range shown {
			for ; more && behind.Item().key.Compare(h.HostID) < 0; more = behind.Next() {
				if !yield(behind.Item().row) {
					return
				}
			}
			if h.Source == tx.layer.source && !yield(h) {
				return
			}
		}
		for ; more; more = behind.Next() {
			if !yield(behind.Item().row) {
				return
			}
		}
	}
}

// Settings returns the operators' settings; the same pointer for as long as they do not change.
func (tx *FactsTx) Settings() *Settings { return tx.tables.settings }

// PutSwitch adds or replaces a switch. Links at ports of it that are now gone or down go down in
// the same transaction.
func (tx *FactsTx) PutSwitch(s *Switch) {
	w := tx.tables
	if source := tx.layer.source; s.Source != source {
		if s.Source != nil { // it may have been published
			c := *s
			s = &c
		}
		s.Source = source
	}
	s = w.derivedSwitch(s, w.masterOf(s.DPID))
	if was, shown := w.switches.say(w.layers, tx.layer, s.DPID, s); shown {
		if was != nil {
			w.refreshLinks(s.DPID)
		}
		w.record(Change{Kind: KindSwitch, Switch: s})
	}
}

// DeleteSwitch deletes a switch, with the source's links and hosts at it; with those of all sources, if no
// other knows the switch.
func (tx *FactsTx) DeleteSwitch(dpid DPID) {
	w := tx.tables
	if _, ok := w.switches.said(tx.layer, dpid); !ok {
		return
	}
	if slices.ContainsFunc(w.layers, func(l *layer) bool {
		_, known := w.switches.said(l, dpid)
		return known && l != tx.layer
	}) {
		tx.leaveSwitch(dpid)
		return
	}
	for _, l := range slices.Backward(w.layers) { // the weakest first, so that nothing is shown for a moment
		(&FactsTx{w, l}).clear(dpid)
	}
	was, _ := w.switches.unsay(w.layers, tx.layer, dpid)
	w.record(Change{Kind: KindSwitch, Deleted: true, Switch: was})
}

// leaveSwitch deletes the source's row of a switch that others know.
func (tx *FactsTx) leaveSwitch(dpid DPID) {
	w := tx.tables
	if _, next := w.switches.unsay(w.layers, tx.layer, dpid); next != nil {
		row := w.derivedSwitch(next, w.masterOf(dpid))
		w.switches.put(dpid, row)
		w.refreshLinks(dpid)
		w.record(Change{Kind: KindSwitch, Switch: row})
	}
	tx.clear(dpid)
}

// clear deletes the source's links and hosts at a switch.
func (tx *FactsTx) clear(dpid DPID) {
	for _, l := range tx.tables.linksOf(dpid) {
		if l.Source == tx.layer.source {
			tx.DeleteLink(l.LinkKey)
		}
	}
	for _, l := range slices.Collect(tx.layer.links.all()) {
		if l.Src.DPID == dpid || l.Dst.DPID == dpid {
			tx.DeleteLink(l.LinkKey)
		}
	}
	for _, h := range slices.Collect(tx.HostsOf(dpid)) {
		tx.DeleteHost(h.HostID)
	}
}

// PutLink adds or replaces a link. A link whose ports are not both up is put with Up false; one
// whose switches are not both known, to any source, is not put at all.
func (tx *FactsTx) PutLink(l *Link) {
	w := tx.tables
	if !w.knows(l.Src.DPID) || !w.knows(l.Dst.DPID) {
		return
	}
	if source := tx.layer.source; l.Source != source {
		if l.Source != nil {
			c := *l
			l = &c
		}
		l.Source = source
	}
	row := w.derivedLink(l, l.Up)
	if _, shown := w.links.say(w.layers, tx.layer, row.LinkKey, row); shown {
		w.linksIn.put(row.Reverse(), row)
		w.record(Change{Kind: KindLink, Link: row})
	}
}

// DeleteLink deletes a link.
func (tx *FactsTx) DeleteLink(key LinkKey) {
	w := tx.tables
	switch was, next := w.links.unsay(w.layers, tx.layer, key); {
	case next != nil:
		w.showLink(w.derivedLink(next, next.said))
	case was != nil:
		w.linksIn.remove(key.Reverse())
		w.record(Change{Kind: KindLink, Deleted: true, Link: was})
	}
}

// PutHost adds, changes or moves a host. One at a switch that is not known, to any source, is not put at all.
func (tx *FactsTx) PutHost(h *Host) {
	w := tx.tables
	if !w.knows(h.At.DPID) {
		return
	}
	if source := tx.layer.source; h.Source != source {
		if h.Source != nil {
			c := *h
			h = &c
		}
		h.Source = source
	}
	if was, shown := w.hosts.say(w.layers, tx.layer, h.HostID, h); shown {
		w.showHost(was, h)
	}
}

// DeleteHost deletes a host.
func (tx *FactsTx) DeleteHost(id HostID) {
	w := tx.tables
	switch was, next := w.hosts.unsay(w.layers, tx.layer, id); {
	case next != nil:
		w.showHost(was, next)
	case was != nil:
		w.hostsAt.remove(hostPlace{was.At, id})
		w.record(Change{Kind: KindHost, Deleted: true, Host: was})
	}
}

// SetSettled records that the source has said what there is to say; when all have, the view has settled
// (Snapshot.Settled), and stays so.
func (tx *FactsTx) SetSettled() {
	tx.layer.settled = true
	tx.tables.settle()
}
