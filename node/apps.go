package node

import (
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/app/guard"
	"github.com/weirnet/weir/app/proxyarp"
)

// Apps are the names of the built-in applications, in order.
var Apps = []string{forward.Owner, guard.Owner, proxyarp.Owner}

// apps are the built-in applications, ordered by name.
func (n *node) apps() []client.App {
	app := func(name string, enabled bool, text string) client.App {
		state := "running"
		if !enabled {
			state = "disabled"
		}
		return client.App{Name: name, Enabled: enabled, State: state, Text: text}
	}
	return []client.App{
		app(forward.Owner, n.forward != nil,
			"forwards between all hosts along shortest paths, and broadcasts along a loop-free tree"),
		app(guard.Owner, n.guard != nil, "holds back ports that flood the controller with packet-ins"),
		app(proxyarp.Owner, n.proxyarp != nil,
			"answers ARP requests and neighbour solicitations from the view, on top of the tree"),
	}
}
