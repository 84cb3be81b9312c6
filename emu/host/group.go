package host

import "github.com/weirnet/weir/packet"

// groupMAC is the Ethernet destination of a broadcast or multicast address (RFC 1112 section 6.4,
// RFC 2464 section 7). ok is false for a unicast address.
func (h *Host) groupMAC(ip packet.Addr) (mac packet.MAC, ok bool) {
	switch {
	case !ip.Is4() && ip[0] == 0xff:
		return packet.MAC{0x33, 0x33, ip[12], ip[13], ip[14], ip[15]}, true
	case ip.Is4() && ip[12]&0xf0 == 0xe0:
		return packet.MAC{0x01, 0x00, 0x5e, ip[13] & 0x7f, ip[14], ip[15]}, true
	case ip.Is4() && h.broadcast(ip):
		return packet.Broadcast, true
	}
	return packet.MAC{}, false
}

// broadcast reports whether an IPv4 address is the limited broadcast address or that of the host's
// network.
func (h *Host) broadcast(ip packet.Addr) bool {
	v4 := ip.As4()
	if v4 == [4]byte{255, 255, 255, 255} {
		return true
	}
	bits := h.cfg.IPv4.Bits()
	if !h.cfg.IPv4.IsValid() || bits > 30 || !h.cfg.IPv4.Contains(ip.Netip()) {
		return false
	}
	for i := bits; i < 32; i++ {
		if v4[i/8]&(0x80>>(i%8)) == 0 {
			return false
		}
	}
	return true
}

// unicast reports whether ip can be a unicast address.
func unicast(ip packet.Addr) bool {
	if ip.Is4() {
		return ip[12] != 0 && ip[12] != 127 && ip[12] < 0xe0
	}
	return !ip.IsZero() && ip[0] != 0xff && ip.Netip() != loopback6
}
