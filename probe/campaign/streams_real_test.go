//go:build real && linux

package campaign_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/nic"
)

// transfers runs a measurement of streams, which has to end with a report.
func transfers(t *testing.T, c *campaign.Streams) []campaign.Transfer {
	t.Helper()
	_, list := measure(t, c)
	var text bytes.Buffer
	if err := campaign.WriteTransfers(&text, list); err != nil {
		t.Fatal(err)
	}
	t.Log(text.String())
	if want := len(c.Sizes) * c.Runs; len(list) != want {
		t.Fatalf("%d transfers, want %d", len(list), want)
	}
	for i := range list {
		if x := &list[i]; x.Unobserved > 0 {
			t.Errorf("%d frames were not observed: this machine loses them", x.Unobserved)
		}
	}
	return list
}

// isStream reports whether a frame is of a stream, or a fragment of one.
func isStream(frame []byte) bool {
	f, ok := probe.Parse(frame)
	return ok && f.Proto == packet.ProtoUDP
}

// late reports whether a refusal is of a machine that is too busy to send in time.
func late(err error) bool {
	text := err.Error()
	return strings.HasPrefix(text, probe.ErrRate.Error()) && strings.Contains(text, " left eth0,")
}

// datagramLine is a line of tcpdump's about a datagram or the first fragment of one.
var datagramLine = regexp.MustCompile(`(?m)^IP6? .*[.]52\d\d: UDP, `)

