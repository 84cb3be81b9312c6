package host

import (
	"fmt"
	"net/netip"

	"github.com/weirnet/weir/packet"
)

// identity is who a host is: its addresses, its VLAN and the size of its packets. It never changes.
type identity struct {
	cfg Config
	ip4 packet.Addr // zero: none
	ip6 packet.Addr
	mac uint64
}

func identityOf(cfg Config) identity {
	return identity{cfg: cfg, mac: cfg.MAC.Uint64(), ip4: packet.AddrFrom(cfg.IPv4.Addr()), ip6: packet.AddrFrom(cfg.IPv6.Addr())}
}

// vlan is the tag of frames in the form of package packet.
func (i *identity) vlan() uint16 {
	if i.cfg.VLAN == 0 {
		return 0
	}
	return packet.VLANPresent | i.cfg.VLAN
}

// own reports whether ip is an address of this host.
func (i *identity) own(ip packet.Addr) bool { return !ip.IsZero() && (ip == i.ip4 || ip == i.ip6) }

// source is the host's address of ip's version; ok is false if it has none.
func (i *identity) source(ip packet.Addr) (src packet.Addr, ok bool) {
	if ip.Is4() {
		return i.ip4, !i.ip4.IsZero()
	}
	return i.ip6, !i.ip6.IsZero()
}

// accepts reports whether an IP packet to dst is for this host: to its address or to any group.
func (i *identity) accepts(dst packet.Addr) bool {
	if i.own(dst) {
		return true
	}
	_, group := i.groupMAC(dst)
	return group
}

// key is the template of a packet from this host to dst; its Ethernet destination is not filled in.
func (i *identity) key(dst packet.Addr) packet.Key {
	k := packet.Key{EthSrc: i.cfg.MAC, VLAN: i.vlan(), IPDst: dst, EtherType: packet.TypeIPv4, IPSrc: i.ip4}
	if !dst.Is4() {
		k.EtherType, k.IPSrc = packet.TypeIPv6, i.ip6
	}
	return k
}

// destination checks that this host can send to an address, which may be a broadcast or multicast
// address if groups is set.
func (i *identity) destination(a netip.Addr, groups bool) (packet.Addr, error) {
	dst := packet.AddrFrom(a)
	_, group := i.groupMAC(dst)
	switch _, ok := i.source(dst); {
	case !a.IsValid() || a.Zone() != "" || group && !groups, !group && !unicast(dst):
		return dst, fmt.Errorf("destination %q: want the address of a host such as 10.0.0.2 or fd00::2", a)
	case i.own(dst):
		return dst, fmt.Errorf("destination %s is this host's own", a)
	case !ok:
		return dst, fmt.Errorf("destination %s: this host has no address of that version of IP", a)
	}
	return dst, nil
}

// maxPayload is the number of bytes behind the IP header in the largest packet to dst.
func (i *identity) maxPayload(dst packet.Addr) int {
	if dst.Is4() {
		return i.cfg.MTU - packet.IPv4Len
	}
	return min(i.cfg.MTU, maxMTU-packet.IPv6Len) - packet.IPv6Len
}

// mss is the largest payload of a segment to dst that the host's link takes.
func (i *identity) mss(dst packet.Addr) int { return i.maxPayload(dst) - packet.TCPLen }

// groupMAC is the Ethernet destination of a broadcast or multicast address (RFC 1112 section 6.4,
// RFC 2464 section 7). ok is false for a unicast address.
func (i *identity) groupMAC(ip packet.Addr) (mac packet.MAC, ok bool) {
	switch {
	case !ip.Is4() && ip[0] == 0xff:
		return packet.MAC{0x33, 0x33, ip[12], ip[13], ip[14], ip[15]}, true
	case ip.Is4() && ip[12]&0xf0 == 0xe0:
		return packet.MAC{0x01, 0x00, 0x5e, ip[13] & 0x7f, ip[14], ip[15]}, true
	case ip.Is4() && i.broadcast(ip):
		return packet.Broadcast, true
	}
	return packet.MAC{}, false
}

// broadcast reports whether an IPv4 address is the limited broadcast address or that of the host's
// network.
func (i *identity) broadcast(ip packet.Addr) bool {
	v4 := ip.As4()
	if v4 == [4]byte{255, 255, 255, 255} {
		return true
	}
	bits := i.cfg.IPv4.Bits()
	if !i.cfg.IPv4.IsValid() || bits > 30 || !i.cfg.IPv4.Contains(ip.Netip()) {
		return false
	}
	for bit := bits; bit < 32; bit++ {
		if v4[bit/8]&(0x80>>(bit%8)) == 0 {
			return false
		}
	}
	return true
}

var loopback6 = netip.IPv6Loopback()

// unicast reports whether ip can be a unicast address.
func unicast(ip packet.Addr) bool {
	if ip.Is4() {
		return ip[12] != 0 && ip[12] != 127 && ip[12] < 0xe0
	}
	return !ip.IsZero() && ip[0] != 0xff && ip.Netip() != loopback6
}
