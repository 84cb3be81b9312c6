package guard

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/southbound"
)

// App is the application's part in switches' sessions.
func (g *Guard) App() southbound.App { return app{g} }

type app struct{ *Guard }

// Name implements southbound.App.
func (app) Name() string { return Owner }

// SwitchUp implements southbound.App.
func (a app) SwitchUp(sw *southbound.Switch) southbound.Part {
	p := &part{g: a.Guard}
	p.Gate = a.Attach(sw.DPID, sw.Epoch, sw.Version, sw.Tables, output{sw.Output(Owner, p)})
	return p
}

// output is an Output.
type output struct{ *southbound.Output }

// Meters implements Output. A switch that has none answers with an error: nobody is told.
func (o output) Meters(answer func([]openflow.MeterStats)) {
	_ = o.Multipart(&openflow.MeterRequest{Meter: openflow.MeterAll}, func(body openflow.ReplyBody, err error) {
		if list, ok := body.(*openflow.MeterStatsList); ok && err == nil {
			answer(list.Meters)
		}
	})
}

// part is the gate of one session.
type part struct {
	*Gate
	g *Guard
}

// SwitchDown implements southbound.Part.
func (p *part) SwitchDown() { p.g.Detach(p.Gate) }

// FlowRemoved implements southbound.FlowRemovedHandler.
func (p *part) FlowRemoved(m *openflow.FlowRemoved) { p.g.Removed(p.Gate, m) }

// Refused implements southbound.ErrorHandler.
func (p *part) Refused(r *southbound.Refusal) { p.g.Refused(p.Gate, r.Number, r.Index, r.Error) }

var _ interface {
	southbound.Admitter
	southbound.FlowRemovedHandler
	southbound.ErrorHandler
} = (*part)(nil)