// TestStreamsOverAKnownPath: of a relay that loses, doubles and holds frames back, exactly those are
// found, of datagrams in one frame and in fragments, and tcpdump at the far end counts as many.
func TestStreamsOverAKnownPath(t *testing.T) {
	need.Program(t, "tcpdump")
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		const rate, long = 4_000_000, 400 * time.Millisecond
		at := ends(t, l, 1500)
		for _, c := range []struct {
			relay                    netlab.Impairment
			six                      bool
			vlan                     uint16
			size                     int
			lost, doubled, reordered func(n int) int
		}{
			{relay: netlab.Impairment{}, size: 992},
			{relay: netlab.Impairment{}, size: 10000, six: true, vlan: 7},
			{relay: netlab.Impairment{There: 30 * time.Millisecond}, size: 65000},
			{relay: netlab.Impairment{Lose: 10}, size: 992, lost: func(n int) int { return n / 10 }},
			{relay: netlab.Impairment{Double: 10}, size: 992, six: true, doubled: func(n int) int { return n / 10 }},
			{relay: netlab.Impairment{Hold: 10, Held: 10 * time.Millisecond}, size: 992, // those at the end are overtaken by none
				reordered: func(n int) int { return (n - 1) / 10 }},
			{relay: netlab.Impairment{Lose: 10}, size: 3000, // three fragments: datagrams with a tenth frame
				lost: func(n int) int {
					lost := 0
					for i := range n {
						if (3*i+3)/10 > 3*i/10 {
							lost++
						}
					}
					return lost
				}},
		} {
			c.relay.Only = isStream
			relay := l.Impair("p0", "p1", c.relay)
			dump := l.Start("ip", "netns", "exec", at[1].Namespace, "tcpdump", "-i", "eth0", "-n", "-t", "-l", "-Q", "in")
			l.Eventually(patience, "tcpdump listens", func() bool { return strings.Contains(dump.Output(), "listening on") })
			list := transfers(t, &campaign.Streams{From: at[0], To: at[1], Sizes: []int{c.size}, Rate: rate, Time: long, Runs: 1,
				Six: c.six, VLAN: c.vlan, Limits: probe.Limits{Foreign: 10}})
			x := list[0]
			n := int(rate * long.Seconds() / float64((c.size+8)*8))
			expect := func(f func(int) int) int {
				if f == nil {
					return 0
				}
				return f(n)
			}
			want := probe.Flow{Sent: n, Received: n - expect(c.lost), Lost: expect(c.lost), Doubled: expect(c.doubled),
				Reordered: expect(c.reordered)}
			got := x.Flow
			got.Throughput, got.Jitter = 0, 0
			if got != want || x.Offered != n || x.Unmatched != 0 || x.Refused != nil && !late(x.Refused) {
				t.Errorf("%+v, %d bytes: %+v, want %+v; %d offered, %d unmatched, refused: %v", c.relay, c.size, got, want,
					x.Offered, x.Unmatched, x.Refused)
			}
			if c.size == 992 && c.vlan == 0 {
				seen := func() int { return len(datagramLine.FindAllString(dump.Output(), -1)) }
				l.Eventually(patience, "tcpdump has seen all", func() bool { return seen() >= want.Received+want.Doubled })
				if seen() != want.Received+want.Doubled {
					t.Errorf("tcpdump sees %d, want %d", seen(), want.Received+want.Doubled)
				}
			}
			dump.End(time.Second)
			if err := relay.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// star makes four interfaces in namespaces of their own, whose other ends are p0 to p3: those that
// are given are plugged into a bridge.
func star(t *testing.T, l *netlab.Lab, plugged ...string) [4]nic.Config {
	t.Helper()
	l.Run("ip", "link", "add", "name", "br", "type", "bridge")
	l.Run("ip", "link", "set", "dev", "br", "up")
	list := [4]nic.Config(endsOf(t, l, 4, 1500))
	for _, port := range plugged {
		l.Run("ip", "link", "set", "dev", port, "master", "br")
	}
	return list
}

// switched is star with all ports at an Open vSwitch that does as bridges do.
func switched(t *testing.T, l *netlab.Lab) [4]nic.Config {
	t.Helper()
	at, o := star(t, l), l.StartOVS()
	o.AddBridge("s1", 1, "1.3")
	o.Ofctl("1.3", "add-flow", "s1", "actions=normal")
	for i := range at {
		o.AddPort("s1", fmt.Sprintf("p%d", i), i+1)
	}
	return at
}

// loadRate is one that a busy machine sends, in bits a second.
const loadRate = 2_000_000

// TestLoad: load from two further interfaces goes on beside echoes and a stream, all of it comes, its
// frames are not taken for those of others, and none of the measurement's own is lost.
func TestLoad(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := star(t, l, "p0", "p1", "p2", "p3")
		load := campaign.Load{From: at[2:], Rate: loadRate, Size: 992}
		const count = 10
		for _, six := range []bool{false, true} {
			r, samples := measure(t, &campaign.Latency{From: at[0], To: at[1], Sizes: []int{56, 10000}, Count: count,
				Interval: soon, Load: load, Six: six, Limits: probe.Limits{Foreign: 1}})
			for i, size := range []int{56, 10000} {
				why := r.Results[i].Refused
				busy := strings.HasPrefix(why, probe.ErrSpread.Error()) || late(errors.New(why))
				if n := bySize(samples)[size]; n != count || why != "" && !busy {
					t.Errorf("IPv6 %v: %d echoes of %d bytes; refused as %q", six, n, size, why)
				}
			}
		}
		x := transfers(t, &campaign.Streams{From: at[0], To: at[1], Sizes: []int{1470}, Rate: loadRate,
			Time: time.Second, Runs: 2, Load: load, Limits: probe.Limits{Foreign: 0.1}})
		for _, x := range x {
			if x.Refused != nil && !late(x.Refused) || x.Lost+x.Stray != 0 || x.Received != x.Offered ||
				x.Refused == nil && x.Load < 2*loadRate*0.95 {
				t.Errorf("%+v", x)
			}
		}
	})
}

// lossyLoad is what is said of load of which a fifth is lost.
var lossyLoad = regexp.MustCompile(`of the load from eth0,netns=h2 1[.](5|6)\d* Mbit/s arrived`)

