package station

import (
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/packet"
)

// Config says who a station is.
type Config struct {
	MAC       packet.MAC
	Addresses []packet.Addr
	// VLAN is the id of the tag that its frames have; 0: none.
	VLAN uint16
	MTU  int // bytes of an IP packet
	// Send sends frames, all fragments of a packet at once. It is called from within Receive, Ask and
	// Echo.
	Send func(frames ...[]byte) error
}

// Station is a host.
type Station struct {
	cfg    Config
	ids    atomic.Uint32 // of packets in fragments
	failed atomic.Uint64 // packets that could not be sent

	mu         sync.Mutex // guards neighbours
	neighbours map[packet.Addr]packet.MAC

	trains trains // of Receive
}

// New makes one.
func New(cfg Config) *Station {
	return &Station{cfg: cfg, neighbours: map[packet.Addr]packet.MAC{}}
}

// Failed is how many packets could not be sent.
func (s *Station) Failed() uint64 { return s.failed.Load() }

// Neighbour is where another station is; false if it has not been heard of.
func (s *Station) Neighbour(address packet.Addr) (packet.MAC, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	mac, ok := s.neighbours[address]
	return mac, ok
}

func (s *Station) learn(address packet.Addr, mac packet.MAC) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.neighbours) < maxNeighbours {
		s.neighbours[address] = mac
	}
}

// maxNeighbours is how many other stations are remembered.
const maxNeighbours = 1024

// owns reports whether an address is the station's.
func (s *Station) owns(address packet.Addr) bool {
	for _, a := range s.cfg.Addresses {
		if a == address {
			return true
		}
	}
	return false
}

// source is the station's address of a family.
func (s *Station) source(of packet.Addr) packet.Addr {
	for _, a := range s.cfg.Addresses {
		if a.Is4() == of.Is4() {
			return a
		}
	}
	return packet.Addr{}
}

// tag is the station's, as builders take it.
func (s *Station) tag() uint16 {
	if s.cfg.VLAN == 0 {
		return 0
	}
	return packet.VLANPresent | s.cfg.VLAN
}

// send sends a frame, in fragments if it is longer than the MTU.
func (s *Station) send(frame []byte) error {
	_, _, _, etherType, at, _ := packet.ParseEthernet(frame)
	frames := [][]byte{frame}
	if len(frame)-at > s.cfg.MTU && (etherType == packet.TypeIPv4 || etherType == packet.TypeIPv6) {
		frames, _ = packet.AppendFragments(nil, frame, s.cfg.MTU, s.ids.Add(1))
	}
	err := s.cfg.Send(frames...)
	if err != nil {
		s.failed.Add(1)
	}
	return err
}

// Ask sends a question for the station of an address, by ARP or neighbour discovery.
func (s *Station) Ask(target packet.Addr) error {
	source := s.source(target)
	if target.Is4() {
		k := packet.NewARPRequest(s.cfg.MAC, [4]byte(source[12:]), [4]byte(target[12:]))
		k.VLAN = s.tag()
		return s.send(packet.AppendARP(nil, &k))
	}
	k := packet.NewNDSolicit(s.cfg.MAC, source, target)
	k.VLAN = s.tag()
	return s.send(packet.AppendND(nil, &k, 0))
}

// Echo sends an echo request with so many bytes of data to a neighbour, or to everybody if it is not
// known.
func (s *Station) Echo(target packet.Addr, id, seq uint16, size int) error {
	to, ok := s.Neighbour(target)
	if !ok {
		to = packet.Broadcast
	}
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i)
	}
	k := packet.Key{EthDst: to, EthSrc: s.cfg.MAC, VLAN: s.tag(), EtherType: packet.TypeIPv4, IPSrc: s.source(target),
		IPDst: target, ICMPType: packet.ICMPv4EchoRequest}
	if !target.Is4() {
		k.EtherType, k.ICMPType = packet.TypeIPv6, packet.ICMPv6EchoRequest
	}
	return s.send(packet.AppendICMPEcho(nil, &k, id, seq, data))
}
