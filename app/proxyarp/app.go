package proxyarp

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/southbound"
)

// App is the application's part in switches' sessions.
func (p *Proxy) App() southbound.App { return app{p} }

type app struct{ *Proxy }

// Name implements southbound.App.
func (app) Name() string { return Owner }

// SwitchUp implements southbound.App.
func (a app) SwitchUp(sw *southbound.Switch) southbound.Part {
	return &part{p: a.Proxy, dpid: sw.DPID, out: sw.Output(Owner, nil)}
}

// part is the application in one session.
type part struct {
	p    *Proxy
	dpid netview.DPID
	out  *southbound.Output
	port Port
}

// SwitchDown implements southbound.Part.
func (*part) SwitchDown() {}

// PacketIn implements southbound.PacketHandler. An answer comes besides: others see the question too.
func (x *part) PacketIn(in *southbound.Packet) (consumed bool) {
	x.p.Frame(&x.port, x.out, x.dpid, in.PacketIn, in.Key, in.Body)
	return false
}

var _ southbound.PacketHandler = (*part)(nil)