// TestLoadThatDoesNotCome: where the path loses some of the load, no measurement beside it has a
// result, and the reason says what came and what was wanted.
func TestLoadThatDoesNotCome(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := star(t, l, "p0", "p1")
		l.Run("ip", "link", "add", "name", "q", "type", "veth", "peer", "name", "r")
		for _, port := range []string{"q", "r"} {
			l.Run("ip", "link", "set", "dev", port, "up")
		}
		l.Run("ip", "link", "set", "dev", "r", "master", "br")
		relay := l.Impair("p2", "q", netlab.Impairment{Lose: 5, Only: isStream})
		defer relay.Close()
		load := campaign.Load{From: at[2:3], Rate: loadRate, Size: 992}
		echoes := func() string {
			r, _ := measure(t, &campaign.Latency{From: at[0], To: at[1], Sizes: []int{56}, Count: 5, Interval: soon, Load: load,
				Limits: probe.Limits{Foreign: 1}})
			return r.Results[0].Refused
		}
		stream := func() string {
			return fmt.Sprint(transfers(t, &campaign.Streams{From: at[0], To: at[1], Sizes: []int{1470}, Rate: loadRate,
				Time: time.Second, Runs: 1, Load: load, Limits: probe.Limits{Foreign: 0.1}})[0].Refused)
		}
		for _, run := range []func() string{echoes, stream} {
			text := run()
			for n := 0; n < 3 && late(errors.New(text)); n++ { // this machine's fault, and not the path's
				text = run()
			}
			if !strings.HasPrefix(text, probe.ErrRate.Error()) || !lossyLoad.MatchString(text) ||
				!strings.Contains(text, "want 1.9 Mbit/s of 2 Mbit/s at least") {
				t.Errorf("refused as %q", text)
			}
		}
	})
}

// TestLoadWhoseInterfaceGoes: the reason is the interface, and not the rate.
func TestLoadWhoseInterfaceGoes(t *testing.T) {
	t.Parallel()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := star(t, l, "p0", "p1", "p2")
		c := campaign.Latency{From: at[0], To: at[1], Sizes: []int{56}, Count: 5, Interval: soon,
			Limits: probe.Limits{Foreign: 1}, Load: campaign.Load{From: at[2:3], Rate: loadRate, Size: 992}}
		c.Note = func(format string, _ ...any) {
			if strings.HasPrefix(format, "path latency") {
				l.Run("ip", "-n", "h2", "link", "delete", "eth0")
			}
		}
		r, _ := measure(t, &c)
		if why := r.Results[0].Refused; !strings.HasPrefix(why, "load from eth0,netns=h2 has ended: ") {
			t.Errorf("refused as %q", why)
		}
	})
}

// TestStreamsOverOpenvSwitch: a stream and load beside it over the userspace datapath: what has left
// has come or is counted as lost, and the kernel's own counter has all that came.
func TestStreamsOverOpenvSwitch(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := switched(t, l)
		for _, x := range transfers(t, &campaign.Streams{From: at[0], To: at[1], Sizes: []int{1470, 10000}, Rate: 5 * loadRate,
			Time: time.Second, Runs: 2, Load: campaign.Load{From: at[2:], Rate: loadRate}, Limits: probe.Limits{Foreign: 0.1}}) {
			if x.Sent != x.Offered || x.Received+x.Lost != x.Sent || x.Doubled+x.Stray != 0 || x.Received == 0 {
				t.Errorf("%+v", x)
			}
		}
	})
}

// TestStreamsForeignTraffic: frames of others on the wire are refused above the limit.
func TestStreamsForeignTraffic(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := star(t, l, "p0", "p1", "p2")
		other, err := nic.Open(at[2])
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		stop, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			k := packet.NewARPRequest(packet.MAC{2, 9}, [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond):
					_ = other.Send(packet.AppendARP(nil, &k))
				}
			}
		}()
		for _, x := range transfers(t, &campaign.Streams{From: at[0], To: at[1], Sizes: []int{1470}, Rate: 100_000,
			Time: time.Second, Runs: 1, Limits: probe.Limits{Foreign: 0.5}}) {
			if text := fmt.Sprint(x.Refused); !strings.HasPrefix(text, probe.ErrForeign.Error()) {
				t.Errorf("refused as %q", text)
			}
		}
		close(stop)
		<-ended
	})
}

