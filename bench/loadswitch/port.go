package loadswitch

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

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

// describe is a port as the switch tells of it.
func (sw *Switch) describe(number uint32) openflow.Port {
	p := openflow.Port{
		Number: number, Name: fmt.Sprintf("p%d", number), Config: sw.ports[number-1].config.Load(),
		Curr: openflow.PortFeature10GbFD, CurrSpeed: 10_000_000, MaxSpeed: 10_000_000,
	}
	if sw.ports[number-1].cut.Load() {
		p.State = openflow.PortStateDown
	}
	binary.BigEndian.PutUint16(p.HWAddr[:], 0x0276)
	binary.BigEndian.PutUint32(p.HWAddr[2:], uint32(sw.id)<<12|number&0xfff)
	return p
}

func (sw *Switch) describeAll() []openflow.Port {
	ports := make([]openflow.Port, len(sw.ports))
	for i := range ports {
		ports[i] = sw.describe(uint32(i) + 1)
	}
	return ports
}

// portStats are the counters of one port.
func (sw *Switch) portStats(number uint32) openflow.PortStats {
	p := &sw.ports[number-1]
	age := sw.net.age()
	return openflow.PortStats{
		Port: number, RxPackets: p.rxPackets.Load(), TxPackets: p.txPackets.Load(), RxBytes: p.rxBytes.Load(),
		TxBytes: p.txBytes.Load(), DurationSec: uint32(age / 1e9), DurationNsec: uint32(age % 1e9),
	}
}

// transmit sends a frame out of a port; what is at the other end of its link gets it.
func (sw *Switch) transmit(number uint32, frame []byte) {
	if number < 1 || number > uint32(len(sw.ports)) {
		return
	}
	p := &sw.ports[number-1]
	if p.config.Load()&openflow.PortConfigDown != 0 || p.cut.Load() {
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
	p := &sw.ports[number-1]
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
