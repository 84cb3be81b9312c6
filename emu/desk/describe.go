package desk

import (
	"fmt"
	"strings"

	"github.com/weirnet/weir/emu/topo"
)

// Describe is an action in words: "link s1-s2 up=false".
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
		fmt.Fprintf(&b, "link %s%s", a.Link, map[topo.Way]string{topo.Forward: " forward", topo.Back: " back"}[a.Way])
		show(&b, "up", a.Up)
		show(&b, "delay", a.Change.Delay)
		show(&b, "jitter", a.Change.Jitter)
		show(&b, "loss", a.Change.Loss)
		show(&b, "rate", a.Change.RateBPS)
		show(&b, "queue", a.Change.Queue)
	case topo.PortAction:
		fmt.Fprintf(&b, "port %s:%d up=%v", name(a.At.Switch), a.At.Port, a.Up)
	case topo.SwitchAction:
		fmt.Fprintf(&b, "switch %s", name(a.Switch))
		show(&b, "down", a.Down)
		show(&b, "stalled", a.Stalled)
		show(&b, "slow", a.Slow)
		show(&b, "lying", a.Lying)
	case topo.ControlAction:
		fmt.Fprintf(&b, "control %s %s", name(a.Switch), a.Controller)
		show(&b, "up", a.Up)
		show(&b, "stalled", a.Stalled)
	case topo.TrafficAction:
		fmt.Fprintf(&b, "host %s %s %s", t.Hosts[a.From].Name, a.Traffic.Kind, t.Hosts[a.To].Name)
	}
	return b.String()
}

func show[T any](b *strings.Builder, name string, v *T) {
	if v != nil {
		fmt.Fprintf(b, " %s=%v", name, *v)
	}
}
