package traffic

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

var (
	macs  = [2]packet.MAC{{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}}
	fours = [2]packet.Addr{packet.AddrFrom4([4]byte{198, 18, 0, 1}), packet.AddrFrom4([4]byte{198, 18, 0, 2})}
	sixes = [2]packet.Addr{{0: 0x20, 1: 1, 3: 2, 15: 1}, {0: 0x20, 1: 1, 3: 2, 15: 2}}
)

func config(six bool, size int) Config {
	c := Config{FromMAC: macs[0], ToMAC: macs[1], From: fours[0], To: fours[1], Port: 5201, MTU: 1500, Size: size, Rate: 1e9}
	if six {
		c.From, c.To = sixes[0], sixes[1]
	}
	return c
}

// TestFrames: datagrams have their numbers, checksums that are right, and fragments that are no
// longer than the MTU and belong together, of both versions, with and without a tag.
func TestFrames(t *testing.T) {
	for _, six := range []bool{false, true} {
		for _, vlan := range []uint16{0, 7} {
			for _, size := range []int{MinSize, 1470, 3000, MaxSize} {
				c := config(six, size)
				c.VLAN = vlan
				const count = 3
				frames := newTemplate(&c, count).numbered(0xfffe, count)
				seen, whole := probe.NewAssembler(c.MTU), []byte(nil)
				for i, f := range frames {
					_, _, tag, etherType, at, _ := packet.ParseEthernet(f)
					if len(f)-at > c.MTU || tag&packet.VLANMask != vlan {
						t.Fatalf("%d bytes, tag %d", len(f)-at, tag)
					}
					if !six && packet.Checksum(f[at:at+packet.IPv4Len]) != 0 {
						t.Fatal("the checksum of an IPv4 header is wrong")
					}
					p, ok := packet.ParsePart(etherType, f[at:])
					if !ok {
						t.Fatalf("%x", f[:60])
					}
					if p.Offset == 0 {
						whole = nil
					}
					if want := uint32(0xfffe + i/(len(frames)/count)); p.More && uint16(p.ID) != uint16(want) {
						t.Fatalf("a fragment of %d has the identification %d", want, p.ID)
					}
					whole = append(whole, p.Payload...)
					if !p.More && packet.TransportChecksum(p.Src, p.Dst, p.Proto, whole) != 0 {
						t.Fatalf("IPv6 %v, %d bytes: the checksum of a datagram is wrong", six, size)
					}
					seen.Add(probe.Stamp(i), true, len(f), f[:min(len(f), probe.Kept)])
				}
				got := seen.Passages()
				if len(got) != count || seen.Counts().Merged != 0 {
					t.Fatalf("IPv6 %v, VLAN %d, %d bytes: %d datagrams, %+v", six, vlan, size, len(got), seen.Counts())
				}
				for i, p := range got {
					if p.Kind != probe.NumberedUDP || p.Seq != 0xfffe+uint32(i) || p.Bytes != size+packet.UDPLen ||
						p.DstPort != 5201 {
						t.Errorf("%+v", p)
					}
				}
			}
		}
	}
}

// path gives the frames of a stream to taps at its two ends; lose says of the n-th datagram whether
// it does not come.
type path struct {
	taps [2]*Tap
	lose func(n int) bool
	sent int
	now  int64
}

func newPath(mtu int) *path {
	return &path{taps: [2]*Tap{NewTap(mtu), NewTap(mtu)}, lose: func(int) bool { return false }}
}

func (p *path) send(frames ...[]byte) error {
	for _, f := range frames {
		p.now++
		p.taps[0].See(&nic.Frame{At: p.now * 1000, Out: true, Length: len(f), Bytes: f})
		if !p.lose(p.sent) {
			p.taps[1].See(&nic.Frame{At: p.now*1000 + 50, Length: len(f), Bytes: f})
		}
		p.sent++
	}
	return nil
}

