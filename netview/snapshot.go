package netview

import (
	"iter"
	"math"
)

// Snapshot is the view at one revision. It never changes and may be kept for as long as it is
// useful. All lists are in order of key.
type Snapshot struct {
	revision Revision
	settled  bool
	switches rows[DPID, Switch]
	links    rows[LinkKey, Link]
	linksIn  rows[LinkKey, Link]
	hosts    rows[HostID, Host]
	hostsAt  rows[hostPlace, Host]
	behind   []published // what sources say where another's row is shown, in the order of sources
	rules    rows[claim, ownedRule]
	meters   rows[meterClaim, ownedMeter]
	alarms   rows[AlarmKey, Alarm]
	masters  rows[DPID, string]
	reserved *PortSet
	master   string // of switches that are not in masters
	settings *Settings
}

// Revision is the revision of the last transaction in it.
func (s *Snapshot) Revision() Revision { return s.revision }

// Settled is true once discovery has found, since this instance started, what there is to find:
// every link heard twice, or two LLDP periods elapsed since the last switch connected. It stays
// true. Until then nothing is removed from switches. Of a switch that connects later,
// Switch.Settled says the same.
func (s *Snapshot) Settled() bool { return s.settled }

// Settings returns the operators' settings; never nil.
func (s *Snapshot) Settings() *Settings { return s.settings }

// Alarm finds an alarm.
func (s *Snapshot) Alarm(key AlarmKey) (*Alarm, bool) { return s.alarms.get(key) }

// Alarms yields all alarms, also those that have ended.
func (s *Snapshot) Alarms() iter.Seq[*Alarm] { return s.alarms.all() }

// Switch finds a switch.
func (s *Snapshot) Switch(dpid DPID) (*Switch, bool) { return s.switches.get(dpid) }

// Switches yields all switches.
func (s *Snapshot) Switches() iter.Seq[*Switch] { return s.switches.all() }

// Link finds a link.
func (s *Snapshot) Link(key LinkKey) (*Link, bool) { return s.links.get(key) }

// Links yields all links, one for each direction.
func (s *Snapshot) Links() iter.Seq[*Link] { return s.links.all() }

// LinksFrom yields the links whose source is a port of the switch.
func (s *Snapshot) LinksFrom(dpid DPID) iter.Seq[*Link] { return linksOf(s.links, dpid) }

// LinksTo yields the links whose destination is a port of the switch, ordered by destination.
func (s *Snapshot) LinksTo(dpid DPID) iter.Seq[*Link] { return linksOf(s.linksIn, dpid) }

// LinksFromPoint yields the links out of one port.
func (s *Snapshot) LinksFromPoint(p Point) iter.Seq[*Link] { return linksOfPoint(s.links, p) }

// LinksToPoint yields the links into one port.
func (s *Snapshot) LinksToPoint(p Point) iter.Seq[*Link] { return linksOfPoint(s.linksIn, p) }

// LinkPairs yields both directions of each link together, ordered by the lower of its ends: the
// link from there, and the one back. Either may be nil. It costs a tenth of looking the other
// direction up. A link from a port to itself is yielded with itself.
func (s *Snapshot) LinkPairs() iter.Seq2[*Link, *Link] {
	return func(yield func(there, back *Link) bool) {
		// A key of links is the key of its other direction in linksIn: both are walked side by
		// side.
		out, in := s.links.tree.Iter(), s.linksIn.tree.Iter()
		more, moreIn := out.First(), in.First()
		for more || moreIn {
			order := 0
			switch {
			case !moreIn:
				order = -1
			case !more:
				order = 1
			default:
				order = out.Item().key.Compare(in.Item().key)
			}
			var there, back *Link
			var key LinkKey
			if order <= 0 {
				there, key = out.Item().row, out.Item().key
				more = out.Next()
			}
			if order >= 0 {
				back, key = in.Item().row, in.Item().key
				moreIn = in.Next()
			}
			if key.Src.Compare(key.Dst) <= 0 && !yield(there, back) {
				return
			}
		}
	}
}

func linksOf(links rows[LinkKey, Link], dpid DPID) iter.Seq[*Link] {
	return links.from(LinkKey{Src: Point{DPID: dpid}}, func(k LinkKey) bool { return k.Src.DPID == dpid })
}

func linksOfPoint(links rows[LinkKey, Link], p Point) iter.Seq[*Link] {
	return links.from(LinkKey{Src: p}, func(k LinkKey) bool { return k.Src == p })
}

// Host finds a host.
func (s *Snapshot) Host(id HostID) (*Host, bool) { return s.hosts.get(id) }

// Hosts yields all hosts.
func (s *Snapshot) Hosts() iter.Seq[*Host] { return s.hosts.all() }

// HostsAt yields the hosts at a port.
func (s *Snapshot) HostsAt(p Point) iter.Seq[*Host] { return hostsAt(s.hostsAt, p) }

// HostsOf yields the hosts at any port of a switch, ordered by port.
func (s *Snapshot) HostsOf(dpid DPID) iter.Seq[*Host] { return hostsOf(s.hostsAt, dpid) }

func hostsAt(hosts rows[hostPlace, Host], p Point) iter.Seq[*Host] {
	return hosts.from(hostPlace{at: p}, func(k hostPlace) bool { return k.at == p })
}

func hostsOf(hosts rows[hostPlace, Host], dpid DPID) iter.Seq[*Host] {
	return hosts.from(hostPlace{at: Point{DPID: dpid}}, func(k hostPlace) bool { return k.at.DPID == dpid })
}

// Counts are the numbers of rows of the tables, in constant time. Rules and Meters count refused
// claims too.
type Counts struct{ Switches, Links, Hosts, Rules, Meters int }

// Counts returns the numbers of rows.
func (s *Snapshot) Counts() Counts {
	return Counts{s.switches.len(), s.links.len(), s.hosts.len(), s.rules.len(), s.meters.len()}
}

// Rules yields the desired rules of a switch: one for each key. Those refused because another owner
// has their key are in Conflicts.
func (s *Snapshot) Rules(dpid DPID) iter.Seq[*Rule] { return s.claims(dpid, false) }

// Conflicts yields the rules of a switch that are refused (RuleFailed, with the reason) because
// another owner desired the same key before.
func (s *Snapshot) Conflicts(dpid DPID) iter.Seq[*Rule] { return s.claims(dpid, true) }

func (s *Snapshot) claims(dpid DPID, refused bool) iter.Seq[*Rule] {
	return func(yield func(*Rule) bool) {
		var last RuleKey
		first := true
		s.rules.ascend(firstClaim(dpid), func(c claim, r *ownedRule) bool {
			if c.key.DPID != dpid {
				return false
			}
			second := !first && c.key == last
			first, last = false, c.key
			return second != refused || yield(&r.Rule)
		})
	}
}

// Meters yields the desired meters of a switch.
func (s *Snapshot) Meters(dpid DPID) iter.Seq[*Meter] {
	return func(yield func(*Meter) bool) {
		var last uint32
		first := true
		s.meters.ascend(meterClaim{dpid: dpid}, func(c meterClaim, m *ownedMeter) bool {
			if c.dpid != dpid {
				return false
			}
			second := !first && c.id == last
			first, last = false, c.id
			return second || yield(&m.Meter)
		})
	}
}

// firstClaim is the lower bound of the claims at a switch; priorities are in descending order.
func firstClaim(dpid DPID) claim { return claim{key: RuleKey{DPID: dpid, Priority: math.MaxUint16}} }
