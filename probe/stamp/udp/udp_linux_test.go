package udp

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/stamp"
)

// reflecting runs a reflector until end, which returns its counts.
func reflecting(t *testing.T, r *Reflector) (at netip.AddrPort, end func() Counts) {
	t.Helper()
	ready, ended := make(chan netip.AddrPort, 1), make(chan Counts, 1)
	r.Ready = func(at netip.AddrPort) { ready <- at }
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		c, err := r.Run(ctx)
		if err != nil {
			t.Error(err)
		}
		ended <- c
	}()
	select {
	case at = <-ready:
	case <-ended:
		t.FailNow()
	}
	return at, func() Counts { cancel(); return <-ended }
}

// pretend answers each datagram with some of its own.
func pretend(t *testing.T, answer func(request []byte) [][]byte) string {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		b := make([]byte, longest)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			for _, a := range answer(b[:n]) {
				_, _ = conn.WriteTo(a, from)
			}
		}
	}()
	return conn.LocalAddr().String()
}

func right() stamp.Accuracy { return stamp.Accuracy{Synchronised: true, Error: time.Millisecond} }

// TestRoundTrips: every request of any size is answered, from the address that it was sent to, over
// IPv4 and IPv6, with the kernel's times of all.
func TestRoundTrips(t *testing.T) {
	at, end := reflecting(t, &Reflector{Listen: ":0", PerSecond: 1000, Clock: right})
	_, port, _ := net.SplitHostPort(at.String())
	asked := 0
	for _, host := range []string{"127.0.0.1", "127.0.0.5", "::1"} {
		for _, size := range []int{44, 1400, 9000} {
			s := Sender{Target: net.JoinHostPort(host, port), Count: 5, Interval: time.Millisecond, Size: size, Clock: right}
			m, err := s.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			asked += 5
			if len(m.Samples) != 5 || m.Lost != 0 || m.Unstamped != 0 || m.Bad.Sum() != 0 {
				t.Errorf("%s, %d bytes: %+v", host, size, m.Outcome)
			}
			for i, x := range m.Samples {
				if x.Seq != uint32(i) || x.Residence <= 0 || x.Path <= 0 || x.TTL != maxTTL || !x.Synchronised ||
					x.Forward+x.Backward != x.Path {
					t.Errorf("%s, %d bytes: %+v", host, size, x)
				}
			}
			r := s.Report(m)
			if x := r.Results[0]; r.Refused() || len(x.Measure("path").Runs) != 5 || len(x.Measure("forward").Runs) != 5 {
				t.Errorf("%+v", x)
			}
		}
	}
	if c := end(); c != (Counts{Reflected: asked, Untimed: min(c.Untimed, 1)}) {
		t.Errorf("%+v, want %d reflected", c, asked)
	}
}

// TestOneWayNeedsBothClocks: where one end does not claim to be synchronised there is no single way.
func TestOneWayNeedsBothClocks(t *testing.T) {
	wrong := func() stamp.Accuracy { return stamp.Accuracy{} }
	at, end := reflecting(t, &Reflector{Listen: "127.0.0.1:0", PerSecond: 1000, Clock: wrong})
	defer end()
	s := Sender{Target: at.String(), Count: 2, Clock: right}
	m, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if x := s.Report(m).Results[0]; x.Refused != "" || x.Measure("forward") != nil || x.Measure("path") == nil {
		t.Errorf("%+v", x)
	}
	var table bytes.Buffer
	if err := WriteCSV(&table, m.Samples); err != nil || strings.Count(table.String(), ",,,255\n") != 2 {
		t.Errorf("%v: %s", err, table.String())
	}
}

