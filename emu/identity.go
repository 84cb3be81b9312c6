package emu

import (
	"encoding/binary"
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// identity is who a switch says it is: to controllers, and by the addresses of its ports. It does not change once the
// network is made.
type identity struct {
	name   string
	id     uint64 // datapath id
	mac    uint32 // what its ports' MAC addresses have in common, 24 bits
	serial uint32 // of the topology
}

// desc describes the switch. The serial number contains a checksum of the topology, so that a
// controller tells the switches of two emulated networks apart.
func (s *identity) desc() *openflow.Desc {
	return &openflow.Desc{
		Manufacturer: "Weir", Hardware: "emulated switch", Software: "Weir",
		Serial: fmt.Sprintf("%08x%016x", s.serial, s.id), Datapath: s.name,
	}
}

// localPort is the switch's own port, OFPP_LOCAL. No link ends there.
func (s *identity) localPort() openflow.Port {
	name := s.name
	if len(name) > maxPortName {
		name = "local"
	}
	return openflow.Port{Number: openflow.PortLocal, Name: name, HWAddr: s.address(0),
		Config: openflow.PortConfigDown, State: openflow.PortStateDown}
}

// address is the MAC address of a port, or, of number 0, of the switch.
func (s *identity) address(number uint32) (mac [6]byte) {
	mac[0] = portMAC
	binary.BigEndian.PutUint32(mac[1:], s.mac<<8|number>>8&0xff)
	mac[5] = uint8(number)
	return mac
}

// portMAC begins the MAC addresses of ports, which are administered locally as those of hosts are,
// and begin otherwise. What follows are 24 bits of the switch and 16 of the port's number.
const portMAC = 0x06

// assignMACs gives every switch 24 bits of its own: the lowest of its datapath id, or the next that
// no other has.
func assignMACs(switches []*Switch) {
	const bits = 1<<24 - 1
	used := make(map[uint32]bool, len(switches))
	for _, sw := range switches {
		sw.mac = uint32(sw.id) & bits
		for used[sw.mac] {
			sw.mac = (sw.mac + 1) & bits
		}
		used[sw.mac] = true
	}
}
