package station

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/weirnet/weir/packet"
)

var (
	macs  = [2]packet.MAC{{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}}
	fours = [2]packet.Addr{packet.AddrFrom4([4]byte{198, 18, 0, 1}), packet.AddrFrom4([4]byte{198, 18, 0, 2})}
	sixes = [2]packet.Addr{{0: 0x20, 1: 1, 3: 2, 15: 1}, {0: 0x20, 1: 1, 3: 2, 15: 2}}
)

// wire joins two stations, and keeps the frames that are on their way.
type wire struct {
	stations [2]*Station
	frames   [2][][]byte // to each
}

func newWire(vlan uint16) *wire {
	w := &wire{}
	for i := range w.stations {
		w.stations[i] = New(Config{MAC: macs[i], Addresses: []packet.Addr{fours[i], sixes[i]}, VLAN: vlan, MTU: 1500,
			Send: func(frames ...[]byte) error {
				w.frames[1-i] = append(w.frames[1-i], frames...)
				return nil
			}})
	}
	return w
}

// deliver gives all frames that are on their way to a station, and returns them.
func (w *wire) deliver(to int) [][]byte {
	list := w.frames[to]
	w.frames[to] = nil
	for _, f := range list {
		w.stations[to].Receive(f)
	}
	return list
}

// payload is that of the packet that frames are.
func payload(t *testing.T, frames [][]byte) (all []byte, kind uint8) {
	t.Helper()
	for _, f := range frames {
		_, _, _, etherType, at, _ := packet.ParseEthernet(f)
		p, ok := packet.ParsePart(etherType, f[at:])
		if !ok || len(f)-at > 1500 {
			t.Fatalf("%x", f)
		}
		all = append(all, p.Payload...)
	}
	m := packet.ICMP(all)
	return m.Payload(), m.Type()
}

// TestEchoes: a request of any length is answered with what it has brought, over both versions,
// tagged or not, when its fragments come in any order.
func TestEchoes(t *testing.T) {
	for _, vlan := range []uint16{0, 7} {
		w := newWire(vlan)
		for n, target := range []packet.Addr{fours[1], sixes[1]} {
			if err := w.stations[0].Ask(target); err != nil {
				t.Fatal(err)
			}
			w.deliver(1)
			w.deliver(0)
			if mac, ok := w.stations[0].Neighbour(target); !ok || mac != macs[1] {
				t.Fatalf("not found: %v %v", mac, ok)
			}
			for seq, size := range []int{0, 56, 1472, 1500, 10000, 65000} {
				if err := w.stations[0].Echo(target, 9, uint16(seq), size); err != nil {
					t.Fatal(err)
				}
				rand.Shuffle(len(w.frames[1]), func(i, j int) { w.frames[1][i], w.frames[1][j] = w.frames[1][j], w.frames[1][i] })
				count := len(w.deliver(1))
				replies := w.deliver(0)
				data, kind := payload(t, replies)
				want := []uint8{packet.ICMPv4EchoReply, packet.ICMPv6EchoReply}[n]
				if len(replies) != count || kind != want || len(data) != size {
					t.Fatalf("%d bytes to %v: %d frames, type %d, %d bytes", size, target, len(replies), kind, len(data))
				}
				for i, b := range data {
					if b != byte(i) {
						t.Fatalf("byte %d of %d is %d", i, size, b)
					}
				}
			}
		}
		if len(w.stations[1].trains)+len(w.stations[0].trains) > 1 { // the last reply is nobody's question
			t.Errorf("fragments are left: %v %v", w.stations[0].trains, w.stations[1].trains)
		}
	}
}

// TestNotAnswered is what is damaged, incomplete or for somebody else.
func TestNotAnswered(t *testing.T) {
	request := func(edit func(k *packet.Key)) []byte {
		k := packet.Key{EthDst: macs[1], EthSrc: macs[0], EtherType: packet.TypeIPv4, IPSrc: fours[0], IPDst: fours[1],
			ICMPType: packet.ICMPv4EchoRequest}
		edit(&k)
		return packet.AppendICMPEcho(nil, &k, 1, 1, make([]byte, 100))
	}
	good := request(func(*packet.Key) {})
	damaged := bytes.Clone(good)
	damaged[80] ^= 1
	arp := packet.NewARPRequest(macs[0], [4]byte{198, 18, 0, 1}, [4]byte{198, 18, 0, 9})
	for name, frame := range map[string][]byte{
		"damaged":            damaged,
		"cut":                good[:90],
		"another's MAC":      request(func(k *packet.Key) { k.EthDst[5] = 9 }),
		"another's address":  request(func(k *packet.Key) { k.IPDst[15] = 9 }),
		"another VLAN":       request(func(k *packet.Key) { k.VLAN = packet.VLANPresent | 5 }),
		"a reply":            request(func(k *packet.Key) { k.ICMPType = packet.ICMPv4EchoReply }),
		"ARP for another":    packet.AppendARP(nil, &arp),
		"half an ARP":        packet.AppendARP(nil, &arp)[:30],
		"nothing":            nil,
		"unknown ether type": append(bytes.Clone(good[:12]), make([]byte, 60)...),
	} {
		w := newWire(0)
		w.stations[1].Receive(frame)
		if len(w.frames[0]) != 0 {
			t.Errorf("%s is answered", name)
		}
	}
	w := newWire(0)
	if w.stations[1].Receive(good); len(w.frames[0]) != 1 {
		t.Error("a good one is not answered")
	}
}

// TestOverlaps: fragments that overlap are no packet, and trains are bounded.
func TestOverlaps(t *testing.T) {
	w := newWire(0)
	if err := w.stations[0].Echo(fours[1], 1, 1, 4000); err != nil {
		t.Fatal(err)
	}
	parts := w.frames[1]
	w.frames[1] = [][]byte{parts[0], parts[1], parts[1], parts[2]}
	if w.deliver(1); len(w.frames[0]) != 0 {
		t.Error("a packet whose fragments overlap is answered")
	}
	for range 3 * maxTrains {
		if err := w.stations[0].Echo(fours[1], 1, 1, 4000); err != nil {
			t.Fatal(err)
		}
		w.frames[1] = w.frames[1][len(w.frames[1])-3:]
		w.frames[1] = w.frames[1][:2]
		w.deliver(1)
	}
	if n := len(w.stations[1].trains); n != maxTrains {
		t.Errorf("%d trains, want %d", n, maxTrains)
	}
}

// TestFailuresAreCounted: what could not be sent.
func TestFailuresAreCounted(t *testing.T) {
	full := errors.New("full")
	s := New(Config{MAC: macs[0], Addresses: fours[:1], MTU: 1500, Send: func(...[]byte) error { return full }})
	if err := s.Echo(fours[1], 1, 1, 10); !errors.Is(err, full) || s.Failed() != 1 {
		t.Errorf("%v, %d counted", err, s.Failed())
	}
}

// FuzzReceive: nothing that comes stops a station, and it never answers itself.
func FuzzReceive(f *testing.F) {
	w := newWire(0)
	for _, target := range []packet.Addr{fours[1], sixes[1]} {
		_ = w.stations[0].Ask(target)
		_ = w.stations[0].Echo(target, 1, 2, 2000)
	}
	for _, frame := range w.frames[1] {
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		w := newWire(0)
		w.stations[1].Receive(frame)
		w.deliver(0)
		if n := len(w.deliver(1)); n > 0 {
			t.Errorf("%d frames of an answer to an answer", n)
		}
	})
}
