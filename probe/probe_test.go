package probe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/packet"
)

const (
	ms  = time.Millisecond
	mtu = 1500
)

// station is one of two, 0 and 1.
func station(i int, six bool) packet.Addr {
	if six {
		return packet.Addr{0: 0x20, 1: 1, 3: 2, 15: byte(i + 1)}
	}
	return packet.AddrFrom4([4]byte{198, 18, 0, byte(i + 1)})
}

// frames are those of a packet that a line of a conversation describes, as an interface sends them.
func frames(t *testing.T, c *golden.Command) [][]byte {
	t.Helper()
	number := func(key string, otherwise int) int {
		n, err := strconv.Atoi(c.Arg(key, strconv.Itoa(otherwise)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	six := slices.Contains(c.Args, "six")
	from := map[string]int{"reply": 1, "syn-ack": 1}[c.Args[2]]
	if slices.Contains(c.Args, "back") {
		from = 1
	}
	k := packet.Key{EtherType: packet.TypeIPv4, IPSrc: station(from, six), IPDst: station(1-from, six), SrcPort: 1000,
		DstPort: 80}
	if k.VLAN = uint16(number("vlan", 0)); k.VLAN != 0 {
		k.VLAN |= packet.VLANPresent
	}
	if six {
		k.EtherType = packet.TypeIPv6
	}
	if slices.Contains(c.Args, "foreign") {
		k.IPDst[15] = 99
	}
	if from == 1 {
		k.SrcPort, k.DstPort = k.DstPort, k.SrcPort
	}
	n, size := number("n", 1), number("size", 56)
	payload := binary.BigEndian.AppendUint32(nil, uint32(n))
	payload = append(payload, make([]byte, max(size-4, 0))...)
	var whole []byte
	switch c.Args[2] {
	case "request":
		k.ICMPType = map[bool]uint8{false: packet.ICMPv4EchoRequest, true: packet.ICMPv6EchoRequest}[six]
		whole = packet.AppendICMPEcho(nil, &k, 7, uint16(n), payload)
	case "reply":
		k.ICMPType = map[bool]uint8{false: packet.ICMPv4EchoReply, true: packet.ICMPv6EchoReply}[six]
		whole = packet.AppendICMPEcho(nil, &k, 7, uint16(n), payload)
	case "udp":
		whole = packet.AppendUDP(nil, &k, payload)
	case "syn-ack":
		k.TCPFlags = packet.TCPSyn | packet.TCPAck
		whole = packet.AppendTCP(nil, &k, 5000, 101, 1000, nil)
	case "ack":
		k.TCPFlags = packet.TCPAck
		whole = packet.AppendTCP(nil, &k, 101, 5001, 1000, nil)
	case "arp":
		a := packet.NewARPRequest(packet.MAC{2}, [4]byte{198, 18, 0, 1}, [4]byte{198, 18, 0, 2})
		whole = packet.AppendARP(nil, &a)
		return [][]byte{whole}
	default:
		t.Fatalf("%s:%d: no packet %q", c.File, c.Line, c.Args[2])
	}
	list, ok := packet.AppendFragments(nil, whole, number("mtu", mtu), uint32(number("id", n)))
	if !ok {
		t.Fatalf("%s:%d: not cut", c.File, c.Line)
	}
	if p := c.Arg("part", ""); p != "" {
		return list[number("part", 0) : number("part", 0)+1]
	}
	return list
}

// TestConversations gives two interfaces frames, one a line: "MILLISECONDS INTERFACE WAY PACKET
// [key=value…]". The fragments of a packet are 0.1 ms apart.
func TestConversations(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, path string) {
		golden.Run(t, path, func(t *testing.T, c *golden.Command) string {
			var at [2]*Assembler
			for i := range at {
				at[i] = NewAssembler(mtu, station(0, false), station(1, false), station(0, true), station(1, true))
			}
			for line := range strings.Lines(c.Input) {
				words := strings.Fields(line)
				when, err := strconv.ParseFloat(words[0], 64)
				if err != nil {
					t.Fatal(err)
				}
				for i, f := range frames(t, &golden.Command{Args: words[1:], File: c.File, Line: c.Line}) {
					stamp := Stamp(when*float64(ms)) + Stamp(i)*Stamp(ms/10)
					at[map[string]int{"a": 0, "b": 1}[words[1]]].Add(stamp, words[2] == "out", len(f), f[:min(len(f), Kept)])
				}
			}
			return result(at[0], at[1])
		})
	})
}

// result is what two interfaces saw.
func result(a, b *Assembler) string {
	var s strings.Builder
	there, back := Pair(a.Passages(), b.Passages()), Pair(b.Passages(), a.Passages())
	for _, w := range []struct {
		name string
		way  *Way
		at   *Assembler
	}{{"there", &there, a}, {"back", &back, b}} {
		f := w.way.Flow()
		fmt.Fprintf(&s, "%s: %d sent, %d lost, %d doubled, %d stray, %d reordered, %d cut", w.name, f.Sent, w.way.Lost,
			w.way.Doubled, w.way.Stray, w.way.Reordered, w.way.Cut)
		if c := w.at.Counts(); c.Foreign+c.Merged+c.Unfinished > 0 {
			fmt.Fprintf(&s, "; seen: %d frames, %d foreign, %d merged, %d unfinished", c.Frames, c.Foreign, c.Merged, c.Unfinished)
		}
		fmt.Fprintln(&s)
		if len(w.way.Trips) > 2 {
			fmt.Fprintf(&s, "%s: jitter %v, %.0f bit/s\n", w.name, f.Jitter.Round(time.Microsecond), f.Throughput)
		}
	}
	echoes := Echoes(there, back)
	for _, e := range echoes {
		fmt.Fprintf(&s, "echo %d: ping %v, turnaround %v, path %v\n", e.Seq(), e.Ping(), e.Turnaround(), e.Path())
	}
	for _, d := range Setups(echoes) {
		fmt.Fprintf(&s, "set-up %v\n", d)
	}
	for _, d := range Handshakes(b.Passages()) {
		fmt.Fprintf(&s, "syn-ack to ack %v\n", d)
	}
	return s.String()
}

// TestLimits: each of what a path may do is refused above its limit only, and says so.
func TestLimits(t *testing.T) {
	trips := make([]Trip, 98)
	for _, c := range []struct {
		way    Way
		limits Limits
		want   error
	}{
		{Way{Trips: trips}, Limits{}, nil},
		{Way{Trips: trips, Lost: 2}, Limits{}, ErrLoss},
		{Way{Trips: trips, Lost: 2}, Limits{Lost: 0.02}, nil},
		{Way{Trips: trips, Doubled: 1}, Limits{Lost: 1}, ErrDoubled},
		{Way{Trips: trips, Reordered: 5}, Limits{Reordered: 0.05}, ErrReordered},
		{Way{Trips: trips, Reordered: 4}, Limits{Reordered: 0.05}, nil},
		{Way{Trips: trips, Cut: 1}, Limits{}, ErrCut},
	} {
		err := c.limits.Check(&c.way)
		if !errors.Is(err, c.want) {
			t.Errorf("%+v under %+v: %v, want %v", c.way, c.limits, err, c.want)
		}
		if r := (*Refusal)(nil); err != nil && (!errors.As(err, &r) || r.Seen == "" || r.Want == "" || r.Do == "") {
			t.Errorf("%v does not say all", err)
		}
	}
	for want, c := range map[error]Counts{ErrMerged: {Frames: 10, Merged: 1}, ErrForeign: {Frames: 10, Foreign: 21},
		nil: {Frames: 10, Foreign: 20}} {
		if err := (Limits{Foreign: 2}).CheckCounts("eth0", c); !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", c, err, want)
		}
	}
}

