package load

import (
	"encoding/binary"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/openflow"
)

// HostPorts is over how many ports of a switch hosts are spread.
const HostPorts = 48

// maxLearning is how many switches may have new hosts: their numbers are in the second byte of a
// newcomer's address.
const maxLearning = 64

// newHostMark is what that byte has beside the number: no other host's address has it.
const newHostMark = 0x80

// newHostFor is the host that the packet of a token comes from: one that was not there before, at a
// port of some known host. Its Ethernet address is its token's; a token is used again after 32,768
// others of its slot.
func (s *source) newHostFor(token uint32) (src, dst *loadswitch.Host) {
	at, dst := s.pair(token)
	h := &s.lastNewHost
	h.At = at.At
	h.MAC[0], h.MAC[1] = 0x02, newHostMark|byte(s.sw.Index)
	binary.BigEndian.PutUint32(h.MAC[2:], token)
	binary.BigEndian.PutUint32(h.IP[:], 1<<30+s.newHosts<<6+uint32(s.sw.Index)) // 64.0.0.0 and on
	s.newHosts = (s.newHosts + 1) & (1<<24 - 1)
	return h, dst
}

// learnedToken reads from a flow-mod that adds an entry for a new host, and so
// which packet-in that answers: a newcomer's, or, while hosts are introduced, theirs.
func (s *source) learnedToken(frame []byte) (token uint32, ok bool) {
	m := &s.mod
	if m.Parse(s.version, frame[openflow.HeaderLen:]) != nil || m.Command != openflow.FlowAdd {
		return 0, false
	}
	for _, field := range [2]openflow.Field{openflow.FieldEthSrc, openflow.FieldEthDst} {
		mac, has := m.Match.Uint(field)
		if !has {
			continue
		}
		if mac>>32 == 0x02<<8|newHostMark|uint64(s.sw.Index) {
			return uint32(mac), true
		}
		if token, ok = s.probedToken(mac); ok {
			return token, true
		}
	}
	return 0, false
}

// probedToken is the token of the packet-in that introduces a host of this switch.
func (s *source) probedToken(mac uint64) (token uint32, ok bool) {
	n, ours := loadswitch.HostNumber(mac)
	if !ours || !s.probing.Load() || n/len(s.sw.Hosts) != s.sw.Index {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	token, ok = s.asked[n%len(s.sw.Hosts)]
	return token, ok
}
