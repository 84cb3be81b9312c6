package netview

import "slices"

// PortSet is a set of ports. The zero PortSet is empty. It does not change once it is in use.
type PortSet struct {
	All      bool // all ports of all switches, now and later
	Switches map[DPID]bool
	Ports    map[Point]bool
}

// Has reports whether a port is in the set.
func (s *PortSet) Has(p Point) bool { return s.All || s.Switches[p.DPID] || s.Ports[p] }

// Reservations writes which ports are reserved: those that a tenant has alone, whatever comes in there. Of a link with such
// an end no path of others makes use, and no flood of others goes there.
type Reservations struct{ view *View }

// Reservations returns the writer of reservations. It has one owner: a second call panics.
func (v *View) Reservations() *Reservations {
	v.own("Reservations")
	return &Reservations{v}
}

// Set replaces the reserved ports, and updates the rows of switches and links, in one transaction. The set belongs to the view
// from then on.
func (r *Reservations) Set(s *PortSet) Revision {
	return r.view.transact(func(w *working) {
		w.reserved = s
		for _, row := range slices.Collect(w.switches.all()) {
			w.remaster(row)
		}
		for _, old := range slices.Collect(w.links.all()) {
			if row := w.derivedLink(old, old.said); row != old {
				w.showLink(row)
			}
		}
	})
}
