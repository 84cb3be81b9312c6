package flowtable

import (
	"slices"
	"sort"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// port is a port with its counters.
type port struct {
	openflow.Port
	stats   openflow.PortStats
	since   time.Duration
	queues  []queue
	flooded bool // takes part in a flood
}

// queue is a queue of a port with its counters.
type queue struct {
	id      uint32
	packets uint64
	bytes   uint64
	since   time.Duration
}

// queue is the port's queue with this number; nil if there is none.
func (p *port) queue(id uint32) *queue {
	for i := range p.queues {
		if p.queues[i].id == id {
			return &p.queues[i]
		}
	}
	return nil
}

// live reports whether the port can carry packets: what fast failover watches.
func (p *port) live() bool {
	return p.Config&openflow.PortConfigDown == 0 && p.State&openflow.PortStateDown == 0
}

// takes reports whether a frame that comes in at the port is let in.
func (p *port) takes(frame []byte) bool {
	if !p.live() {
		return false
	}
	if p.Config&(openflow.PortConfigNoRecv|openflow.PortConfigNoRecvSTP) == 0 {
		return true
	}
	if len(frame) >= 6 && packet.MAC(frame[:6]) == stpAddress {
		return p.Config&openflow.PortConfigNoRecvSTP == 0
	}
	return p.Config&openflow.PortConfigNoRecv == 0
}

// transmit sends a frame out of the port, unless that is down or forwards nothing.
func (p *port) transmit(queue uint32, frame []byte, out Output) {
	if p.Config&(openflow.PortConfigDown|openflow.PortConfigNoFwd) != 0 || p.State&openflow.PortStateDown != 0 {
		p.stats.TxDropped++
		return
	}
	p.stats.TxPackets++
	p.stats.TxBytes += uint64(len(frame))
	chosen := uint32(0)
	if queue != 0 || len(p.queues) > 0 {
		if q := p.queue(queue); q != nil {
			chosen = q.id
			q.packets++
			q.bytes += uint64(len(frame))
		}
	}
	out.Transmit(p.Number, chosen, frame)
}

// stpAddress is where bridges send their spanning-tree frames (IEEE 802.1D).
var stpAddress = packet.MAC{0x01, 0x80, 0xc2, 0, 0, 0}

// ports are the ports of a switch by rising number.
type ports struct {
	all []*port
	// low are those with numbers below its length, by number: found without a search.
	low []*port
}

const lowPorts = 1024

// find is the port with this number; nil if there is none.
func (p *ports) find(no uint32) *port {
	if uint64(no) < uint64(len(p.low)) {
		return p.low[no]
	}
	if i := p.search(no); i < len(p.all) && p.all[i].Number == no {
		return p.all[i]
	}
	return nil
}

func (p *ports) search(no uint32) int {
	return sort.Search(len(p.all), func(i int) bool { return p.all[i].Number >= no })
}

func (p *ports) insert(x *port) {
	p.all = slices.Insert(p.all, p.search(x.Number), x)
	if x.Number < lowPorts {
		for int(x.Number) >= len(p.low) {
			p.low = append(p.low, nil)
		}
		p.low[x.Number] = x
	}
}

func (p *ports) remove(no uint32) {
	i := p.search(no)
	p.all = slices.Delete(p.all, i, i+1)
	if uint64(no) < uint64(len(p.low)) {
		p.low[no] = nil
	}
}

// AddPort adds a port with a number from 1 to openflow.PortMax, or openflow.PortLocal, or puts it
// in the place of the one with its number.
func (s *Switch) AddPort(p openflow.Port, now time.Duration, out Output) {
	s.begin(now, out)
	defer s.end()
	reason := openflow.PortAdded
	if s.ports.find(p.Number) != nil {
		s.ports.remove(p.Number)
		s.learning.forgetPort(p.Number)
		reason = openflow.PortModified
	}
	x := &port{Port: p, since: now, stats: openflow.PortStats{Port: p.Number}}
	x.settle()
	s.ports.insert(x)
	s.out.PortStatus(reason, x.Port)
}

// RemovePort removes a port.
func (s *Switch) RemovePort(no uint32, now time.Duration, out Output) {
	s.begin(now, out)
	defer s.end()
	if p := s.ports.find(no); p != nil {
		s.ports.remove(no)
		s.learning.forgetPort(no)
		s.out.PortStatus(openflow.PortDeleted, p.Port)
	}
}

// SetPortState sets whether a port has a link. It reports a change.
func (s *Switch) SetPortState(no uint32, up bool, now time.Duration, out Output) {
	s.begin(now, out)
	defer s.end()
	p := s.ports.find(no)
	if p == nil || up == (p.State&openflow.PortStateDown == 0) {
		return
	}
	p.State ^= openflow.PortStateDown
	p.settle()
	s.out.PortStatus(openflow.PortModified, p.Port)
}

// SetQueues sets the queues of a port. Those that it had keep their counters.
func (s *Switch) SetQueues(no uint32, ids []uint32, now time.Duration) {
	p := s.ports.find(no)
	if p == nil {
		return
	}
	old := *p
	p.queues = make([]queue, 0, len(ids))
	for _, id := range ids {
		if q := old.queue(id); q != nil {
			p.queues = append(p.queues, *q)
		} else {
			p.queues = append(p.queues, queue{id: id, since: now})
		}
	}
}

// settle derives what depends on configuration and state: OFPPS_LIVE, and whether floods go there.
func (p *port) settle() {
	p.State &^= openflow.PortStateLive
	if p.live() {
		p.State |= openflow.PortStateLive
	}
	p.flooded = p.Config&openflow.PortConfigNoFlood == 0
}

// Ports are descriptions of all ports by rising number.
func (s *Switch) Ports() []openflow.Port {
	list := make([]openflow.Port, len(s.ports.all))
	for i, p := range s.ports.all {
		list[i] = p.Port
	}
	return list
}

// PortIn is a port as version v describes it: without the bits of configuration and state that it
// does not have.
func PortIn(v openflow.Version, p openflow.Port) openflow.Port {
	const state10 = openflow.PortStateDown | openflow.PortStateSTPMask
	const state13 = openflow.PortStateDown | openflow.PortStateBlocked | openflow.PortStateLive
	if v == openflow.V10 {
		p.State &= state10
	} else {
		p.State &= state13
		p.Config &= config13
	}
	return p
}

// The bits of a port's configuration that each version has.
const (
	config13 = openflow.PortConfigDown | openflow.PortConfigNoRecv | openflow.PortConfigNoFwd | openflow.PortConfigNoPacketIn
	config10 = config13 | openflow.PortConfigNoSTP | openflow.PortConfigNoRecvSTP | openflow.PortConfigNoFlood
)

// PortMod changes the configuration of a port as a controller of version v asks, and tells if it
// changed. The error is an *Error.
func (s *Switch) PortMod(v openflow.Version, m *openflow.PortMod, now time.Duration, out Output) error {
	s.begin(now, out)
	defer s.end()
	p := s.ports.find(m.Port)
	known := config13
	if v == openflow.V10 {
		known = config10
	}
	switch {
	case p == nil:
		return refuse(openflow.PortModFailedBadPort, "port %s, which there is not", openflow.PortText(m.Port))
	case m.HWAddr != p.HWAddr:
		return refuse(openflow.PortModFailedBadHWAddr, "port %d has the address %s", m.Port, packet.MAC(p.HWAddr))
	case m.Mask&^known != 0:
		return refuse(openflow.PortModFailedBadConfig, "mask 0x%x, 0x%x of which is unknown", m.Mask, m.Mask&^known)
	case m.Advertise&^p.Supported != 0:
		return refuse(openflow.PortModFailedBadAdvertise, "port %d does not support 0x%x", m.Port, m.Advertise&^p.Supported)
	}
	before := p.Port
	p.Config = p.Config&^m.Mask | m.Config&m.Mask
	if m.Advertise != 0 {
		p.Advertised = m.Advertise
	}
	p.settle()
	if p.Port != before {
		s.out.PortStatus(openflow.PortModified, p.Port)
	}
	return nil
}
