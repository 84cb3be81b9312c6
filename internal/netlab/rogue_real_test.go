//go:build real

package netlab

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

// rogue connects an emulated switch with a datapath id, as anybody can who reaches the port.
func rogue(t *testing.T, id uint64, version openflow.Version) *loadswitch.Network {
	t.Helper()
	topology, err := loadswitch.ParseTopology("single:1", 1)
	if err != nil {
		t.Fatal(err)
	}
	n := loadswitch.New(topology, loadswitch.Config{Version: version, FirstID: id})
	t.Cleanup(func() { n.Close(context.Background()) })
	return n
}

// address is where a switch's session comes from, by the view.
func (w *Weir) address(dpid uint64) string {
	w.lab.t.Helper()
	var sw struct {
		Connected bool   `json:"connected"`
		Address   string `json:"address"`
	}
	if err := w.Get(fmt.Sprintf("/v1/switches/%016x", dpid), &sw); err != nil {
		w.lab.t.Fatal(err)
	}
	return fmt.Sprint(sw.Connected, " ", sw.Address)
}

// TestSpoofedDatapathID: somebody connects with the datapath id of a real switch that lives, again
// and again. Each time he is refused, with an alarm; the real one keeps its session, and nobody
// loses a packet.
func TestSpoofedDatapathID(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		w, o, nets := twoNetworks(l)
		traffic := talk(o, nets)
		for i, v := range []openflow.Version{openflow.V10, openflow.V13} {
			s := nets[i].Switches[1]
			real := w.address(s.DPID)
			spoofer := rogue(t, s.DPID, v)
			for try := range 5 {
				if err := spoofer.ConnectOne(t.Context(), spoofer.Switches[0], OpenFlow); err != nil {
					t.Fatal(err)
				}
				l.Eventually(30*time.Second, "the second connection is refused",
					func() bool { return spoofer.Disconnected() == try+1 })
				if got := w.address(s.DPID); got != real {
					t.Errorf("%s was %s, and is %s now", s.Name, real, got)
				}
			}
			w.AwaitAlarm("spoofed-dpid", fmt.Sprintf("%016x", s.DPID), 20*time.Second)
		}
		for _, f := range traffic.Lost() {
			t.Error(f)
		}
	})
}

// mutate changes some bytes of a message, but for its version and length.
func mutate(rng *rand.Rand, frame []byte) []byte {
	m := append([]byte{}, frame...)
	for range 1 + rng.IntN(4) {
		if at := rng.IntN(len(m)); at == 1 || at > 3 {
			m[at] = byte(rng.UintN(256))
		}
	}
	return m
}

// sendRogue sends a message from the switch of a network, which connects where it has no session. While a session is
// there, no second one is begun: Weir would refuse that, and the network forget both.
func sendRogue(l *Lab, bad *loadswitch.Network, frame []byte) {
	l.t.Helper()
	sw := bad.Switches[0]
	l.Eventually(60*time.Second, "the switch is let in and its message taken", func() bool {
		s := sw.Session()
		if s != nil {
			return s.SendBytes(frame) == nil // else its queue is full, or it ends
		}
		ended := bad.Disconnected()
		if err := bad.ConnectOne(l.t.Context(), sw, OpenFlow); err != nil {
			l.t.Fatal(err)
		}
		l.Eventually(30*time.Second, "the switch is let in or refused",
			func() bool { return sw.Session() != nil || bad.Disconnected() > ended })
		return false
	})
}

// TestMutatedMessagesBesideRealSwitches: two switches send every message there is, mutated, as fast
// as they can, and come back when they are thrown out. The instance goes on, real switches keep
// their sessions, and nobody loses a packet.
func TestMutatedMessagesBesideRealSwitches(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		w, o, nets := twoNetworks(l)
		both := Both(nets[0], nets[1])
		traffic := talk(o, nets)
		var before []string
		for _, s := range both.Switches {
			before = append(before, w.address(s.DPID))
		}
		for i, v := range []openflow.Version{openflow.V10, openflow.V13} {
			all, rng := need.Samples(t, v.String()), rand.New(rand.NewPCG(1, uint64(v)))
			bad := rogue(t, uint64(0xbad0+i), v)
			sent := 0
			for range mutations {
				for _, s := range all {
					sendRogue(l, bad, mutate(rng, s.Frame))
					sent++
				}
			}
			t.Logf("OpenFlow %s: %d messages, thrown out %d times", v, sent, bad.Disconnected())
		}
		if w.Ended() {
			t.Fatalf("weir node ended: %s", w.Output())
		}
		for i, s := range both.Switches {
			if got := w.address(s.DPID); got != before[i] {
				t.Errorf("%s was %s, and is %s now", s.Name, before[i], got)
			}
		}
		w.stays(both, 2*time.Second)
		for _, f := range traffic.Lost() {
			t.Error(f)
		}
	})
}

// resident is the memory of a process, in MiB.
func (p *Process) resident() (mib int) {
	p.lab.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid()))
	if err != nil {
		p.lab.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		p.lab.t.Fatal(err)
	}
	return kib / 1024
}

// TestHalfOpenConnectionsBesideRealSwitches: ten thousand connections that say nothing, from many
// addresses. Real switches keep their sessions, one whose daemon is told to connect anew gets in,
// and the memory stays bounded.
func TestHalfOpenConnectionsBesideRealSwitches(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		w, o, nets := twoNetworks(l)
		both := Both(nets[0], nets[1])
		traffic := talk(o, nets)
		memory := w.resident()
		const connections = 10_000
		for i := range connections {
			d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 2, byte(1+i%16))}, Timeout: 30 * time.Second}
			conn, err := d.Dial("tcp", OpenFlow)
			if err != nil {
				t.Fatalf("connection %d: %v", i, err)
			}
			defer conn.Close()
		}
		s := nets[1].Switches[0]
		old, begin := w.address(s.DPID), time.Now()
		o.Vsctl("set-controller", s.Name, "tcp:127.0.3.1:6653")
		l.Eventually(60*time.Second, "the switch is ready", func() bool {
			now := w.address(s.DPID)
			return now != old && strings.HasPrefix(now, "true ")
		})
		t.Logf("among %d half-open connections, a real switch is ready after %s; memory %d MiB, before %d MiB",
			connections, time.Since(begin).Round(time.Millisecond), w.resident(), memory)
		if grown := w.resident() - memory; grown > 300 {
			t.Errorf("the instance has grown by %d MiB", grown)
		}
		if n := w.connected(); n != len(both.Switches) {
			t.Errorf("%d switches are connected, want %d", n, len(both.Switches))
		}
		w.AwaitAlarm("half-open", "", 20*time.Second)
		for _, f := range traffic.Lost() {
			t.Error(f)
		}
	})
}
