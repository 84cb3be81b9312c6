package topo

import "net/netip"

// wiring is which ports of all switches are taken, and by what: a link by its index, a host by the
// complement of its own.
type wiring struct {
	*Topology
	used  map[End]int
	count []int
}

// checkPorts wants every port at one link or host, and switches to have no more ports than they can
// describe.
func (t *Topology) checkPorts() error {
	w := wiring{t, make(map[End]int, 2*len(t.Links)+len(t.Hosts)), make([]int, len(t.Switches))}
	for i := range t.Links {
		for _, e := range []End{t.Links[i].A, t.Links[i].B} {
			if err := w.take(e, i); err != nil {
				return err
			}
		}
	}
	for i := range t.Hosts {
		if err := w.take(t.Hosts[i].At, ^i); err != nil {
			return err
		}
	}
	return nil
}

func (w *wiring) take(e End, who int) error {
	if e.Switch < 0 || e.Switch >= len(w.Switches) {
		return w.faultOf(who, "switch number %d given, want from 0 to %d", e.Switch, len(w.Switches)-1)
	}
	at := w.Switches[e.Switch].Name
	if e.Port < 1 || e.Port > MaxPort {
		return w.faultOf(who, "port %d of %s given, want from 1 to %d", e.Port, at, MaxPort)
	}
	if other, twice := w.used[e]; twice {
		return w.faultOf(who, "port %d of %s given, which is that of %s: want a free one", e.Port, at, w.name(other))
	}
	w.used[e] = who
	if w.count[e.Switch]++; w.count[e.Switch] > MaxPorts {
		return w.faultOf(who,
			"more than %d ports of %s given, which is all that a switch can describe with OpenFlow 1.0", MaxPorts, at)
	}
	return nil
}

// faultOf is the error of a link or host, with its name.
func (w *wiring) faultOf(who int, format string, args ...any) error {
	format = "%s: " + format
	args = append([]any{w.name(who)}, args...)
	if who < 0 {
		return faultOf(ofHost, ^who, format, args...)
	}
	return faultOf(ofLink, who, format, args...)
}

func (w *wiring) name(who int) string {
	if who < 0 {
		return "host " + w.Hosts[^who].Name
	}
	return "link " + w.Links[who].ID
}

// unicast reports whether an address can be a host's.
func unicast(a netip.Addr) bool {
	return !a.IsUnspecified() && !a.IsMulticast() && !a.IsLoopback() && a.Zone() == "" &&
		a != netip.AddrFrom4([4]byte{255, 255, 255, 255})
}
