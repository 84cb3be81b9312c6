package netview

import (
	"slices"
	"testing"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// TestPortsLeft: a port is known by its name and its address, whatever its number; a reserved one
// by its number.
func TestPortsLeft(t *testing.T) {
	port := func(number uint32, name string, mac uint64) Port {
		return Port{Number: number, Name: name, MAC: packet.MACFromUint64(mac)}
	}
	was := &Switch{Ports: []Port{port(1, "a", 1), port(2, "b", 2), port(3, "c", 3), port(openflow.PortLocal, "br", 9)}}
	for name, c := range map[string]struct {
		now  *Switch
		left []uint32
	}{
		"nothing": {&Switch{Ports: slices.Clone(was.Ports)}, nil},
		"another state": {&Switch{Ports: []Port{{Number: 1, Name: "a", MAC: packet.MACFromUint64(1), Up: true,
			Role: PortLink, SpeedMbps: 10}, port(2, "b", 2), port(3, "c", 3), port(openflow.PortLocal, "br", 9)}}, nil},
		"deleted": {&Switch{Ports: []Port{port(1, "a", 1), port(3, "c", 3),
			port(openflow.PortLocal, "br", 9)}}, []uint32{2}},
		"another number": {&Switch{Ports: []Port{port(1, "a", 1), port(3, "c", 3), port(7, "b", 2),
			port(openflow.PortLocal, "br", 9)}}, []uint32{2}},
		"two swapped": {&Switch{Ports: []Port{port(1, "b", 2), port(2, "a", 1), port(3, "c", 3),
			port(openflow.PortLocal, "br", 9)}}, []uint32{1, 2}},
		"renamed": {&Switch{Ports: []Port{port(1, "a", 1), port(2, "x", 2), port(3, "c", 3),
			port(openflow.PortLocal, "br", 9)}}, []uint32{2}},
		"another address": {&Switch{Ports: []Port{port(1, "a", 1), port(2, "b", 8), port(3, "c", 3),
			port(openflow.PortLocal, "br", 9)}}, []uint32{2}},
		"the switch's own": {&Switch{Ports: []Port{port(1, "a", 1), port(2, "b", 2), port(3, "c", 3),
			port(openflow.PortLocal, "br", 4)}}, nil},
		"one more": {&Switch{Ports: []Port{port(1, "a", 1), port(2, "b", 2), port(3, "c", 3),
			port(4, "d", 4), port(openflow.PortLocal, "br", 9)}}, nil},
		"the switch went": {nil, []uint32{1, 2, 3, openflow.PortLocal}},
	} {
		if left := PortsLeft(was, c.now); !slices.Equal(left, c.left) {
			t.Errorf("%s: ports %v left, want %v", name, left, c.left)
		}
	}
}
