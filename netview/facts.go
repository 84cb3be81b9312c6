package netview

import (
	"iter"
	"slices"
)

// Facts writes what is discovered of the network: switches, links, hosts. Discovery owns it.
type Facts struct{ view *View }

// Facts returns the writer of facts. It has one owner: a second call panics.
func (v *View) Facts() *Facts {
	v.own("Facts")
	return &Facts{v}
}

// Update runs one transaction and returns the revision that shows it, published when Update
// returns. If do panics nothing of it is.
func (f *Facts) Update(do func(tx *FactsTx)) Revision {
	return f.view.transact(func() { do(&FactsTx{f.view}) })
}

// FactsTx is a running transaction; it is valid inside Update only. Its reads see its own writes.
// Rows given to it belong to the view from then on.
type FactsTx struct{ view *View }

// Switch finds a switch.
func (tx *FactsTx) Switch(dpid DPID) (*Switch, bool) { return tx.view.switches.get(dpid) }

// Link finds a link.
func (tx *FactsTx) Link(key LinkKey) (*Link, bool) { return tx.view.links.get(key) }

// Host finds a host.
func (tx *FactsTx) Host(id HostID) (*Host, bool) { return tx.view.hosts.get(id) }

// HostsAt yields the hosts at a port. Do not write hosts while ranging over it.
func (tx *FactsTx) HostsAt(p Point) iter.Seq[*Host] { return hostsAt(tx.view.hostsAt.rows, p) }

// HostsFrom yields the hosts from one on, in order. Do not write hosts while ranging over it.
func (tx *FactsTx) HostsFrom(id HostID) iter.Seq[*Host] {
	return tx.view.hosts.from(id, func(HostID) bool { return true })
}

// HostsOf yields the hosts at any port of a switch. Do not write hosts while ranging over it.
func (tx *FactsTx) HostsOf(dpid DPID) iter.Seq[*Host] { return hostsOf(tx.view.hostsAt.rows, dpid) }

// Settings returns the operators' settings; the same pointer for as long as they do not change.
func (tx *FactsTx) Settings() *Settings { return tx.view.settings }

// PutSwitch adds or replaces a switch. Links at ports of it that are now gone or down go down in
// the same transaction.
func (tx *FactsTx) PutSwitch(s *Switch) {
	v := tx.view
	s = v.settings.applyTo(s, v.masterOf(s.DPID))
	if v.switches.put(s.DPID, s) != nil {
		v.refreshLinks(s.DPID)
	}
	v.record(Change{Kind: KindSwitch, Switch: s})
}

// DeleteSwitch deletes a switch, with its links and hosts.
func (tx *FactsTx) DeleteSwitch(dpid DPID) {
	v := tx.view
	old, ok := v.switches.get(dpid)
	if !ok {
		return
	}
	for _, l := range v.linksOf(dpid) {
		tx.DeleteLink(l.LinkKey)
	}
	for _, h := range slices.Collect(hostsOf(v.hostsAt.rows, dpid)) {
		tx.DeleteHost(h.HostID)
	}
	v.switches.remove(dpid)
	v.record(Change{Kind: KindSwitch, Deleted: true, Switch: old})
}

// PutLink adds or replaces a link. A link whose ports are not both up is put with Up false; one
// whose switches are not both known is not put at all.
func (tx *FactsTx) PutLink(l *Link) {
	if v := tx.view; tx.known(l.Src.DPID) && tx.known(l.Dst.DPID) {
		v.putLink(v.derivedLink(l))
	}
}

// DeleteLink deletes a link.
func (tx *FactsTx) DeleteLink(key LinkKey) {
	v := tx.view
	if old := v.links.remove(key); old != nil {
		v.linksIn.remove(key.Reverse())
		v.record(Change{Kind: KindLink, Deleted: true, Link: old})
	}
}

// PutHost adds, changes or moves a host. One at a switch that is not known is not put at all.
func (tx *FactsTx) PutHost(h *Host) {
	v := tx.view
	if !tx.known(h.At.DPID) {
		return
	}
	if old := v.hosts.put(h.HostID, h); old != nil && old.At != h.At {
		v.hostsAt.remove(hostPlace{old.At, h.HostID})
	}
	v.hostsAt.put(hostPlace{h.At, h.HostID}, h)
	v.record(Change{Kind: KindHost, Host: h})
}

// DeleteHost deletes a host.
func (tx *FactsTx) DeleteHost(id HostID) {
	v := tx.view
	if old := v.hosts.remove(id); old != nil {
		v.hostsAt.remove(hostPlace{old.At, id})
		v.record(Change{Kind: KindHost, Deleted: true, Host: old})
	}
}

// SetSettled records that discovery has settled (see Snapshot.Settled).
func (tx *FactsTx) SetSettled() { tx.view.settled = true }

func (tx *FactsTx) known(dpid DPID) bool {
	_, ok := tx.view.switches.get(dpid)
	return ok
}

// linksOf lists the links from and to a switch.
func (v *View) linksOf(dpid DPID) []*Link {
	links := slices.Collect(linksOf(v.links.rows, dpid))
	for l := range linksOf(v.linksIn.rows, dpid) {
		if l.Src.DPID != dpid {
			links = append(links, l)
		}
	}
	return links
}
