package guard

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/southbound"
)

// App is the application's part in switches' sessions.
func (g *Guard) App() southbound.App { return app{g} }

type app struct{ *Guard }

// SwitchUp implements southbound.App.
func (a app) SwitchUp(sw *southbound.Switch) southbound.Part {
	return &part{a.Attach(sw.DPID, sw.Version, sw.Tables), a.Guard, sw.DPID}
}

// part is the gate of one session.
type part struct {
	*Gate
	g    *Guard
	dpid netview.DPID
}

// SwitchDown implements southbound.Part.
func (p *part) SwitchDown() { p.g.Detach(p.Gate) }

// FlowRemoved implements southbound.FlowRemovedHandler.
func (p *part) FlowRemoved(m *openflow.FlowRemoved) { p.g.Removed(p.dpid, m) }

// Refused implements southbound.ErrorHandler.
func (p *part) Refused(r *southbound.Refusal) { p.g.Refused(p.Gate, r.XID, r.Error) }

var _ interface {
	southbound.Admitter
	southbound.FlowRemovedHandler
	southbound.ErrorHandler
} = (*part)(nil)
