package host

import (
	"testing"
	"time"

	"github.com/weirnet/weir/packet"
)

// TestBrokenFramesAreNotTaken turns one bit of each byte of real frames: whatever a checksum or a
// length covers is noticed, and what was in the frame has no effect.
func TestBrokenFramesAreNotTaken(t *testing.T) {
	frames := recorded()
	for i, frame := range frames {
		var k packet.Key
		packet.ParseKey(frame, &k)
		if k.EthDst == (packet.MAC{2, 0, 0, 0, 0, 1}) || !k.Layers.Has(packet.LayerIPv4) && !k.Layers.Has(packet.LayerIPv6) {
			continue // to the other host, and no checksum
		}
		for at := packet.EthernetLen; at < len(frame); at++ {
			if k.Layers.Has(packet.LayerIPv6) && (at < packet.EthernetLen+4 || at == packet.EthernetLen+7) {
				continue // class, label and hop limit are in no checksum
			}
			h, err := New(config(2))
			if err != nil {
				t.Fatal(err)
			}
			broken := append([]byte(nil), frame...)
			broken[at] ^= 1 << (at % 8)
			var o trash
			h.Receive(broken, time.Second, &o)
			c := h.Counters()
			if c.Malformed+c.BadChecksum+c.Foreign+c.Fragments != 1 || o.frames != 0 ||
				len(h.neighbours.table)+len(h.tcp.streams)+len(h.udp.sinks) != 0 {
				t.Fatalf("frame %d, byte %d changed: %s\n%+v", i, at, packet.Ethernet(broken), c)
			}
		}
	}
}

// TestFragmentsAreRefused gives a host the first and a later fragment.
func TestFragmentsAreRefused(t *testing.T) {
	for _, flags := range []byte{0x20, 0x01} { // more fragments; offset
		h, err := New(config(2))
		if err != nil {
			t.Fatal(err)
		}
		k := packet.Key{EthDst: h.link.cfg.MAC, EthSrc: packet.MAC{2, 9}, EtherType: packet.TypeIPv4,
			IPSrc: config(1).ip(), IPDst: h.link.ip4, DstPort: 9}
		frame := packet.AppendUDP(nil, &k, []byte("part"))
		ip := frame[packet.EthernetLen:]
		ip[6], ip[7], ip[10], ip[11] = flags&0x20, flags&0x1f, 0, 0
		sum := packet.Checksum(ip[:packet.IPv4Len])
		ip[10], ip[11] = byte(sum>>8), byte(sum)
		h.Receive(frame, 0, &trash{})
		if c := h.Counters(); c.Fragments != 1 || c.UDPIn != 0 {
			t.Errorf("flags %#x: %+v", flags, c)
		}
	}
}

// ip is the IPv4 address of a configuration.
func (c Config) ip() packet.Addr { return packet.AddrFrom(c.IPv4.Addr()) }

// TestEchoPortsDoNotEchoEachOther sends a datagram from an echo port to an echo port.
func TestEchoPortsDoNotEchoEachOther(t *testing.T) {
	h, err := New(config(2))
	if err != nil {
		t.Fatal(err)
	}
	k := packet.Key{EthDst: h.link.cfg.MAC, EthSrc: packet.MAC{2, 9}, EtherType: packet.TypeIPv4,
		IPSrc: config(1).ip(), IPDst: h.link.ip4,
		SrcPort: EchoPort, DstPort: EchoPort}
	var o trash
	h.Receive(packet.AppendUDP(nil, &k, []byte("again")), 0, &o)
	if c := h.Counters(); c.UDPIn != 1 || c.UDPEchoed != 0 || o.frames != 0 {
		t.Errorf("%+v, %d frames sent", c, o.frames)
	}
}

func TestPoissonIsSpreadLikeOne(t *testing.T) {
	h, err := New(config(1))
	if err != nil {
		t.Fatal(err)
	}
	p := pace{pattern: Poisson, interval: 1e6}
	var last time.Duration
	var sum, squares float64
	const n = 20000
	for range n {
		at := p.after(newRand(h))
		gap := float64(at - last)
		last, sum, squares = at, sum+gap, squares+gap*gap
	}
	mean := sum / n
	if deviation := squares/n - mean*mean; mean < 0.95e6 || mean > 1.05e6 || deviation < 0.85e12 || deviation > 1.15e12 {
		t.Errorf("mean %g, variance %g: want 1e6 and 1e12 nanoseconds", mean, deviation)
	}
}
