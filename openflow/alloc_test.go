package openflow

import (
	"testing"

	"github.com/weirnet/weir/internal/need"
)

// TestAllocationBudgetOfControlMessages holds the messages that come all the time to no allocation,
// parsed into a struct used again and appended into a buffer used again. A port's name is allocated
// only when it changes.
func TestAllocationBudgetOfControlMessages(t *testing.T) {
	need.NoRace(t)
	for _, s := range samples() {
		switch s.m.Type() {
		case TypeEchoRequest, TypeEchoReply, TypeBarrierRequest, TypeBarrierReply, TypePortStatus, TypeRoleReply:
		default:
			continue
		}
		b := s.bytes(t)
		m := newMessage(s.m.Type())
		out := make([]byte, 0, 256)
		if err := m.Parse(s.v, b[HeaderLen:]); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() {
			if _, err := ParseHeader(b); err != nil {
				t.Fatal(err)
			}
			if err := m.Parse(s.v, b[HeaderLen:]); err != nil {
				t.Fatal(err)
			}
			if _, err := Append(out, s.v, 1, m); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", s.name, n)
		}
	}
}
