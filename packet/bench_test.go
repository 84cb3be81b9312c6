package packet

import (
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

func udp64() []byte {
	k := base(false, 0)
	k.SrcPort, k.DstPort = 1000, 2000
	return AppendUDP(nil, &k, make([]byte, 22))
}

// TestAllocations holds reading and building to no allocation at all.
func TestAllocations(t *testing.T) {
	var k Key
	var l LLDP
	sample := sampleLLDP()
	pdu := sample.Append(nil)
	buf := make([]byte, 0, 4096)
	all := frames()
	budget := func(name string, f func()) {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
	for _, b := range all {
		budget("ParseKey "+b.name, func() { ParseKey(b.frame, &k) })
		budget("ParseEthernet "+b.name, func() { ParseEthernet(b.frame) })
		budget("AppendText "+b.name, func() { Ethernet(b.frame).AppendText(buf) })
	}
	budget("LLDP.Parse", func() { _ = l.Parse(pdu) })
	budget("LLDP.Org", func() { l.Org(0x001122, 2) })
	budget("AppendLLDP", func() { AppendLLDP(buf, LLDPMulticast, mac1, &sample) })
	for i := range all {
		k := &all[i].key
		budget("AppendUDP", func() { AppendUDP(buf, k, nil) })
		budget("AppendTCP", func() { AppendTCP(buf, k, 0, 0, 0, nil) })
		budget("AppendARP", func() { AppendARP(buf, k) })
		budget("AppendICMPEcho", func() { AppendICMPEcho(buf, k, 1, 1, nil) })
		budget("AppendND", func() { AppendND(buf, k, 0) })
	}
}

func BenchmarkParseKeyUDP64(b *testing.B) {
	frame := udp64()
	var k Key
	b.ReportAllocs()
	for b.Loop() {
		ParseKey(frame, &k)
	}
}

func BenchmarkParseEthernet(b *testing.B) {
	frame := udp64()
	var sum uint64
	b.ReportAllocs()
	for b.Loop() {
		d, s, _, _, _, _ := ParseEthernet(frame)
		sum += d ^ s
	}
	sink = sum
}

func BenchmarkAppendARP(b *testing.B) {
	k := NewARPRequest(mac1, v4a.As4(), v4b.As4())
	buf := make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendARP(buf[:0], &k)
	}
}

func BenchmarkParseLLDP(b *testing.B) {
	s := sampleLLDP()
	pdu := s.Append(nil)
	var l LLDP
	b.ReportAllocs()
	for b.Loop() {
		_ = l.Parse(pdu)
	}
}

var sink uint64

// BenchmarkGopacketUDP64 decodes the same frame with gopacket's fastest way, for the ratio in the
// same run.
func BenchmarkGopacketUDP64(b *testing.B) {
	frame := udp64()
	var eth layers.Ethernet
	var ip layers.IPv4
	var udp layers.UDP
	parser := gopacket.NewDecodingLayerParser(layers.LayerTypeEthernet, &eth, &ip, &udp)
	parser.IgnoreUnsupported = true
	var found []gopacket.LayerType
	b.ReportAllocs()
	for b.Loop() {
		_ = parser.DecodeLayers(frame, &found)
	}
}
