package netlab

import (
	"net/netip"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

func TestFramesAreWellFormed(t *testing.T) {
	h := &Host{MAC: "02:00:00:00:00:07", IP4: netip.MustParseAddr("10.0.0.7"), IP6: netip.MustParseAddr("fd00::7")}
	for kind, want := range map[Kind]gopacket.LayerType{
		UDP: layers.LayerTypeUDP, ARP: layers.LayerTypeARP, ND: layers.LayerTypeICMPv6NeighborSolicitation,
	} {
		p := gopacket.NewPacket(h.frame(kind, 0x10002), layers.LayerTypeEthernet, gopacket.Default)
		if p.ErrorLayer() != nil || p.Layer(want) == nil {
			t.Errorf("%s: %v", kind, p)
		}
		if l, ok := p.TransportLayer().(*layers.UDP); ok {
			l.SetNetworkLayerForChecksum(p.NetworkLayer())
		}
		if l, ok := p.Layer(layers.LayerTypeICMPv6).(*layers.ICMPv6); ok {
			l.SetNetworkLayerForChecksum(p.NetworkLayer())
		}
		if err, bad := p.VerifyChecksums(); err != nil || len(bad) != 0 {
			t.Errorf("%s: checksums %v %v", kind, err, bad)
		}
		if string(h.frame(kind, 1)) == string(h.frame(kind, 2)) {
			t.Errorf("%s: two tags make the same frame", kind)
		}
	}
}