// isCaller reports whether a frame is of TCP and of the caller's.
func isCaller(frame []byte) bool {
	f, ok := probe.Parse(frame)
	return ok && f.Proto == packet.ProtoTCP && f.Src == packet.AddrFrom4([4]byte{198, 18, 0, 101})
}

// TestTCPOverAKnownPath: of what Linux has counted as sent all is seen to leave; what a relay loses and
// doubles is found exactly, and what was lost was sent again; the handshake takes no less than the
// relay holds frames, and never more is under way than the window, so no more comes either.
func TestTCPOverAKnownPath(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		const there, back, long = 3 * time.Millisecond, time.Millisecond, 500 * time.Millisecond
		at := ends(t, l, 1500)
		for _, c := range []struct {
			relay  netlab.Impairment
			window int
		}{
			{netlab.Impairment{}, 1500},
			{netlab.Impairment{}, 150000},
			{netlab.Impairment{Lose: 50}, 10000},
			{netlab.Impairment{Double: 50}, 10000},
		} {
			c.relay.There, c.relay.Back, c.relay.Only = there, back, isCaller
			relay := l.Impair("p0", "p1", c.relay)
			x := transfers(t, &campaign.Streams{From: at[0], To: at[1], Proto: campaign.TCP, Sizes: []int{c.window},
				Time: long, Runs: 1, Limits: probe.Limits{Foreign: 1}})[0]
			every := func(n int) int {
				if n == 0 {
					return 0
				}
				return x.Sent / n
			}
			if x.Refused != nil || x.Lost != every(c.relay.Lose) || x.Received != x.Sent-x.Lost ||
				x.Doubled != every(c.relay.Double) || x.Unmatched != 0 {
				t.Errorf("%+v: %+v", c.relay, x)
			}
			// After all was acknowledged Linux may answer the other end's FIN, and end the connection.
			if x.Segments > x.Sent || x.Segments < x.Sent-2 {
				t.Errorf("%+v: Linux has sent %d packets, and %d were seen to leave", c.relay, x.Segments, x.Sent)
			}
			if c.relay.Lose > 0 && x.Lost == 0 || x.Retransmitted < x.Lost-1 {
				t.Errorf("%+v: %d packets were lost, and %d sent again", c.relay, x.Lost, x.Retransmitted)
			}
			if x.Handshake < there+back {
				t.Errorf("%+v: a handshake of %v", c.relay, x.Handshake)
			}
			most := float64(c.window) * 8 / (there + back).Seconds()
			if x.Underway > c.window || x.Underway < c.window/3 || x.Throughput > most || x.Throughput == 0 {
				t.Errorf("%+v, window %d: %d bytes were under way; %g bit/s, want %g at most", c.relay, c.window, x.Underway,
					x.Throughput, most)
			}
			if err := relay.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestTCPBesideLoad: over Open vSwitch, beside load from two further interfaces: what Linux has sent is
// seen to leave, all of the load comes, and the report has a time of each handshake.
func TestTCPBesideLoad(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := switched(t, l)
		for _, x := range transfers(t, &campaign.Streams{From: at[0], To: at[1], Proto: campaign.TCP, Sizes: []int{1500},
			Time: time.Second, Runs: 2, Load: campaign.Load{From: at[2:], Rate: loadRate}, Limits: probe.Limits{Foreign: 0.1}}) {
			if x.Segments > x.Sent || x.Segments < x.Sent-2 || x.Received+x.Lost != x.Sent ||
				x.Handshake == 0 || x.Throughput == 0 {
				t.Errorf("%+v", x)
			}
		}
	})
}
