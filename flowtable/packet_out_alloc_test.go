package flowtable

import (
	"testing"

	"github.com/weirnet/weir/openflow"
)

// TestPacketOutAllocatesNothing: a packet-out that sends its frame out of a port costs no memory.
func TestPacketOutAllocatesNothing(t *testing.T) {
	s := New(Config{Tables: 1})
	out := &discard{}
	s.AddPort(openflow.Port{Number: 1}, 0, out)
	m := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController, Data: make([]byte, 60),
		Actions: []openflow.Action{openflow.Output(1)}}
	if n := testing.AllocsPerRun(100, func() {
		if err := s.PacketOut(openflow.V13, m, 0, out); err != nil {
			t.Fatal(err)
		}
	}); n > 0 || out.sent == 0 {
		t.Errorf("%g allocations, and %d frames were sent", n, out.sent)
	}
}

type discard struct{ sent int }

func (d *discard) Transmit(uint32, uint32, []byte)             { d.sent++ }
func (*discard) PacketIn(*PacketIn)                            {}
func (*discard) FlowRemoved(*openflow.FlowRemoved)             {}
func (*discard) PortStatus(openflow.PortReason, openflow.Port) {}
