package host

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"github.com/weirnet/weir/packet"
)

// TestFramesAreWhatGopacketReads gives every frame of two busy hosts to gopacket: it finds the same
// layers, nothing wrong, and would have written the same bytes with its own lengths and checksums.
func TestFramesAreWhatGopacketReads(t *testing.T) {
	for _, vlan := range []uint16{0, 7} {
		kinds := map[gopacket.LayerType]int{}
		w := newHub(t, 1)
		w.loss = 0.05
		w.seen = func(_ time.Duration, _ int, frame []byte, _ bool) { oracle(t, frame, kinds) }
		for n := range byte(2) {
			cfg := config(n + 1)
			cfg.VLAN, cfg.Announce = vlan, true
			w.add(cfg)
		}
		busy(t, w)
		w.run(20 * time.Second)
		for _, want := range []gopacket.LayerType{layers.LayerTypeARP, layers.LayerTypeICMPv4, layers.LayerTypeICMPv6Echo,
			layers.LayerTypeICMPv6NeighborSolicitation, layers.LayerTypeICMPv6NeighborAdvertisement,
			layers.LayerTypeUDP, layers.LayerTypeTCP} {
			if kinds[want] == 0 {
				t.Errorf("vlan %d: no %s among %v", vlan, want, kinds)
			}
		}
	}
}

// busy has the first host of a hub use the second by everything there is.
func busy(t *testing.T, w *hub) {
	for _, dst := range []string{"10.0.0.2", "fd00::2"} {
		a := w.hosts[0]
		addr := netip.MustParseAddr(dst)
		_, err1 := a.Ping(PingSpec{Dst: addr, Count: 10, Interval: time.Millisecond, Size: 57}, 0)
		_, err2 := a.UDP(FlowSpec{Dst: addr, Port: EchoPort, Rate: 100, Count: 20, Size: 99}, 0)
		_, err3 := a.TCP(StreamSpec{Dst: addr, Bytes: 12345}, 0)
		_, err4 := a.TCP(StreamSpec{Dst: addr, Port: 60000, Bytes: 1}, 0)
		if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
			t.Fatal(err1, err2, err3, err4)
		}
	}
}

// oracle compares one frame, and counts its layers.
func oracle(t *testing.T, frame []byte, kinds map[gopacket.LayerType]int) {
	t.Helper()
	p := gopacket.NewPacket(frame, layers.LayerTypeEthernet, gopacket.Default)
	if p.ErrorLayer() != nil {
		t.Errorf("%s: %v", packet.Ethernet(frame), p.ErrorLayer().Error())
		return
	}
	for _, l := range p.Layers() {
		kinds[l.LayerType()]++
	}
	if e := p.LinkLayer().(*layers.Ethernet); len(e.SrcMAC) != 6 || e.SrcMAC[0] != 2 {
		t.Errorf("%s: from %s", packet.Ethernet(frame), net.HardwareAddr(e.SrcMAC))
	}
	written := gopacket.NewSerializeBuffer()
	var again []gopacket.SerializableLayer
	for _, l := range p.Layers() {
		if s, ok := l.(interface {
			SetNetworkLayerForChecksum(gopacket.NetworkLayer) error
		}); ok {
			if err := s.SetNetworkLayerForChecksum(p.NetworkLayer()); err != nil {
				t.Fatal(err)
			}
		}
		again = append(again, l.(gopacket.SerializableLayer))
	}
	opts := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializeLayers(written, opts, again...); err != nil {
		t.Fatal(err)
	}
	if got := written.Bytes(); string(got[:min(len(frame), len(got))]) != string(frame) {
		t.Errorf("%s\nours   %x\noracle %x", packet.Ethernet(frame), frame, got)
	}
}
