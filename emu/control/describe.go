package control

import (
	"fmt"
	"strings"

	"github.com/weirnet/weir/emu/topo"
)

// Describe formats an action: "link s1-s2 up=false".
func Describe(t *topo.Topology, a topo.Action) string {
	var b strings.Builder
	name := func(index int) string {
		if index == topo.All {
			return "all"
		}
		return t.Switches[index].Name
	}
	switch a := a.(type) {
	case topo.LinkAction:
		fmt.Fprintf(&b, "link %s%s", a.Link, map[topo.Direction]string{topo.Forward: " forward", topo.Back: " back"}[a.Way])
		describeField(&b, "up", a.Up)
		describeField(&b, "delay", a.Change.Delay)
		describeField(&b, "jitter", a.Change.Jitter)
		describeField(&b, "loss", a.Change.Loss)
		describeField(&b, "rate", a.Change.RateBPS)
		describeField(&b, "queue", a.Change.Queue)
		describeField(&b, "mtu", a.Change.MTU)
	case topo.PortAction:
		fmt.Fprintf(&b, "port %s:%d up=%v", name(a.At.Switch), a.At.Port, a.Up)
	case topo.SwitchAction:
		fmt.Fprintf(&b, "switch %s", name(a.Switch))
		describeField(&b, "down", a.Down)
		describeField(&b, "stalled", a.Stalled)
		describeField(&b, "slow", a.Slow)
		describeField(&b, "lying", a.Lying)
	case topo.ControlAction:
		fmt.Fprintf(&b, "control %s %s", name(a.Switch), a.Controller)
		describeField(&b, "up", a.Up)
		describeField(&b, "stalled", a.Stalled)
	case topo.TrafficAction:
		fmt.Fprintf(&b, "host %s %s %s", t.Hosts[a.From].Name, a.Traffic.Kind, t.Hosts[a.To].Name)
	}
	return b.String()
}

func describeField[T any](b *strings.Builder, name string, v *T) {
	if v != nil {
		fmt.Fprintf(b, " %s=%v", name, *v)
	}
}
