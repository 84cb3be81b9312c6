package bench

import (
	"encoding/binary"

	"github.com/weirnet/weir/bench/rig"
	"github.com/weirnet/weir/openflow"
)

// hostPorts is over how many ports of a switch hosts are spread.
const hostPorts = 48

// maxLearning is how many switches may have new hosts: their numbers are in the second byte of a newcomer's address.
const maxLearning = 64

// newcomerMark is what that byte has beside the number: no other host's address has it.
const newcomerMark = 0x80

// newcomer is the host that the packet of a token comes from: one that was not there before, at a port of some known host. Its Ethernet
// address is its token's; a token is used again after 32,768 others of its slot.
func (s *source) newcomer(token uint32) (src, dst *rig.Host) {
	at, dst := s.pair(token)
	h := &s.guest
	h.At = at.At
	h.MAC[0], h.MAC[1] = 0x02, newcomerMark|byte(s.sw.Index)
	binary.BigEndian.PutUint32(h.MAC[2:], token)
	binary.BigEndian.PutUint32(h.IP[:], 1<<30+s.guests<<6+uint32(s.sw.Index)) // 64.0.0.0 and on
	s.guests = (s.guests + 1) & (1<<24 - 1)
	return h, dst
}

// learnt reads from a flow-mod that adds an entry whose host is told of in it, and so which packet-in that answers: a newcomer's, or,
// while hosts are introduced, theirs.
func (s *source) learnt(frame []byte) (token uint32, ok bool) {
	m := &s.mod
	if m.Parse(s.version, frame[openflow.HeaderLen:]) != nil || m.Command != openflow.FlowAdd {
		return 0, false
	}
	for _, field := range [2]openflow.Field{openflow.FieldEthSrc, openflow.FieldEthDst} {
		mac, has := m.Match.Uint(field)
		if !has {
			continue
		}
		if mac>>32 == 0x02<<8|newcomerMark|uint64(s.sw.Index) {
			return uint32(mac), true
		}
		if token, ok = s.probed(mac); ok {
			return token, true
		}
	}
	return 0, false
}

// probed is the token of the packet-in that introduces a host of this switch.
func (s *source) probed(mac uint64) (token uint32, ok bool) {
	n, ours := rig.HostNumber(mac)
	if !ours || !s.probing.Load() || n/len(s.sw.Hosts) != s.sw.Index {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	token, ok = s.asked[n%len(s.sw.Hosts)]
	return token, ok
}
