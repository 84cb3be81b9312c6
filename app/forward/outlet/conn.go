package outlet

import (
	"slices"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Switch is the ordered output to one switch. Its methods append to a queue and never block; an
// error means that the queue is full or the connection gone. Arguments are encoded before they
// return.
type Switch interface {
	FlowMod(*openflow.FlowMod) error
	PacketOut(*openflow.PacketOut) error
	// Barrier calls done once: with nil when the switch has confirmed all before it, else with the
	// reason.
	Barrier(done func(error)) error
	// Flush has what was appended sent. The switch whose input is being handled is flushed after
	// BatchEnd by itself.
	Flush()
}

// Conn is a switch in one session.
type Conn struct {
	Switch
	Single  bool  // all rules in one table
	Table   uint8 // of the pairs
	cookies bool  // deletions may be restricted to a cookie: OpenFlow 1.3
}

// NewConn returns the connection of a switch that speaks a version and has some tables.
func NewConn(out Switch, version openflow.Version, tables uint8) *Conn {
	single := plan.SingleTable(version, tables)
	return &Conn{Switch: out, Single: single, Table: plan.ForwardingTable(single), cookies: version.CookieMask()}
}

// Written are the connections that have been written to and not flushed, each once.
type Written []*Conn

// Add adds a connection.
func (w *Written) Add(out *Conn) {
	if !slices.Contains(*w, out) {
		*w = append(*w, out)
	}
}

// Flush flushes them.
func (w Written) Flush() {
	for _, out := range w {
		out.Flush()
	}
}
