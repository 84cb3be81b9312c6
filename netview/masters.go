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
	return m.view.transact(func(w *working) {
		w.master = instance
		for _, dpid := range w.masterKeys() {
			w.masters.remove(dpid)
		}
		for _, row := range slices.Collect(w.switches.all()) {
			w.remaster(row)
		}
	})
}

// Set makes an instance master of some switches, known or not, in one transaction; empty: it is not
// known who is.
func (m *Masters) Set(instance string, dpids ...DPID) Revision {
	return m.view.transact(func(w *working) {
		for _, dpid := range dpids {
			switch now := w.masterOf(dpid); {
			case now == instance:
				continue
			case w.master == instance:
				w.masters.remove(dpid)
			default:
				w.masters.put(dpid, &instance)
			}
			if row, ok := w.switches.get(dpid); ok {
				w.remaster(row)
			}
		}
	})
}

// masterKeys are the switches of which SetAll does not say it.
func (w *working) masterKeys() (keys []DPID) {
	w.masters.ascend(0, func(dpid DPID, _ *string) bool {
		keys = append(keys, dpid)
		return true
	})
	return keys
}

// masterOf is the master of a switch in the running transaction.
func (w *working) masterOf(dpid DPID) string { return master(w.masters.rows, dpid, w.master) }

func master(of rows[DPID, string], dpid DPID, all string) string {
	if row, ok := of.get(dpid); ok {
		return *row
	}
	return all
}

// remaster writes the master of a switch into its row.
func (w *working) remaster(row *Switch) {
	if next := w.derivedSwitch(row, w.masterOf(row.DPID)); next != row {
		w.switches.put(next.DPID, next)
		w.record(Change{Kind: KindSwitch, Switch: next})
	}
}

// Master is the instance that is master of a switch, known or not; empty if nobody is known to be. That
// of a switch that is not known changes without a revision.
func (s *Snapshot) Master(dpid DPID) string { return master(s.masters, dpid, s.master) }
