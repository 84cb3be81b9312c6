package probes

import (
	"bytes"
	"errors"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

var testKey = []byte("0123456789abcdef0123456789abcdef")

var aProbe = Probe{From: netview.Point{DPID: 0x1122334455667788, Port: 0xffffff00}, Number: 0xfedcba9876543210}

func sealed(s *Codec) []byte { return s.Encode(nil, aProbe, packet.MAC{2, 0, 0, 0, 0, 1}) }

// long is aProbe in a frame of a length.
func long(bytes uint16) Probe {
	p := aProbe
	p.Length = bytes
	return p
}

func TestProbeRoundTrip(t *testing.T) {
	s := NewCodec(testKey, 7, 6)
	frame := sealed(s)
	if got, err := s.Decode(frame); err != nil || got != aProbe {
		t.Fatalf("%+v, %v", got, err)
	}
	if got, err := s.Decode(append(frame, make([]byte, 20)...)); err != nil || got != aProbe {
		t.Errorf("padded: %+v, %v", got, err)
	}
	var l packet.LLDP
	if err := l.Parse(frame[packet.EthernetLen:]); err != nil || string(l.ChassisID) != "1122334455667788" ||
		string(l.PortID) != "4294967040" || l.TTL != 6 {
		t.Errorf("others read %+v, %v", l, err)
	}
}

// A long probe is as long as it says, whatever TLVs fill it, and what others append does not lengthen it.
func TestLongProbe(t *testing.T) {
	s := NewCodec(testKey, 7, 6)
	for n := uint16(MinFrame); n <= 9216; n++ {
		p := long(n)
		p.From.Port >>= n % 32 // its number is text, of 1 to 10 digits
		frame := s.Encode(nil, p, packet.MAC{2})
		if got, err := s.Decode(append(frame, 0, 0, 0)); len(frame) != int(n) || err != nil || got != p {
			t.Fatalf("%d bytes: a frame of %d, %+v, %v", n, len(frame), got, err)
		}
	}
	fill := appendFill(nil, 1000)
	frame := sealed(s)
	lengthened := append(append(bytes.Clone(frame[:len(frame)-2]), fill...), 0, 0)
	if got, err := s.Decode(lengthened); err != nil || got != aProbe {
		t.Errorf("lengthened behind its MAC: %+v, %v", got, err)
	}
	at := packet.EthernetLen + 3 + 16 + 3 + 10 + 4
	lengthened = append(append(bytes.Clone(frame[:at]), fill...), frame[at:]...)
	if got, err := s.Decode(lengthened); !errors.Is(err, ErrForged) {
		t.Errorf("lengthened before its MAC: %+v, %v", got, err)
	}
}

// No bit of what the MAC covers can be changed, and no byte cut off.
func TestProbeEveryBit(t *testing.T) {
	s := NewCodec(testKey, 7, 6)
	for _, p := range []Probe{aProbe, long(MinFrame)} {
		everyBit(t, s, s.Encode(nil, p, packet.MAC{2}))
	}
}

func everyBit(t *testing.T, s *Codec, frame []byte) {
	for i := packet.EthernetLen * 8; i < (len(frame)-2)*8; i++ {
		bad := bytes.Clone(frame)
		bad[i/8] ^= 1 << (i % 8)
		if got, err := s.Decode(bad); err == nil {
			t.Errorf("bit %d changed: opened as %+v", i, got)
		}
	}
	for n := range frame[:len(frame)-2] {
		if _, err := s.Decode(frame[:n]); err == nil {
			t.Errorf("cut to %d bytes: opened", n)
		}
	}
	if _, err := NewCodec([]byte("another key"), 7, 6).Decode(frame); !errors.Is(err, ErrForged) {
		t.Errorf("with another key: %v", err)
	}
}

func FuzzOpenProbe(f *testing.F) {
	s := NewCodec(testKey, 7, 6)
	frame := sealed(s)
	f.Add(frame)
	f.Add(s.Encode(nil, long(MinFrame), packet.MAC{2}))
	f.Add(s.Encode(nil, long(1522), packet.MAC{2}))
	for n := 0; n < len(frame); n += 5 {
		f.Add(frame[:n])
	}
	for _, v := range []byte{0, 1, 7, 8, 0xff} { // every length and type of a TLV
		for i := packet.EthernetLen; i < len(frame); i++ {
			bad := bytes.Clone(frame)
			bad[i] = v
			f.Add(bad)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := s.Decode(b)
		switch {
		case err == nil:
			// Who cannot make the MAC can only send what was sealed, with other addresses, tags or
			// padding.
			if p != aProbe && p != long(MinFrame) && p != long(1522) {
				t.Errorf("opened %+v", p)
			}
		case !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrForeign) && !errors.Is(err, ErrForged):
			t.Errorf("error %v", err)
		}
	})
}

func TestAllocationBudgetOfProbes(t *testing.T) {
	need.NoRace(t)
	s := NewCodec(testKey, 1, 6)
	frame := sealed(s)
	buf := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(1000, func() { s.Encode(buf, aProbe, packet.MAC{2}) }); n > 0 {
		t.Errorf("making a probe: %v allocations", n)
	}
	if n := testing.AllocsPerRun(1000, func() { s.Decode(frame) }); n > 0 {
		t.Errorf("opening a probe: %v allocations", n)
	}
}

func BenchmarkProbe(b *testing.B) {
	s := NewCodec(testKey, 1, 6)
	buf := make([]byte, 0, 256)
	b.Run("make", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			s.Encode(buf, aProbe, packet.MAC{2})
		}
	})
	b.Run("open", func(b *testing.B) {
		frame := sealed(s)
		b.ReportAllocs()
		for range b.N {
			if _, err := s.Decode(frame); err != nil {
				b.Fatal(err)
			}
		}
	})
}