// TestRun: a stream sends as many datagrams as its rate makes in its time, and finds out which of
// them have not come.
func TestRun(t *testing.T) {
	p := newPath(1500)
	p.lose = func(n int) bool { return n%10 == 3 }
	c := config(false, 1000)
	c.Rate, c.Send = 1008*8*10_000, p.send
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	p.taps[0].Follow(d, Leaving)
	p.taps[1].Follow(d, Coming)
	begun := time.Now()
	if err := d.Run(t.Context(), 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took < 99*time.Millisecond {
		t.Errorf("a stream of 100 ms took %v", took)
	}
	if err := d.Settle(t.Context(), 10*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	o := d.Outcome()
	if o.Offered != 1000 || o.Sent != 1000 || o.Received != 900 || o.Lost != 100 ||
		o.Doubled+o.Reordered+o.Stray+o.Unmatched != 0 || o.Jitter != 0 || o.Throughput == 0 {
		t.Errorf("%+v", o)
	}
	if n := p.taps[0].Counts(); n.Frames != 1000 || len(p.taps[1].parts.Passages()) != 0 {
		t.Errorf("%+v, and %d passages are kept", n, len(p.taps[1].parts.Passages()))
	}
}

// TestRunThatIsLate: a stream whose interface takes no more ends not much after its time, with what it
// has sent, and that is no rate.
func TestRunThatIsLate(t *testing.T) {
	c := config(false, 1000)
	c.Send = func(...[]byte) error {
		time.Sleep(20 * time.Millisecond)
		return nil
	}
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Run(t.Context(), 500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	o := d.Outcome()
	r := Reached{Wanted: c.Rate, Left: o.Left(c.Size)}
	if o.Offered == 0 || o.Offered > 64*50 || !errors.Is(r.CheckLeft("eth1"), probe.ErrRate) {
		t.Errorf("%+v, %v", o, r)
	}
}

// TestRunUntil: a stream without a time ends with its context, and with an interface that fails.
func TestRunUntil(t *testing.T) {
	c := config(false, 1000)
	ctx, stop := context.WithCancel(t.Context())
	broken, n := errors.New("broken"), 0
	c.Send = func(frames ...[]byte) error {
		if n++; n == 3 {
			stop()
		}
		if n > 3 {
			return broken
		}
		return nil
	}
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Run(ctx, 0); err != nil || n != 3 {
		t.Errorf("%v after %d batches", err, n)
	}
	if err := d.Run(t.Context(), 0); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestTapLeavesTheRest: what is not of a stream is not taken, a stream is not told of what passes by,
// and what another stream has sent between the same ends is told apart.
func TestTapLeavesTheRest(t *testing.T) {
	c := config(false, 1000)
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	frame := newTemplate(&c, 1).numbered(0, 1)[0]
	tap := NewTap(1500)
	see := func(f []byte, out bool) bool { return tap.See(&nic.Frame{At: 1, Out: out, Length: len(f), Bytes: f}) }
	if see(frame, true) {
		t.Error("a frame is taken, and no stream is followed")
	}
	tap.Follow(d, Passing)
	if !see(frame, true) || !see(frame, false) {
		t.Error("a frame of a stream that passes by is not taken")
	}
	tap.Follow(d, Coming)
	see(frame, true)
	if o := d.Outcome(); o.Sent+o.Received+o.Stray != 0 {
		t.Errorf("%+v", o)
	}
	other := c
	other.Port++
	see(newTemplate(&other, 1).numbered(0, 1)[0], false)
	see(frame, false)
	if o := d.Outcome(); o.Received != 1 || o.Stray != 1 {
		t.Errorf("%+v", o)
	}
	other.From = fours[1]
	echo := packet.AppendICMPEcho(nil, &packet.Key{EthDst: macs[1], EthSrc: macs[0], EtherType: packet.TypeIPv4, IPSrc: fours[0],
		IPDst: fours[1], ICMPType: packet.ICMPv4EchoRequest}, 1, 1, nil)
	arp := packet.NewARPRequest(macs[0], [4]byte{198, 18, 0, 1}, [4]byte{198, 18, 0, 2})
	for _, f := range [][]byte{newTemplate(&other, 1).numbered(0, 1)[0], echo, packet.AppendARP(nil, &arp),
		bytes.Repeat([]byte{1}, 60)} {
		if see(f, false) {
			t.Errorf("taken: %v", packet.Ethernet(f))
		}
	}
}

// TestMeter: a load that does not leave, or does not come, at its rate is refused.
func TestMeter(t *testing.T) {
	for _, c := range []struct {
		r    Reached
		want string
	}{
		{Reached{Wanted: 100e6, Left: 99e6, Came: 96e6}, ""},
		{Reached{Wanted: 100e6, Left: 99e6, Came: 94e6}, "of the load from eth3 94 Mbit/s arrived, want 95 Mbit/s of 100 Mbit/s"},
		{Reached{Wanted: 100e6, Left: 90e6, Came: 90e6}, "90 Mbit/s left eth3"},
		// Nine datagrams of 9.61 a second: 93.6 %, and nobody is late.
		{Reached{Wanted: 9.61e6, Left: 9e6, Came: 9e6, One: 1e6}, ""},
		{Reached{Wanted: 9.61e6, Left: 9e6, Came: 8e6, One: 1e6}, "8 Mbit/s arrived"},
		{Reached{Wanted: 9.61e6, Left: 8e6, Came: 8e6, One: 1e6}, "8 Mbit/s left eth3"},
	} {
		err := c.r.Check("eth3")
		if (err == nil) != (c.want == "") ||
			err != nil && (!errors.Is(err, probe.ErrRate) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", c.r, err, c.want)
		}
	}
}

// TestReached: what is found of a stream is what it does: half of it is lost from a moment on.
func TestReached(t *testing.T) {
	p := newPath(1500)
	c := config(false, 1000)
	c.Rate, c.Send = 8e6, p.send
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	p.taps[0].Follow(d, Leaving)
	p.taps[1].Follow(d, Coming)
	p.lose = func(n int) bool { return n%2 == 0 }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- d.Run(ctx, 0) }()
	m, err := d.Meter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Reached(ctx)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if r.One <= 0 || r.One > c.bits() { // a second at least
		t.Errorf("a datagram of %g bits is %g bit/s", c.bits(), r.One)
	}
	if share := r.Came / r.Left; r.Wanted != 8e6 || share < 0.4 || share > 0.6 {
		t.Errorf("%+v of a path that loses every other one", r)
	}
	if err := r.Check("eth3"); !errors.Is(err, probe.ErrRate) {
		t.Errorf("%v", err)
	}
}

// TestTransferTellsWhatFailedFirst: a transfer whose sender fails says what of, and not that the other
// end's connection was closed therefore.
func TestTransferTellsWhatFailedFirst(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	pair := func() (one, other *net.TCPConn) {
		c, err := net.Dial("tcp4", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close(); accepted.Close() })
		return c.(*net.TCPConn), accepted.(*net.TCPConn)
	}
	one, _ := pair()
	_, other := pair() // which does not see how the first ends
	if err := one.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	tcp := TCP{From: &Host{}, To: &Host{}, Window: 65536, Long: time.Second}
	if _, err := tcp.transfer(t.Context(), one, other); !errors.Is(err, probe.ErrNoAnswer) ||
		!strings.Contains(err.Error(), "broken pipe") {
		t.Errorf("%v", err)
	}
	for _, errs := range [][]error{{net.ErrClosed, io.ErrUnexpectedEOF}, {nil, io.ErrUnexpectedEOF},
		{io.ErrUnexpectedEOF, net.ErrClosed}} {
		if err := first(errs...); err != io.ErrUnexpectedEOF {
			t.Errorf("%v of %v", err, errs)
		}
	}
	if err := first(net.ErrClosed, nil); err != net.ErrClosed || first(nil, nil) != nil {
		t.Errorf("%v", err)
	}
}

// TestWrong is what cannot be meant.
func TestWrong(t *testing.T) {
	for _, edit := range []func(*Config){
		func(c *Config) { c.Size = MinSize - 1 }, func(c *Config) { c.Size = MaxSize + 1 }, func(c *Config) { c.Rate = 0 },
	} {
		c := config(false, 1000)
		if edit(&c); c.check() == nil {
			t.Errorf("%+v", c)
		}
	}
}
