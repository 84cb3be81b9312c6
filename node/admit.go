package node

import (
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/session"
)

// errUnlisted refuses a switch that the configuration does not allow.
var errUnlisted = errors.New("datapath id is not on the allow list")

// admit refuses a switch whose datapath id is not on the allow list, if there is one, or, with TLS,
// not in its certificate.
func (n *node) admit(id uint64, _ net.Addr, secure *tls.ConnectionState) error {
	if !n.listed(netview.DPID(id)) {
		return errUnlisted
	}
	if secure == nil {
		return nil
	}
	return cert.Check(secure.PeerCertificates[0], id, n.cfg.OpenFlow.TLSUnnamed)
}

// listed reports whether a switch is on the allow list, or there is none.
func (n *node) listed(dpid netview.DPID) bool {
	s := n.view.Snapshot().Settings()
	return s == nil || s.Allow == nil || s.Allow[dpid]
}

// allowEvery is the shortest time between two checks of the allow list.
const allowEvery = time.Second

// allowListWatch checks whether sessions are still allowed.
type allowListWatch struct {
	n     *node
	now   func() time.Time
	seen  *netview.Settings
	until time.Time
}

func (n *node) allowListWatch(now func() time.Time) *allowListWatch {
	return &allowListWatch{n: n, now: now, seen: n.view.Snapshot().Settings()}
}

// check ends the sessions of switches that are off the list, while there may be some. It returns
// the revision of the view that it has checked.
func (a *allowListWatch) check() netview.Revision {
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
	for _, s := range n.server.Sessions() {
		if dpid := netview.DPID(s.Features().Datapath); !n.listed(dpid) {
			n.alarms.Raise(netview.AlarmRefusedSwitch, dpid.String(), "taken off the allow list while it was connected")
			s.Close(session.ErrNotAdmitted)
		}
	}
}

// unverified reports whether nothing confirms a switch's identity: there is no TLS, the
// configuration does not name it, and it was never connected for a minute.
func (n *node) unverified(id uint64) bool {
	dpid, snap := netview.DPID(id), n.view.Snapshot()
	if set := snap.Settings(); set != nil {
		if _, named := set.Switches[dpid]; named || set.Allow[dpid] {
			return false
		}
	}
	row, known := snap.Switch(dpid)
	switch {
	case n.switchTLS != nil:
		return false
	case !known || row.Transient:
		return true
	}
	return row.Connected && time.Since(row.Since) < session.NewSwitchTime
}
