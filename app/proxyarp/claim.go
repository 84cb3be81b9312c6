package proxyarp

import (
	"fmt"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// address is an address in a VLAN: what a question asks for. VLAN is 0 for untagged.
type address struct {
	ip   packet.Addr
	vlan uint16
}

// String is the address, with /VLAN where it is tagged.
func (n address) String() string {
	if n.vlan == 0 {
		return n.ip.Netip().String()
	}
	return fmt.Sprintf("%s vlan %d", n.ip.Netip(), n.vlan)
}

// claim is a host's statement that an address is its own, or a DHCP server's statement about the
// host.
type claim struct {
	name address
	mac  packet.MAC
	at   netview.Point // where it was said; zero for a server's word
}

// host is the host that the claim is of.
func (c *claim) host() netview.HostID { return netview.HostID{MAC: c.mac, VLAN: c.name.vlan} }

// claimOf reads what the sender of an ARP or neighbour discovery packet states of its own address.
// A probe claims nothing: its sender does not know yet whether it may have the address.
func claimOf(k *packet.Key, at netview.Point) (c claim, ok bool) {
	if k.InnerVLAN != 0 || k.EthSrc.IsMulticast() || k.EthSrc.IsZero() {
		return c, false
	}
	c = claim{name: address{vlan: k.VLAN & packet.VLANMask}, mac: k.EthSrc, at: at}
	switch {
	case k.Layers.Has(packet.LayerARP):
		c.name.ip = packet.AddrFrom4(k.ARPSPA)
		ok = k.EtherType == packet.TypeARP && k.ARPSHA == k.EthSrc
	case k.Layers.Has(packet.LayerND) && k.ICMPType == packet.NDSolicit:
		c.name.ip = k.IPSrc
		ok = k.TTL == 255 && k.NDSLL == k.EthSrc
	case k.Layers.Has(packet.LayerND):
		c.name.ip = k.NDTarget
		ok = k.TTL == 255 && (k.NDTLL.IsZero() || k.NDTLL == k.EthSrc)
	}
	return c, ok && usable(c.name.ip)
}
