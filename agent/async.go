package agent

import (
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
)

// The kinds of messages that a switch sends by itself.
const (
	asyncPacketIn = iota
	asyncPortStatus
	asyncFlowRemoved
)

// anyStatus are the reasons of a port status.
const anyStatus = 1<<openflow.PortAdded | 1<<openflow.PortDeleted | 1<<openflow.PortModified

// DefaultAsync is what a new connection gets, as Open vSwitch has it: masters and equals all but
// packets whose TTL has run out, slaves port statuses only.
var DefaultAsync = openflow.AsyncMasks{
	PacketIn:   [2]uint32{1<<openflow.ReasonNoMatch | 1<<openflow.ReasonAction, 0},
	PortStatus: [2]uint32{anyStatus, anyStatus},
	FlowRemoved: [2]uint32{
		1<<openflow.RemovedIdle | 1<<openflow.RemovedHard | 1<<openflow.RemovedDelete | 1<<openflow.RemovedGroup, 0},
}

// wants reports whether a message of a kind and reason goes to this controller, by its role now and
// by what it has asked for.
func (a *Agent) wants(kind int, reason uint8) bool {
	masks := &a.async.PacketIn
	switch kind {
	case asyncPortStatus:
		masks = &a.async.PortStatus
	case asyncFlowRemoved:
		masks = &a.async.FlowRemoved
	}
	as := 0
	if a.session.Role() == openflow.RoleSlave {
		as = 1
	}
	return masks[as]&(1<<reason) != 0
}

// setAsync takes what a controller asks for.
func (a *Agent) setAsync(m *openflow.SetAsync) {
	_, _ = a.of.Tables(func(*flowtable.Switch, time.Duration, flowtable.Output) error {
		a.async = m.AsyncMasks
		return nil
	})
}

// getAsync answers which messages this controller gets.
func (a *Agent) getAsync() (masks openflow.AsyncMasks) {
	_, _ = a.of.Tables(func(*flowtable.Switch, time.Duration, flowtable.Output) error {
		masks = a.async
		return nil
	})
	return masks
}
