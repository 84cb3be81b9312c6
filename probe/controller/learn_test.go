package controller

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// place is the address of a station of udp.
func place(host byte) packet.MAC { return packet.MAC{2, 0, 0, 0, 0, host} }

// TestLearnsWherePlacesAre: at a switch of four ports, what is for everybody or for a station that
// has not been heard of comes out by all ports but its own and sets nothing up; what is for one that
// was heard of sets its flow up, also after all was forgotten.
func TestLearnsWherePlacesAre(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, v openflow.Version) {
		c := listen(t, Config{})
		c.Learn(MACPair)
		sw, ports := emulatePorts(t, c, v, profile.Profile{}, 4)
		came := [4]int{}
		send := func(from int, frame []byte, to ...int) {
			t.Helper()
			_ = ports[from].Send(frame)
			for _, i := range to {
				came[i]++
			}
			need.Await(t, "the packet comes out", func() bool {
				for i, n := range came {
					if ports[i].count() < n {
						return false
					}
				}
				return true
			})
			ready(t, c)
			for i, n := range came {
				if ports[i].count() != n {
					t.Errorf("%d frames at port %d, want %d", ports[i].count(), i+1, n)
				}
			}
		}
		entries := func(want int) {
			t.Helper()
			if got := sw.Entries(); got != want+1 {
				t.Errorf("%d entries, want %d and that of the table's miss", got, want)
			}
		}
		ask := packet.NewARPRequest(place(1), [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
		send(0, packet.AppendARP(nil, &ask), 1, 2, 3)
		send(1, udp(2, 3, 1), 0, 2, 3) // nobody has heard of 3
		entries(0)
		send(0, packet.AppendEthernet(nil, packet.MACFromUint64(0x0180c200000e), place(1), 0, 0, packet.TypeLLDP))
		if len(c.Answers()) != 0 {
			t.Error("what is flooded sets a flow up")
		}
		for range 2 {
			send(1, udp(2, 1, 1), 0)
			send(0, udp(1, 2, 1), 1)
			send(0, udp(1, 2, 1), 1)
			entries(2)
			answers := c.Answers()
			if len(answers) != 2 || answers[0].Src != place(2) || answers[0].Dst != place(1) || answers[1].InPort != 1 ||
				answers[0].PacketIns != 1 || answers[0].Share <= 0 || answers[0].Span() != answers[0].Share {
				t.Errorf("answers %+v, want one of each flow", answers)
			}
			if err := c.Forget(t.Context()); err != nil {
				t.Fatal(err)
			}
			entries(0)
		}
		send(3, udp(2, 1, 1), 0) // it has moved
		if port, ok := c.Place(place(2)); !ok || port != 4 {
			t.Errorf("the station that moved is at port %d", port)
		}
		send(3, udp(1, 2, 1)) // its way is where it came from
	})
}

// TestInstallPairs has all pairs of stations be forwarded without the controller, those that were
// given, or all; a station that nobody has seen is told.
func TestInstallPairs(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, v openflow.Version) {
		c := listen(t, Config{})
		c.Learn(MACPair)
		sw, ports := emulatePorts(t, c, v, profile.Profile{}, 3)
		for i := range ports {
			ask := packet.NewARPRequest(place(byte(i+1)), [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
			_ = ports[i].Send(packet.AppendARP(nil, &ask))
			if err := c.AwaitPlaces(t.Context(), place(byte(i+1)), place(1)); err != nil {
				t.Fatal(err)
			}
		}
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := c.AwaitPlaces(short, place(1), place(9)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("of a station that nobody has seen: %v", err)
		}
		if err := c.InstallPairs(t.Context(), place(1), place(9)); !errors.Is(err, ErrUnseen) || sw.Entries() != 1 {
			t.Errorf("%v, and %d entries", err, sw.Entries())
		}
		if err := c.InstallPairs(t.Context(), place(1), place(3)); err != nil || sw.Entries() != 3 {
			t.Errorf("%d entries of one pair, and of the table's miss; error %v", sw.Entries(), err)
		}
		if err := c.InstallPairs(t.Context()); err != nil || sw.Entries() != 7 {
			t.Fatalf("%d entries of three pairs, and of the table's miss; error %v", sw.Entries(), err)
		}
		if err := c.Forget(t.Context(), place(1), place(2)); err != nil || sw.Entries() != 5 {
			t.Errorf("%d entries, want those of two pairs, and of the table's miss; error %v", sw.Entries(), err)
		}
		before, came := c.PacketIns(), ports[2].count()
		_ = ports[0].Send(udp(1, 3, 1))
		need.Await(t, "the packet comes out", func() bool { return ports[2].count() == came+1 })
		ready(t, c)
		if now := c.PacketIns(); now != before {
			t.Errorf("%d packets of flows that were installed came up", now-before)
		}
	})
}

// TestSharesOfSeveralPackets: of packet-ins that came together each is answered once, and what the
// controller took is the time in which it had any of them.
func TestSharesOfSeveralPackets(t *testing.T) {
	a := &Answer{Arrived: at(0)}
	a.written(at(0), at(3))   // alone
	a.written(at(2), at(5))   // came while the first was under way
	a.written(at(10), at(11)) // after a pause, in which the switch had its turn
	if a.Share != 6 || a.Span() != 11 || a.PacketIns != 3 {
		t.Errorf("share %d of %d, %d packet-ins; want 6 of 11, 3", a.Share, a.Span(), a.PacketIns)
	}
}

// at is a moment, in nanoseconds.
func at(ns int64) time.Time { return time.Unix(0, ns) }
