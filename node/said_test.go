package node_test

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/openflow"
)

// said is what an instance has written to switches, the flow-mods of that, and those of them that delete.
type said struct {
	mu                    sync.Mutex
	writes, mods, deletes int
}

func (s *said) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes, s.mods, s.deletes = 0, 0, 0
}

func (s *said) count() (writes, mods, deletes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes, s.mods, s.deletes
}

// see counts the messages of one connection.
func (s *said) see() emu.CaptureFunc {
	var rest []byte
	return func(_ time.Time, way emu.CaptureKind, b []byte) {
		if way != emu.FromController {
			if len(b) == 0 {
				rest = nil // a new connection
			}
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		rest = append(rest, b...)
		for len(rest) >= openflow.HeaderLen {
			n := int(binary.BigEndian.Uint16(rest[2:]))
			if len(rest) < n {
				return
			}
			switch rest[1] { // of OpenFlow 1.3
			case 9, 13, 14, 15, 16, 17, 29: // SET_CONFIG, PACKET_OUT, and the modifications: what a slave may not send
				s.writes++
			}
			if rest[1] == 14 { // OFPT_FLOW_MOD of OpenFlow 1.3; its command is byte 25
				s.mods++
				if rest[25] >= 3 {
					s.deletes++
				}
			}
			rest = rest[n:]
		}
	}
}
