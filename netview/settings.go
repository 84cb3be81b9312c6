package netview

import (
	"slices"
	"time"
)

// Settings are what operators configure of the network; nothing in the network can change them. The
// row is replaced whole; settings of switches, ports and links are applied to their rows in the
// same transaction, whether those exist already or only later. The zero Settings configure nothing.
type Settings struct {
	Switches map[DPID]SwitchSettings
	Ports    map[Point]PortSettings
	Links    map[LinkKey]LinkSettings // one direction each
	// Allow are the switches that may connect; nil allows all.
	Allow map[DPID]bool
	// Indirect allows links through something that is no switch of ours (LinkIndirect) to be used.
	Indirect bool
	// TrustLinks takes any link for a cable along which frames pass that no bridge forwards, though
	// nothing was plugged in.
	TrustLinks bool
	// ProbePeriod is the time between two discovery probes of a port; 0 is discovery's default.
	ProbePeriod time.Duration
	// LinkFrame is the length of the longest frame that links between switches are to carry, in bytes without its
	// check sequence: discovery finds out which do not. 0: it does not look.
	LinkFrame int
	// HostExpiry is how long a silent host that answers no probe is kept; 0 is discovery's default.
	HostExpiry time.Duration
}

// SwitchSettings are the settings of a switch. Zero fields configure nothing.
type SwitchSettings struct {
	Name     string
	Location string
	Drained  bool
}

// PortSettings are the settings of a port. Zero fields configure nothing.
type PortSettings struct {
	Label   string
	Edge    bool // no link here, whatever is heard
	Drained bool
}

// LinkSettings are the settings of one direction of a link. Zero fields configure nothing.
type LinkSettings struct {
	CapacityMbps uint64
	LatencyUS    uint64
	Cost         uint64 // at most CostMax
	Drained      bool
	Trusted      bool // it is a cable, whatever it looks like
}

// CostDefault is the cost of a link without a configured one; CostMax is the largest that may be
// configured.
const (
	CostDefault = 1
	CostMax     = 65535
)

// Inputs writes the settings. The configuration owns it.
type Inputs struct{ view *View }

// Inputs returns the writer of settings. It has one owner: a second call panics.
func (v *View) Inputs() *Inputs {
	v.own("Inputs")
	return &Inputs{v}
}

// Set replaces the settings and updates the rows they apply to, in one transaction. The settings,
// their maps included, belong to the view from then on. Rows that come out the same are not
// changes.
func (in *Inputs) Set(s *Settings) Revision {
	return in.view.transact(func(w *working) {
		w.settings = s
		w.record(Change{Kind: KindSettings, Settings: s})
		for _, old := range slices.Collect(w.switches.all()) {
			if row := w.derivedSwitch(old, old.Master); row != old {
				w.switches.put(row.DPID, row)
				w.record(Change{Kind: KindSwitch, Switch: row})
			}
		}
		for _, old := range slices.Collect(w.links.all()) {
			if row := w.derivedLink(old, old.said); row != old {
				w.showLink(row)
			}
		}
	})
}

// derivedSwitch returns the row with its master, the settings of the switch and its ports, and reservations applied:
// the row itself if nothing changes.
func (w *working) derivedSwitch(row *Switch, master string) *Switch {
	s := w.settings
	configured := s.Switches[row.DPID]
	next := *row
	next.Location, next.Draining, next.Master = configured.Location, configured.Drained, master
	switch {
	case configured.Name != "":
		next.Name, next.NameSource = configured.Name, SourceConfigured
	case row.NameSource == SourceConfigured: // no longer
		next.Name, next.NameSource = row.OwnName(), ""
	}
	changed := next.Name != row.Name || next.NameSource != row.NameSource || next.Location != row.Location ||
		next.Draining != row.Draining || next.Master != row.Master
	for i := range row.Ports {
		p := row.Ports[i]
		of, reserved := s.Ports[Point{row.DPID, p.Number}], w.reserved.Has(Point{row.DPID, p.Number})
		if p.Label == of.Label && p.Edge == of.Edge && p.Draining == of.Drained && p.Reserved == reserved {
			continue
		}
		if &next.Ports[0] == &row.Ports[0] { // shared with a published row
			next.Ports = slices.Clone(row.Ports)
		}
		q := &next.Ports[i]
		q.Label, q.Edge, q.Draining, q.Reserved = of.Label, of.Edge, of.Drained, reserved
		changed = true
	}
	if !changed {
		return row
	}
	return &next
}

// derivedLink returns the row with settings and port states applied: the row itself if nothing
// changes. A link without two ports that are up is not up; nor is one at a port of which another source than
// the link's says that no link is there, since hosts may be. Where both switches are shown as the link's own
// source has them, it stays down until the source puts it again, otherwise until the ports allow it again.
func (w *working) derivedLink(row *Link, up bool) *Link {
	next := *row
	src, srcPort := w.end(row.Src)
	dst, dstPort := w.end(row.Dst)
	configured := w.settings.Links[row.LinkKey]
	next.Up = up && srcPort.Up && dstPort.Up && row.fits(src, srcPort) && row.fits(dst, dstPort)
	next.said = up
	if row.isOf(src) && row.isOf(dst) {
		next.said = next.Up
	}
	next.Usable = next.Up && row.State != LinkShared && (row.State != LinkIndirect || w.settings.Indirect) &&
		!srcPort.Reserved && !dstPort.Reserved
	next.Draining = configured.Drained || srcPort.Draining || dstPort.Draining || src != nil && src.Draining ||
		dst != nil && dst.Draining
	next.CapacityMbps, next.CapacitySource = configured.capacity(srcPort.SpeedMbps, dstPort.SpeedMbps)
	next.LatencyUS, next.LatencySource = configured.latency(row.MeasuredUS)
	next.Cost, next.CostSource = CostDefault, SourceDefault
	if configured.Cost > 0 {
		next.Cost, next.CostSource = min(configured.Cost, CostMax), SourceConfigured
	}
	if next == *row {
		return row
	}
	return &next
}

// capacity returns the configured capacity, else the lower known speed of the two ports.
func (s LinkSettings) capacity(src, dst uint64) (uint64, Source) {
	speed := min(src, dst)
	if speed == 0 {
		speed = max(src, dst)
	}
	switch {
	case s.CapacityMbps > 0:
		return s.CapacityMbps, SourceConfigured
	case speed > 0:
		return speed, SourcePort
	}
	return 0, ""
}

// latency returns the configured latency, else the measured one.
func (s LinkSettings) latency(measured uint64) (uint64, Source) {
	switch {
	case s.LatencyUS > 0:
		return s.LatencyUS, SourceConfigured
	case measured > 0:
		return measured, SourceMeasured
	}
	return 0, ""
}

// end returns one end of a link, as far as it is known.
func (w *working) end(p Point) (*Switch, Port) {
	s, ok := w.switches.get(p.DPID)
	if !ok {
		return nil, Port{}
	}
	port, _ := s.Port(p.Port)
	return s, port
}

// isOf reports whether the link and a switch have one source.
func (l *Link) isOf(at *Switch) bool { return at != nil && at.Source == l.Source }

// fits reports whether a link may be up at a port of a switch, as far as who says what is concerned. Of rows
// of one source, this is for the source to see to.
func (l *Link) fits(at *Switch, p Port) bool { return l.isOf(at) || p.Role == PortLink }
