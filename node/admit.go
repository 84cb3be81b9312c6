package node

import (
	"crypto/tls"
	"errors"
	"net"

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

// expelUnlisted ends the sessions of switches that are no longer on the allow list.
func (n *node) expelUnlisted() {
	live, _, _ := n.switches.meter.sessions()
	for dpid, s := range live {
		if !n.listed(dpid) {
			n.alarms.Raise(netview.AlarmRefusedSwitch, dpid.String(), "taken off the allow list while it was connected")
			s.Close(session.ErrNotAdmitted)
		}
	}
}