// TestBadReplies: what is no answer is counted, and a result that rests on nothing else is refused.
func TestBadReplies(t *testing.T) {
	reflected := func(request []byte) []byte {
		b := bytes.Clone(request)
		_ = stamp.Reflect(b, time.Now(), time.Now(), 9, stamp.Accuracy{})
		return b
	}
	impossible := func(request []byte) []byte {
		b := bytes.Clone(request)
		_ = stamp.Reflect(b, time.Now(), time.Now().Add(-time.Second), 9, stamp.Accuracy{})
		return b
	}
	foreign := func(request []byte) []byte {
		b := reflected(request)
		b[14] ^= 1
		return b
	}
	for name, c := range map[string]struct {
		answer func(request []byte) [][]byte
		bad    stamp.Bad
		why    string
	}{
		"answers, and more": {func(r []byte) [][]byte { return [][]byte{r[:43], foreign(r), reflected(r), reflected(r)} },
			stamp.Bad{Short: 3, Foreign: 3, Replayed: 2}, ""},
		"nothing but noise": {func(r []byte) [][]byte { return [][]byte{r[:43]} }, stamp.Bad{Short: 3},
			"nothing but 3 replies too short for STAMP"},
		"silence": {func([]byte) [][]byte { return nil }, stamp.Bad{}, "none of 3 requests was answered"},
		"losses": {func(r []byte) [][]byte {
			if r[3] == 1 {
				return nil
			}
			return [][]byte{reflected(r)}
		}, stamp.Bad{}, "the path loses packets: 1 of 3"},
		"times that cannot be": {func(r []byte) [][]byte {
			if r[3] == 1 {
				return [][]byte{reflected(r)}
			}
			return [][]byte{impossible(r)}
		}, stamp.Bad{Impossible: 2}, "the times of replies cannot be: 2 of 3, and 0 requests without an answer, want 0 % at most"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Sender{Target: pretend(t, c.answer), Count: 3}
			m, err := s.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			m.Bad.Replayed = min(m.Bad.Replayed, 2) // the last one may come after the end
			why := s.Report(m).Results[0].Refused
			if m.Bad != c.bad || (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
				t.Errorf("%+v, refused as %q, want %+v, %q", m.Bad, why, c.bad, c.why)
			}
		})
	}
}

// TestUnsent: after a request that could not be sent, no other's time of leaving is taken for one's own.
func TestUnsent(t *testing.T) {
	at, end := reflecting(t, &Reflector{Listen: "127.0.0.1:0", PerSecond: 1000})
	defer end()
	dialed, err := net.Dial("udp", at.String())
	if err != nil {
		t.Fatal(err)
	}
	conn := dialed.(*net.UDPConn)
	if err := stampRequests(conn); err != nil {
		t.Fatal(err)
	}
	asked := 0
	s := Sender{Count: 5, Interval: 20 * time.Millisecond, changed: make(chan struct{}, 1), session: stamp.Session{ID: 9}}
	s.Clock = func() stamp.Accuracy {
		var deadline time.Time
		if asked++; asked == 2 {
			deadline = time.Unix(1, 0)
		}
		if err := conn.SetWriteDeadline(deadline); err != nil {
			t.Error(err)
		}
		return stamp.Accuracy{}
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- watch(conn, s.left, s.came, s.told) }()
	m := &Measured{}
	if err := s.send(t.Context(), conn, m); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	o := s.session.Outcome()
	if o.Lost != 1 || len(o.Samples) != 4 || o.Unstamped != 3 || o.Bad.Sum() != 0 ||
		!errors.Is(s.refused, os.ErrDeadlineExceeded) {
		t.Errorf("%+v, %v", o, s.refused)
	}
}

// TestNobodyReflects: a port at which nobody listens says so.
func TestNobodyReflects(t *testing.T) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	s := Sender{Target: conn.LocalAddr().String(), Count: 3, Interval: time.Millisecond}
	m, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.check(m); !errors.Is(err, probe.ErrNoAnswer) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("%v", err)
	}
}

