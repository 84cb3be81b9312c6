package emu

import "github.com/weirnet/weir/openflow"

// The kinds of messages that a switch sends by itself.
const (
	asyncPacketIn = iota
	asyncPortStatus
	asyncFlowRemoved
)

// anyStatus are the reasons of a port status.
const anyStatus = 1<<openflow.PortAdded | 1<<openflow.PortDeleted | 1<<openflow.PortModified

// defaultAsync is what a new connection gets, as Open vSwitch has it: masters and equals all but
// packets whose TTL has run out, slaves port statuses only.
var defaultAsync = openflow.AsyncMasks{
	PacketIn:   [2]uint32{1<<openflow.ReasonNoMatch | 1<<openflow.ReasonAction, 0},
	PortStatus: [2]uint32{anyStatus, anyStatus},
	FlowRemoved: [2]uint32{
		1<<openflow.RemovedIdle | 1<<openflow.RemovedHard | 1<<openflow.RemovedDelete | 1<<openflow.RemovedGroup, 0},
}

// wants reports whether a message of a kind and reason goes to this controller, by its role now and
// by what it has asked for. The switch's lock is held.
func (c *conn) wants(kind int, reason uint8) bool {
	masks := &c.async.PacketIn
	switch kind {
	case asyncPortStatus:
		masks = &c.async.PortStatus
	case asyncFlowRemoved:
		masks = &c.async.FlowRemoved
	}
	as := 0
	if c.session.Role() == openflow.RoleSlave {
		as = 1
	}
	return masks[as]&(1<<reason) != 0
}

// setAsync takes what a controller asks for.
func (c *conn) setAsync(m *openflow.SetAsync) {
	c.sw.mu.Lock()
	defer c.sw.mu.Unlock()
	c.async = m.AsyncMasks
}

// getAsync answers which messages this controller gets.
func (c *conn) getAsync() openflow.AsyncMasks {
	c.sw.mu.Lock()
	defer c.sw.mu.Unlock()
	return c.async
}
