package forward

import (
	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/southbound"
)

// App is the application's part in switches' sessions.
func (f *Forward) App() southbound.App { return app{f} }

type app struct{ *Forward }

// Name implements southbound.App.
func (app) Name() string { return Owner }

// SwitchUp implements southbound.App.
func (a app) SwitchUp(sw *southbound.Switch) southbound.Part {
	p := &part{}
	p.out = sw.Output(Owner, p)
	p.Datapath = a.Attach(sw.DPID, sw.Epoch, sw.Version, sw.Tables, p.out)
	return p
}

// part is a Datapath in one session.
type part struct {
	*Datapath
	out outlet.Switch
}

// SwitchDown implements southbound.Part.
func (p *part) SwitchDown() { p.Detach(p.out) }

// PacketIn implements southbound.PacketHandler: others see what is forwarded, too.
func (p *part) PacketIn(in *southbound.Packet) (consumed bool) {
	k := in.Key
	p.Datapath.PacketIn(in.PacketIn, Frame{Dst: k.EthDst.Uint64(), Src: k.EthSrc.Uint64(), VLAN: k.VLAN, EtherType: k.EtherType})
	return false
}

// Refused implements southbound.ErrorHandler.
func (p *part) Refused(r *southbound.Refusal) {
	if r.Known {
		p.Datapath.Refused(r.Match, r.Cookie, r.Error.Code)
	}
}

var _ interface {
	southbound.PacketHandler
	southbound.BatchHandler
	southbound.FlowRemovedHandler
	southbound.ErrorHandler
} = (*part)(nil)
