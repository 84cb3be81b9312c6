package catalog

import (
	"github.com/weirnet/weir/app"
	"github.com/weirnet/weir/app/broadcast"
	"github.com/weirnet/weir/app/failmode"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/app/guard"
	"github.com/weirnet/weir/app/proxyarp"
	"github.com/weirnet/weir/stats"
)

// builtin are the applications of every instance, in the order in which they see packets. To add one is a
// line here, such as {Spec: ethertypes.Spec}.
var builtin = []listed{
	{vital: true, tenants: true, inline: (*Apps).makeGuard, Spec: app.Spec{Name: guard.Owner,
		Text: "holds back ports that flood the controller with packet-ins"}},
	{inline: (*Apps).makeProxyARP, Spec: app.Spec{Name: proxyarp.Owner,
		Text: "answers ARP requests and neighbour solicitations from the view, on top of the tree"}},
	{vital: true, with: forward.Owner, inline: (*Apps).makeBroadcast, Spec: app.Spec{Name: broadcast.Owner,
		Text: "brings broadcasts, multicast, ARP and neighbour discovery to all hosts along a loop-free tree"}},
	{vital: true, inline: (*Apps).makeForward, Spec: app.Spec{Name: forward.Owner,
		Text: "forwards between all hosts along shortest paths"}},
	{required: true, tenants: true, inline: (*Apps).makeStats, Spec: app.Spec{Name: stats.Owner,
		Text: "asks switches for their counters"}},
	{tenants: true, inline: (*Apps).makeFailMode, Spec: app.Spec{Name: failmode.Owner,
		Text: "finds switches that empty their tables while they have no controller"}},
}

// listed is an application of the list.
type listed struct {
	app.Spec
	inline func(*Apps) inline // makes one that is called by the readers of sessions, in place of Spec.New
	// vital: its panic is the instance's. Without app/broadcast nobody would mend the tree; locks that
	// app/forward holds would hold up all switches; without app/guard any port could flood the controller. A
	// new start takes seconds, and switches forward meanwhile.
	vital    bool
	required bool   // others stand on it, so that it cannot be disabled
	tenants  bool   // it runs where tenants alone are served: it neither forwards nor answers what hosts send
	with     string // the application that it is disabled with; it may be disabled alone too
}

func (a *Apps) makeGuard() inline {
	e := &a.engines
	g := guard.New(guard.Config{Domain: uint16(e.Config.Domain), Now: e.Now}, e.View, e.Alarms)
	return inline{app: g.App(), part: &g.Part, counts: g.Counts().ByKind}
}

func (a *Apps) makeProxyARP() inline {
	e := &a.engines
	p := proxyarp.New(proxyarp.Config{Learned: e.Discovery.Address, Alarms: e.Alarms, Now: e.Now}, e.View)
	return inline{app: p.App(), part: &p.Part, counts: p.Counts().ByKind}
}

// makeBroadcast: Parts has its part, behind that of pairs, which it waits for.
func (a *Apps) makeBroadcast() inline {
	e := &a.engines
	a.Broadcast = broadcast.New(broadcast.Config{Domain: uint16(e.Config.Domain),
		Unknown: forward.Unknown(e.Config.Forward.Unknown) == forward.UnknownFlood}, e.View.Desired(broadcast.RowOwner))
	return inline{app: a.Broadcast.App(), counts: a.Broadcast.Counts().ByKind}
}

// makeForward: Parts has the part that it follows the maps with.
func (a *Apps) makeForward() inline {
	e := &a.engines
	cfg := forward.Config{Domain: uint16(e.Config.Domain), Generation: e.Generation,
		Unknown: forward.Unknown(e.Config.Forward.Unknown), Alarms: e.Alarms}
	if a.Broadcast != nil {
		cfg.Broadcast = a.Broadcast
	}
	a.Forward = forward.New(cfg)
	return inline{app: a.Forward.App(), counts: a.Forward.Counts().ByKind}
}

func (a *Apps) makeStats() inline {
	e := &a.engines
	a.Stats = stats.New(stats.Config{Now: e.Now, Seed: e.Seed, Domain: uint16(e.Config.Domain),
		Ports: e.Config.Stats.PortPeriod, Tables: e.Config.Stats.TablePeriod, Flows: e.Config.Stats.FlowPeriod})
	return inline{app: a.Stats.App(), part: &a.Stats.Part, early: true}
}

func (a *Apps) makeFailMode() inline {
	a.failModes = failmode.New(a.engines.View, a.engines.Alarms, a.engines.Now)
	return inline{app: a.failModes}
}
