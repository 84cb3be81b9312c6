package southbound

import (
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/session"
)

// errUnlisted refuses a switch that the configuration does not allow.
var errUnlisted = errors.New("datapath id is not on the allow list")

// admit refuses a switch whose datapath id is not on the allow list, if there is one, or, with TLS,
// not in its certificate.
func (g *Registry) admit(id uint64, _ net.Addr, secure *tls.ConnectionState) error {
	if !g.listed(netview.DPID(id)) {
		return errUnlisted
	}
	if secure == nil {
		return nil
	}
	return cert.Check(secure.PeerCertificates[0], id, g.cfg.TLS.Unnamed)
}

// listed reports whether a switch is on the allow list, or there is none.
func (g *Registry) listed(dpid netview.DPID) bool {
	s := g.cfg.View.Snapshot().Settings()
	return s == nil || s.Allow == nil || s.Allow[dpid]
}

// allowEvery is the shortest time between two checks of the allow list.
const allowEvery = time.Second

// allowListWatch checks whether sessions are still allowed.
type allowListWatch struct {
	g     *Registry
	now   func() time.Time
	seen  *netview.Settings
	until time.Time
}

func (g *Registry) allowListWatch(now func() time.Time) *allowListWatch {
	return &allowListWatch{g: g, now: now, seen: g.cfg.View.Snapshot().Settings()}
}

// check ends the sessions of switches that are off the list, while there may be some. It returns
// the revision of the view that it has checked.
func (a *allowListWatch) check() netview.Revision {
	snap := a.g.cfg.View.Snapshot()
	if s := snap.Settings(); s != a.seen {
		a.seen, a.until = s, a.now().Add(session.DefaultHandshakeTimeout+2*time.Second)
	}
	if a.now().Before(a.until) { // a switch that was admitted before may connect as late as that, and changes the view
		a.expel()
	}
	return snap.Revision()
}

// expel ends the sessions of switches that are no longer on the allow list.
func (a *allowListWatch) expel() {
	g := a.g
	for _, s := range g.Server.Sessions() {
		if dpid := netview.DPID(s.Features().Datapath); !g.listed(dpid) {
			g.cfg.Alarms.Raise(netview.AlarmRefusedSwitch, dpid.String(), "taken off the allow list while it was connected")
			s.Close(session.ErrNotAdmitted)
		}
	}
}

// unverified reports whether nothing confirms a switch's identity: there is no TLS, the
// configuration does not name it, and it was never connected for a minute.
func (g *Registry) unverified(id uint64) bool {
	dpid, snap := netview.DPID(id), g.cfg.View.Snapshot()
	if set := snap.Settings(); set != nil {
		if _, named := set.Switches[dpid]; named || set.Allow[dpid] {
			return false
		}
	}
	row, known := snap.Switch(dpid)
	switch {
	case g.tls != nil:
		return false
	case !known || row.Transient:
		return true
	}
	return row.Connected && g.cfg.Now().Sub(row.Since) < session.NewSwitchTime
}

// Parts end the sessions of switches that are taken off the allow list, within a second, and raise terms in the store.
func (g *Registry) Parts(now func() time.Time) []*loop.Part {
	return []*loop.Part{g.allowListWatch(now).part(), &g.roles.Part}
}

func (a *allowListWatch) part() *loop.Part {
	looked := netview.Revision(0)
	return &loop.Part{
		Name:    "allow list",
		Turn:    func() time.Time { looked = a.check(); return time.Time{} },
		Changed: func() <-chan struct{} { return a.g.cfg.View.Changed(looked) },
		Behind:  func() bool { return a.g.cfg.View.Snapshot().Revision() != looked },
		After:   func() time.Duration { return allowEvery }, // the view changes often, the settings seldom
	}
}
