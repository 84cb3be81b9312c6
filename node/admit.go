package node

import (
	"crypto/tls"
	"errors"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/session"
)

// errUnlisted refuses a switch that the configuration does not allow.
var errUnlisted = errors.New("datapath id is not on the allow list")

// admit says whether a switch may connect under its datapath id: the allow list, if there is one, has it, and with TLS so
// does its certificate.
func (n *node) admit(id uint64, _ net.Addr, secure *tls.ConnectionState) error {
	if !n.listed(netview.DPID(id)) {
		return errUnlisted
	}
	if secure == nil {
		return nil
	}
	return cert.Check(secure.PeerCertificates[0], id, n.cfg.OpenFlowTLSUnnamed)
}

// listed says whether the allow list has a switch, or there is none.
func (n *node) listed(dpid netview.DPID) bool {
	s := n.view.Snapshot().Settings()
	return s == nil || s.Allow == nil || s.Allow[dpid]
}

// allowEvery is the time between two looks at the allow list, at least.
const allowEvery = time.Second

// allowing looks whether sessions are still allowed.
type allowing struct {
	n     *node
	now   func() time.Time
	seen  *netview.Settings
	until time.Time
}

func (n *node) allowing(now func() time.Time) *allowing {
	return &allowing{n: n, now: now, seen: n.view.Snapshot().Settings()}
}

// look ends the sessions of switches that are off the list, while there may be some. It returns what it has seen of the view.
func (a *allowing) look() netview.Revision {
	snap := a.n.view.Snapshot()
	if s := snap.Settings(); s != a.seen {
		a.seen, a.until = s, a.now().Add(session.DefaultHandshakeTimeout+2*time.Second)
	}
	if a.now().Before(a.until) { // a switch that was admitted before may connect as late as that, and changes the view
		a.n.expelUnlisted()
	}
	return snap.Revision()
}

// expelUnlisted ends the sessions of switches that are no longer on the allow list.
func (n *node) expelUnlisted() {
	live, _, _ := n.switches.meter.sessions()
	for _, dpid := range slices.Sorted(maps.Keys(live)) {
		s := live[dpid]
		if !n.listed(dpid) {
			n.alarms.Raise(netview.AlarmRefusedSwitch, dpid.String(), "taken off the allow list while it was connected")
			s.Close(session.ErrNotAdmitted)
		}
	}
}
