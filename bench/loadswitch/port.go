package loadswitch

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/openflow"
)

// port is a port of a switch, and the other end of its link, if it has one.
type port struct {
	peer                                   *Switch
	peerPort                               uint32
	config                                 atomic.Uint32
	cut                                    atomic.Bool // it has no carrier
	rxPackets, rxBytes, txPackets, txBytes atomic.Uint64
}

// ports are those of one switch, numbered from 1. How many there are and where they lead never changes.
type ports struct {
	id   uint64 // of the switch
	list []port
}

// at is the port of a number; nil if there is none.
func (t *ports) at(number uint32) *port {
	if number < 1 || number > uint32(len(t.list)) {
		return nil
	}
	return &t.list[number-1]
}

// describe is a port as the switch tells of it.
func (t *ports) describe(number uint32) openflow.Port {
	at := &t.list[number-1]
	p := openflow.Port{
		Number: number, Name: fmt.Sprintf("p%d", number), Config: at.config.Load(),
		Curr: openflow.PortFeature10GbFD, CurrSpeed: 10_000_000, MaxSpeed: 10_000_000,
	}
	if at.cut.Load() {
		p.State = openflow.PortStateDown
	}
	binary.BigEndian.PutUint16(p.HWAddr[:], 0x0276)
	binary.BigEndian.PutUint32(p.HWAddr[2:], uint32(t.id)<<12|number&0xfff)
	return p
}

func (t *ports) describeAll() []openflow.Port {
	all := make([]openflow.Port, len(t.list))
	for i := range all {
		all[i] = t.describe(uint32(i) + 1)
	}
	return all
}

// stats are the counters of one port or, of openflow.PortAny, all, at an age of the network; false if there is no
// such port.
func (t *ports) stats(number uint32, age time.Duration) ([]openflow.PortStats, bool) {
	if number == openflow.PortAny {
		var all []openflow.PortStats
		for i := range t.list {
			all = append(all, t.list[i].stats(uint32(i)+1, age))
		}
		return all, true
	}
	p := t.at(number)
	if p == nil {
		return nil, false
	}
	return []openflow.PortStats{p.stats(number, age)}, true
}

// stats are the counters of a port.
func (p *port) stats(number uint32, age time.Duration) openflow.PortStats {
	return openflow.PortStats{
		Port: number, RxPackets: p.rxPackets.Load(), TxPackets: p.txPackets.Load(), RxBytes: p.rxBytes.Load(),
		TxBytes: p.txBytes.Load(), DurationSec: uint32(age / 1e9), DurationNsec: uint32(age % 1e9),
	}
}

// transmit sends a frame out of a port; what is at the other end of its link gets it.
func (sw *Switch) transmit(number uint32, frame []byte) {
	p := sw.ports.at(number)
	if p == nil || p.config.Load()&openflow.PortConfigDown != 0 || p.cut.Load() {
		return
	}
	p.txPackets.Add(1)
	p.txBytes.Add(uint64(len(frame)))
	if p.peer != nil {
		p.peer.receive(p.peerPort, frame)
	}
}

// receive takes a frame that arrived over a link.
func (sw *Switch) receive(number uint32, frame []byte) {
	p := &sw.ports.list[number-1]
	p.rxPackets.Add(1)
	p.rxBytes.Add(uint64(len(frame)))
	if !isLLDP(frame) || !sw.table.wantsLLDP() {
		return
	}
	_ = sw.PacketIn(number, openflow.NoBuffer, frame) // what does not fit into the queue is lost, as in a switch
}

// etherTypeLLDP is that of discovery frames.
const etherTypeLLDP = 0x88cc

func isLLDP(frame []byte) bool {
	return len(frame) >= 14 && binary.BigEndian.Uint16(frame[12:]) == etherTypeLLDP
}
