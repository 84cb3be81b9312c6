package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

const (
	vanishWithin = 10 * time.Second // sessions lost within that time count as lost at once
	maxSuspicion = time.Hour        // then a suspicion ends
	minVanished  = 3                // switches, and half of the connected ones, whose loss makes the control network suspect
)

// controlNetwork is what lost sessions say of the network between instance and switches. It is
// suspected while many switches that disconnected at once are not back: nothing is removed because
// of silence then.
type controlNetwork struct {
	*deviceTable
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

func (n *controlNetwork) suspected() bool { return len(n.missing) > 0 }

// expire ends a suspicion that has lasted for too long: the missing switches will not come back.
func (n *controlNetwork) expire() {
	if n.suspected() && n.now.Sub(n.since) >= maxSuspicion {
		n.endSuspicion()
	}
}

func (n *controlNetwork) endSuspicion() {
	clear(n.missing)
	n.back, n.replaced = 0, 0
	n.alarms.clear(netview.AlarmControlNetwork, "")
}

// sessionLost notes a lost session.
func (n *controlNetwork) sessionLost(dpid netview.DPID) {
	n.losses = slices.DeleteFunc(n.losses, func(l loss) bool { return l.dpid == dpid || n.now.Sub(l.at) > vanishWithin })
	n.losses = append(n.losses, loss{dpid, n.now})
	if n.suspected() {
		n.missing[dpid] = true
		return
	}
	lost := len(n.losses)
	if lost < minVanished || lost < n.connected {
		return
	}
	n.since = n.now
	for _, l := range n.losses {
		n.missing[l.dpid] = true
	}
	n.alarms.raise(netview.AlarmControlNetwork, "",
		"%d of %d switches lost their sessions within %s: what is known of the network is kept", lost, lost+n.connected, vanishWithin)
}

// sessionReturned notes that a switch is back, or that its absence is explained. The suspicion ends
// when nine in ten are back.
func (n *controlNetwork) sessionReturned(dpid netview.DPID) {
	n.losses = slices.DeleteFunc(n.losses, func(l loss) bool { return l.dpid == dpid })
	if !n.missing[dpid] {
		return
	}
	delete(n.missing, dpid)
	if n.back++; len(n.missing)*9 <= n.back {
		n.endSuspicion()
	}
}

// deviceReplaced notes that a switch is back as another device. The suspicion ends if all that have
// come back so far, two at least, are others: that is why they vanished.
func (n *controlNetwork) deviceReplaced(dpid netview.DPID) {
	if !n.missing[dpid] {
		return
	}
	if n.replaced++; n.replaced >= 2 && n.back == n.replaced-1 {
		n.endSuspicion()
	}
}

// likelyForwarding reports whether a disconnected switch probably still forwards: the control
// network is suspected, or it was lost lately and one of its neighbours has carrier on a link to
// it.
func (n *controlNetwork) likelyForwarding(d *device) bool {
	if n.suspected() {
		return !n.neighboursLostCarrier(d)
	}
	return n.now.Sub(d.disconnectedAt) < disconnectedHoldTime && neighbourHasCarrier(d)
}

// neighboursLostCarrier reports whether a switch's neighbours see that it is gone: the carrier is
// lost on cables to it, and no link of it is left.
func (n *controlNetwork) neighboursLostCarrier(d *device) bool {
	lost := false
	for _, p := range d.ports {
		if len(p.in)+len(p.out) > 0 {
			return false
		}
		if q := n.port(p.peer); p.history > historyRestored && q != nil && q.device.connected && !q.up {
			lost = true
		}
	}
	return lost
}
