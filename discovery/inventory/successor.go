package inventory

// A switch that gets another datapath id connects as a new switch, and the old one stays
// disconnected. The first near probe shows that its cables lead to the new one (removeReplaced).
// Its hosts may continue to use rules that the switch still has, without packet-ins: they are
// queried at the new one. The id may change again before that: then they are queried at the last
// one.

// Succession is which switches had, and have, the cables of a switch.
type Succession struct {
	Successor      *Device // while disconnected: the switch that has its cables now
	Predecessor    *Device // the switch that had its cables before
	wasPredecessor bool    // it has been the predecessor of another
}

// Succeed makes a switch the successor of another, and of that one's predecessors.
func (d *Device) Succeed(next *Device) {
	for old := d; old != nil; old = old.Predecessor {
		old.Successor = next
		for old.Predecessor != nil && old.Predecessor.Connected { // it has reconnected
			old.Predecessor = old.Predecessor.Predecessor
		}
		if old.Predecessor != nil && old.Predecessor.Successor != d {
			old.Predecessor = nil
		}
	}
	next.Predecessor, d.wasPredecessor = d, true
}

// MayBeSameSwitch reports whether two connected switches may be one, under an old and a new
// datapath id, whose old session was not seen to end: near probes of both come in at one port.
func MayBeSameSwitch(old, next *Device) bool {
	for _, p := range old.Ports {
		for _, e := range p.Out {
			for _, o := range e.Dst.In {
				if o.Src.Device == next && o.Near && o.HeardCount > 0 {
					return true
				}
			}
		}
	}
	return false
}

// RemoveSuccession removes a deleted switch from the chain of predecessors and successors.
func (t *Table) RemoveSuccession(d *Device) {
	if d.Successor == nil && d.Predecessor == nil && !d.wasPredecessor {
		return
	}
	for _, o := range t.Devices {
		if o.Successor == d {
			o.Successor = nil
		}
		if o.Predecessor == d && d.Predecessor != o {
			o.Predecessor = d.Predecessor
		} else if o.Predecessor == d {
			o.Predecessor = nil
		}
	}
	d.Successor, d.Predecessor = nil, nil
}
