package netlab

import (
	"encoding/binary"
	"net"
	"net/netip"
)

// Kind is a kind of frame that goes to every host.
type Kind string

// The kinds: an IPv4 broadcast over UDP, an ARP request and an IPv6 neighbour solicitation for an
// address nobody has.
const (
	UDP Kind = "udp"
	ARP Kind = "arp"
	ND  Kind = "nd"
)

// frame builds a frame of the kind from the host. The tag makes it different from every other frame
// in the network: it is part of the payload of UDP, and of the address asked for in ARP (the low 16
// bits) and ND.
func (h *Host) frame(kind Kind, tag uint32) []byte {
	mac, _ := net.ParseMAC(h.MAC)
	switch kind {
	case UDP:
		return udpBroadcast(mac, h.IP4, tag)
	case ARP:
		return arpRequest(mac, h.IP4, tag)
	default:
		return neighbourSolicitation(mac, h.IP6, tag)
	}
}

func ethernet(to, from net.HardwareAddr, kind uint16) []byte {
	return binary.BigEndian.AppendUint16(append(append([]byte{}, to...), from...), kind)
}

var everyone = net.HardwareAddr{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

func udpBroadcast(mac net.HardwareAddr, from netip.Addr, tag uint32) []byte {
	payload := binary.BigEndian.AppendUint32([]byte("netlab"), tag)
	ip := []byte{0x45, 0, 0, byte(28 + len(payload)), 0, 0, 0, 0, 64, 17, 0, 0}
	ip = append(append(ip, from.AsSlice()...), 255, 255, 255, 255)
	binary.BigEndian.PutUint16(ip[10:], checksum(ip))
	udp := []byte{0x27, 0x0f, 0x27, 0x0f, 0, byte(8 + len(payload)), 0, 0} // port 9999; no checksum
	return append(append(append(ethernet(everyone, mac, 0x0800), ip...), udp...), payload...)
}

func arpRequest(mac net.HardwareAddr, from netip.Addr, tag uint32) []byte {
	f := append(ethernet(everyone, mac, 0x0806), 0, 1, 8, 0, 6, 4, 0, 1)
	f = append(append(f, mac...), from.AsSlice()...)
	return append(f, 0, 0, 0, 0, 0, 0, 10, 255, byte(tag>>8), byte(tag))
}

func neighbourSolicitation(mac net.HardwareAddr, from netip.Addr, tag uint32) []byte {
	target := binary.BigEndian.AppendUint32(append([]byte{0xfd}, make([]byte, 11)...), tag)
	group := append([]byte{0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff}, target[13:]...)
	icmp := append([]byte{135, 0, 0, 0, 0, 0, 0, 0}, target...)
	icmp = append(append(icmp, 1, 1), mac...) // option: source link-layer address
	pseudo := append(append(append([]byte{}, from.AsSlice()...), group...), 0, 0, 0, byte(len(icmp)), 0, 0, 0, 58)
	binary.BigEndian.PutUint16(icmp[2:], checksum(append(pseudo, icmp...)))
	ip := []byte{0x60, 0, 0, 0, 0, byte(len(icmp)), 58, 255}
	ip = append(append(ip, from.AsSlice()...), group...)
	to := append(net.HardwareAddr{0x33, 0x33}, group[12:]...)
	return append(append(ethernet(to, mac, 0x86dd), ip...), icmp...)
}

// checksum is the Internet checksum of an even number of bytes.
func checksum(b []byte) uint16 {
	var sum uint32
	for i := 0; i < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
