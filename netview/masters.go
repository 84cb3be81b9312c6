package netview

import "slices"

// Masters writes which instance is master of which switch: who alone may write to it. It says nothing
// of sessions: a switch that is not connected has a master too, and one that another instance is
// master of may be connected. Package southbound owns it.
type Masters struct{ view *View }

// Masters returns the writer of masters. It has one owner: a second call panics.
func (v *View) Masters() *Masters {
	v.own("Masters")
	return &Masters{v}
}

// SetAll makes an instance master of all switches, also of those that come later, whatever was said
// of single ones; empty: of none is it known.
func (m *Masters) SetAll(instance string) Revision {
	v := m.view
	return v.transact(func() {
		v.master = instance
		for _, dpid := range v.masterKeys() {
			v.masters.remove(dpid)
		}
		for _, row := range slices.Collect(v.switches.all()) {
			v.remaster(row)
		}
	})
}

// Set makes an instance master of some switches, known or not, in one transaction; empty: it is not
// known who is.
func (m *Masters) Set(instance string, dpids ...DPID) Revision {
	v := m.view
	return v.transact(func() {
		for _, dpid := range dpids {
			switch now := v.masterOf(dpid); {
			case now == instance:
				continue
			case v.master == instance:
				v.masters.remove(dpid)
			default:
				v.masters.put(dpid, &instance)
			}
			if row, ok := v.switches.get(dpid); ok {
				v.remaster(row)
			}
		}
	})
}

// masterKeys are the switches of which SetAll does not say it.
func (v *View) masterKeys() (keys []DPID) {
	v.masters.ascend(0, func(dpid DPID, _ *string) bool {
		keys = append(keys, dpid)
		return true
	})
	return keys
}

// masterOf is the master of a switch in the running transaction.
func (v *View) masterOf(dpid DPID) string { return master(v.masters.rows, dpid, v.master) }

func master(of rows[DPID, string], dpid DPID, all string) string {
	if row, ok := of.get(dpid); ok {
		return *row
	}
	return all
}

// remaster writes the master of a switch into its row.
func (v *View) remaster(row *Switch) {
	if next := v.settings.applyTo(row, v.masterOf(row.DPID)); next != row {
		v.switches.put(next.DPID, next)
		v.record(Change{Kind: KindSwitch, Switch: next})
	}
}

// Master is the instance that is master of a switch, known or not; empty if nobody is known to be. That
// of a switch that is not known changes without a revision.
func (s *Snapshot) Master(dpid DPID) string { return master(s.masters, dpid, s.master) }