// TestSteady: a clock that is set in mid-run is found, either way; one that only runs is not.
func TestSteady(t *testing.T) {
	run := func(steps ...time.Duration) (list []Clocks) {
		c := Clocks{Wall: 5000, Monotonic: 100}
		for _, s := range steps {
			c.Wall, c.Monotonic = c.Wall+Stamp(50*ms+s), c.Monotonic+Stamp(50*ms)
			list = append(list, c)
		}
		return list
	}
	if err := Steady(run(0, 0, 20*time.Microsecond, -20*time.Microsecond)); err != nil {
		t.Error(err)
	}
	for _, step := range []time.Duration{time.Hour, -ms} {
		if err := Steady(run(0, step, 0)); !errors.Is(err, ErrClock) {
			t.Errorf("a step of %v: %v", step, err)
		}
	}
}

func TestShare(t *testing.T) {
	var samples []time.Duration
	for i := range 11 {
		samples = append(samples, time.Duration(10+i)*time.Microsecond)
	}
	s := ShareOf(samples)
	if want := (Share{15 * time.Microsecond, 8 * time.Microsecond, 11}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	if got := s.Off(100 * time.Microsecond); got != 85*time.Microsecond {
		t.Errorf("%v are left of 100µs", got)
	}
	if err := s.Check(16 * time.Microsecond); err != nil {
		t.Error(err)
	}
	if err := s.Check(15 * time.Microsecond); !errors.Is(err, ErrSpread) {
		t.Errorf("15µs with a spread of 8µs: %v", err)
	}
}

// TestUnfinishedPacketsAreBounded: fragments whose packets never end do not fill the memory.
func TestUnfinishedPacketsAreBounded(t *testing.T) {
	a := NewAssembler(0)
	f := frames(t, &golden.Command{Args: []string{"a", "out", "request", "size=2000", "part=0"}})[0]
	for id := range 3 * maxUnfinished {
		binary.BigEndian.PutUint16(f[packet.EthernetLen+4:], uint16(id))
		a.Add(0, false, len(f), f)
	}
	if c := a.Counts(); len(a.open) != maxUnfinished || len(a.order) != maxUnfinished || c.Unfinished != 3*maxUnfinished {
		t.Errorf("%d open, %d in order, %d counted", len(a.open), len(a.order), c.Unfinished)
	}
}

// FuzzParse: whatever comes, parsing ends, a whole frame reads the same with and without what
// follows the bytes that are kept, and what two interfaces see of it is paired with itself.
func FuzzParse(f *testing.F) {
	for _, words := range []string{"a out request", "a out reply six vlan=7", "a out udp size=3000 part=1",
		"a out udp six size=3000 part=0", "a out syn-ack", "a out ack six", "a out arp"} {
		f.Add(frames(&testing.T{}, &golden.Command{Args: strings.Fields(words)})[0])
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		whole, ok := Parse(frame)
		if short, _ := Parse(frame[:min(len(frame), Kept)]); ok && len(frame) <= Kept && short != whole {
			t.Fatalf("%+v, and %+v", whole, short)
		}
		if whole.Len < 0 && ok || whole.Kind.String() == "" {
			t.Fatalf("%+v", whole)
		}
		out, in := NewAssembler(0), NewAssembler(0)
		one, other := out.Add(1, true, len(frame), frame), in.Add(2, false, len(frame), frame)
		if one != other || one && !ok {
			t.Fatalf("parsed %v, complete %v and %v", ok, one, other)
		}
		if w := Pair(out.Passages(), in.Passages()); one && (len(w.Trips) != 1 || w.Lost+w.Doubled+w.Stray+w.Cut > 0) {
			t.Fatalf("%+v", w)
		}
	})
}
