package inventory

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

const (
	disconnectedHoldTime = 30 * time.Second // how long hosts of a switch stay after it disconnected
	vanishWithin         = 10 * time.Second // sessions lost within that time count as lost at once
	maxSuspicion         = time.Hour        // then a suspicion ends
	minVanished          = 3                // sessions, and half of all, that have to be lost at once for a suspicion
)

// ControlNetwork is what lost sessions say of the network between instance and switches. It is
// Suspected while many switches that disconnected at once are not back: nothing is removed because
// of silence then.
type ControlNetwork struct {
	*Table
	losses   []loss                // recent losses of sessions
	missing  map[netview.DPID]bool // switches that disconnected at once, and are not back
	back     int                   // of them, number of those that are back
	replaced int                   // of these, number of those with a different serial number
	since    time.Time             // when the suspicion began
}

// loss is the loss of a session.
type loss struct {
	dpid netview.DPID
	at   time.Time
}

// NewControlNetwork returns one that is not suspected.
func NewControlNetwork(t *Table) *ControlNetwork {
	return &ControlNetwork{Table: t, missing: make(map[netview.DPID]bool)}
}

// Suspected reports whether the control network is suspected.
func (n *ControlNetwork) Suspected() bool { return len(n.missing) > 0 }

// Check returns what is kept of switches that are not known.
func (n *ControlNetwork) Check() error {
	var found []error
	for dpid := range n.missing {
		if n.Devices[dpid] == nil {
			found = append(found, fmt.Errorf("switch %s is missing, and not known", dpid))
		}
	}
	for _, l := range n.losses {
		if n.Devices[l.dpid] == nil {
			found = append(found, fmt.Errorf("switch %s has lost its session, and is not known", l.dpid))
		}
	}
	return errors.Join(found...)
}

// Expire ends a suspicion that has lasted for too long: the missing switches will not come back.
func (n *ControlNetwork) Expire() {
	if n.Suspected() && n.Now.Sub(n.since) >= maxSuspicion {
		n.endSuspicion()
	}
}

func (n *ControlNetwork) endSuspicion() {
	clear(n.missing)
	n.back, n.replaced = 0, 0
	n.Alarms.Clear(netview.AlarmControlNetwork, "")
}

// SessionLost notes a lost session.
func (n *ControlNetwork) SessionLost(dpid netview.DPID) {
	n.losses = slices.DeleteFunc(n.losses, func(l loss) bool { return l.dpid == dpid || n.Now.Sub(l.at) > vanishWithin })
	n.losses = append(n.losses, loss{dpid, n.Now})
	if n.Suspected() {
		n.missing[dpid] = true
		return
	}
	lost := len(n.losses)
	if lost < minVanished || lost < n.Connected {
		return
	}
	n.since = n.Now
	for _, l := range n.losses {
		n.missing[l.dpid] = true
	}
	n.Alarms.Raise(netview.AlarmControlNetwork, "",
		"%d of %d switches lost their sessions within %s: what is known of the network is kept", lost, lost+n.Connected, vanishWithin)
}

// SessionReturned notes that a switch is back, or that its absence is explained. The suspicion ends
// when nine in ten are back.
func (n *ControlNetwork) SessionReturned(dpid netview.DPID) {
	n.losses = slices.DeleteFunc(n.losses, func(l loss) bool { return l.dpid == dpid })
	if !n.missing[dpid] {
		return
	}
	delete(n.missing, dpid)
	if n.back++; len(n.missing)*9 <= n.back {
		n.endSuspicion()
	}
}

// DeviceReplaced notes that a switch is back as another device. The suspicion ends if all that have
// come back so far, two at least, are others: that is why they vanished.
func (n *ControlNetwork) DeviceReplaced(dpid netview.DPID) {
	if !n.missing[dpid] {
		return
	}
	if n.replaced++; n.replaced >= 2 && n.back == n.replaced-1 {
		n.endSuspicion()
	}
}

// LikelyForwarding reports whether a disconnected switch probably still forwards: the control
// network is suspected, or it was lost lately and one of its neighbours has carrier on a link to
// it.
func (n *ControlNetwork) LikelyForwarding(d *Device) bool {
	if n.Suspected() {
		return !n.neighboursLostCarrier(d)
	}
	return n.Now.Sub(d.DisconnectedAt) < disconnectedHoldTime && NeighbourHasCarrier(d)
}

// neighboursLostCarrier reports whether a switch's neighbours see that it is gone: the carrier is
// lost on cables to it, and no link of it is left.
func (n *ControlNetwork) neighboursLostCarrier(d *Device) bool {
	lost := false
	for _, p := range d.Ports {
		if len(p.In)+len(p.Out) > 0 {
			return false
		}
		if q := n.Port(p.Peer); p.History > HistoryRestored && q != nil && q.Device.Connected && !q.Up {
			lost = true
		}
	}
	return lost
}