// TestWhatIsNotReflected: short datagrams, those of reflectors, and those above the rate; and of what
// is answered no more bytes leave than came.
func TestWhatIsNotReflected(t *testing.T) {
	at, end := reflecting(t, &Reflector{Listen: "127.0.0.1:0", PerSecond: 10})
	dial := func(local string) net.Conn {
		from, err := net.ResolveUDPAddr("udp", local)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := net.DialUDP("udp", from, net.UDPAddrFromAddrPort(at))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	asker := dial("127.0.0.1:0")
	twin := dial(netip.AddrPortFrom(netip.MustParseAddr("127.0.0.2"), at.Port()).String())
	request := (&stamp.Request{Seq: 1, Sent: time.Now()}).AppendTo(nil, 200)
	write := func(conn net.Conn, b []byte) {
		if _, err := conn.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	begun, asked, answered := time.Now(), 0, 0
	write(asker, request[:43])
	write(asker, nil)
	write(twin, request)
	for answered < 2 { // the last one has been seen after all others
		for range 20 {
			write(asker, request)
			asked++
		}
		b := make([]byte, longest)
		for asker.SetReadDeadline(time.Now().Add(50*time.Millisecond)) == nil {
			n, err := asker.Read(b)
			if err != nil {
				break
			}
			if answered++; n != len(request) {
				t.Errorf("a reply of %d bytes to a request of %d", n, len(request))
			}
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("no second reply in a minute")
		}
	}
	most := 2 + int(time.Since(begun).Seconds()*10)
	if c := end(); c.Short != 2 || c.Looping != 1 || c.Reflected > most || c.Reflected+c.Above != asked || c.Unsent != 0 {
		t.Errorf("%+v of %d requests, want %d reflected at most", c, asked, most)
	}
}

// TestSenderCheck refuses what cannot be meant.
func TestSenderCheck(t *testing.T) {
	for want, s := range map[string]*Sender{
		"-1 requests given, want 1 to 100000":           {Count: -1},
		"100001 requests given":                         {Count: MaxCount + 1},
		"size 43 given, want bytes from 44 to 65507":    {Size: 43},
		"size 65508 given, want bytes from 44 to 65507": {Size: 65508},
	} {
		if err := s.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// FuzzControl wants no control message to break what reads it.
func FuzzControl(f *testing.F) {
	m := make([]byte, unix.CmsgSpace(48))
	binary.NativeEndian.PutUint64(m, uint64(unix.CmsgLen(48)))
	binary.NativeEndian.PutUint32(m[8:], unix.SOL_SOCKET)
	binary.NativeEndian.PutUint32(m[12:], unix.SO_TIMESTAMPING_NEW)
	binary.NativeEndian.PutUint64(m[16:], 7)
	if at := readControl(m).at; at.Unix() != 7 {
		f.Fatalf("a time of 7 s read as %v", at)
	}
	f.Add(m)
	f.Add(unix.PktInfo4(&unix.Inet4Pktinfo{Spec_dst: [4]byte{10, 0, 0, 1}}))
	f.Add(unix.PktInfo6(&unix.Inet6Pktinfo{Addr: [16]byte{0xfe, 0x80, 15: 1}, Ifindex: 3}))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := readControl(b)
		switch len(c.from) {
		case 0, unix.CmsgSpace(unix.SizeofInet4Pktinfo), unix.CmsgSpace(unix.SizeofInet6Pktinfo):
		default:
			t.Errorf("%x: a message of %d bytes to send", b, len(c.from))
		}
	})
}

// TestManySamples: a report of any number of samples is read again, and lists each up to a thousand.
func TestManySamples(t *testing.T) {
	for _, n := range []int{maxListed, maxListed + 1, MaxCount} {
		m := &Measured{}
		m.Sent = n
		for i := range n {
			m.Samples = append(m.Samples, stamp.Sample{RoundTrip: time.Duration(i+9) * time.Microsecond,
				Path: time.Duration(i+5) * time.Microsecond, Residence: 4 * time.Microsecond})
		}
		s := Sender{Count: n, Size: stamp.Size}
		b, err := json.Marshal(s.Report(m))
		if err != nil {
			t.Fatal(err)
		}
		r, err := report.Read(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%d samples: %v", n, err)
		}
		x := r.Results[0]
		all, residence, path := x.Measure("path"), x.Time("residence"), x.Time("path")
		if many := n > maxListed; x.Refused != "" || path == nil || path.Count != int64(n) || (all == nil) != many ||
			(residence != nil) != many || strings.Contains(strings.Join(x.Notes, "\n"), "distributions only") != many {
			t.Errorf("%d samples: %.300v", n, x)
		}
		if all != nil && len(all.Runs) != n {
			t.Errorf("%d runs of %d", len(all.Runs), n)
		}
	}
}
