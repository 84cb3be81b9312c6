package discovery

import (
	"bytes"
	"errors"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

var aProbe = probe{from: netview.Point{DPID: 0x1122334455667788, Port: 0xffffff00}, number: 0xfedcba9876543210}

func sealed(s *probeCodec) []byte { return s.encode(nil, aProbe, packet.MAC{2, 0, 0, 0, 0, 1}) }

func TestProbeRoundTrip(t *testing.T) {
	s := newProbeCodec(testKey, 7, 6)
	frame := sealed(s)
	if got, err := s.decode(frame); err != nil || got != aProbe {
		t.Fatalf("%+v, %v", got, err)
	}
	if got, err := s.decode(append(frame, make([]byte, 20)...)); err != nil || got != aProbe {
		t.Errorf("padded: %+v, %v", got, err)
	}
	var l packet.LLDP
	if err := l.Parse(frame[packet.EthernetLen:]); err != nil || string(l.ChassisID) != "1122334455667788" ||
		string(l.PortID) != "4294967040" || l.TTL != 6 {
		t.Errorf("others read %+v, %v", l, err)
	}
}

// No bit of what the MAC covers can be changed, and no byte cut off.
func TestProbeEveryBit(t *testing.T) {
	s := newProbeCodec(testKey, 7, 6)
	frame := sealed(s)
	for i := packet.EthernetLen * 8; i < (len(frame)-2)*8; i++ {
		bad := bytes.Clone(frame)
		bad[i/8] ^= 1 << (i % 8)
		if got, err := s.decode(bad); err == nil {
			t.Errorf("bit %d changed: opened as %+v", i, got)
		}
	}
	for n := range frame[:len(frame)-2] {
		if _, err := s.decode(frame[:n]); err == nil {
			t.Errorf("cut to %d bytes: opened", n)
		}
	}
	if _, err := newProbeCodec([]byte("another key"), 7, 6).decode(frame); !errors.Is(err, ErrForged) {
		t.Errorf("with another key: %v", err)
	}
}

func FuzzOpenProbe(f *testing.F) {
	s := newProbeCodec(testKey, 7, 6)
	frame := sealed(s)
	f.Add(frame)
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
		p, err := s.decode(b)
		switch {
		case err == nil:
			// Who cannot make the MAC can only send what was sealed, with other addresses, tags or
			// padding.
			if p != aProbe {
				t.Errorf("opened %+v", p)
			}
		case !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrForeign) && !errors.Is(err, ErrForged):
			t.Errorf("error %v", err)
		}
	})
}
