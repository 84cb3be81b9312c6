package tenants

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is what is sent and waited for.
type Kind string

// The kinds. Where both ends are, the first is where the message is sent.
const (
	PacketIn  Kind = "packet-in"  // from a switch to a tenant's controller
	PacketOut Kind = "packet-out" // from a tenant's controller to a switch
	PortStats Kind = "port-stats" // a request of a tenant's controller, and its answer
	Echo      Kind = "echo"       // the same
	Features  Kind = "features"   // the same
	Reaction  Kind = "reaction"   // a packet-in, and the packet-out that the tenant's controller sends for it
	FlowMod   Kind = "flow-mod"   // a flow-mod and a barrier of a tenant's controller, and the barrier's answer
)

// Kinds are all kinds.
func Kinds() []Kind { return []Kind{PacketIn, PacketOut, PortStats, Echo, Features, Reaction, FlowMod} }

// Messages are what a kind counts.
func (k Kind) Messages() string {
	switch k {
	case PortStats, Features:
		return "requests for " + map[Kind]string{PortStats: "port statistics", Features: "features"}[k]
	case Echo:
		return "echoes"
	case Reaction:
		return "packet-ins that are answered"
	case FlowMod:
		return "pairs of flow-mod and barrier"
	}
	return string(k) + "s"
}

// Until is when a message's time ends.
func (k Kind) Until() string {
	switch k {
	case PacketIn:
		return "the tenant's controller got it"
	case PacketOut:
		return "the switch got it"
	case Reaction:
		return "the switch got the packet-out that the tenant's controller sent for it"
	case FlowMod:
		return "the tenant's controller got the barrier's answer"
	}
	return "the tenant's controller got the answer"
}

// shows reports whether switches show packets to controllers.
func (k Kind) shows() bool { return k == PacketIn || k == Reaction }

// check finds a kind that is none.
func (k Kind) check() error {
	if slices.Contains(Kinds(), k) {
		return nil
	}
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return fmt.Errorf("message %q given, want %s", k, strings.Join(names, ", "))
}
