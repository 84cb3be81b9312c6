package discovery

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// writer writes to the view in everything that discovery calls, which hangs if that is locked. Each
// probe comes in twice.
type writer struct {
	fabric
	inputs *netview.Inputs
	counts sync.Mutex
	calls  map[string]int
}

func (w *writer) called(what string) {
	w.counts.Lock()
	w.calls[what]++
	w.counts.Unlock()
	w.inputs.Set(new(netview.Settings))
}

func (w *writer) Raise(netview.AlarmKind, string, string) { w.called("raise") }
func (w *writer) Clear(netview.AlarmKind, string)         { w.called("clear") }

func (w *writer) PacketOut(dpid netview.DPID, port uint32, frame []byte) bool {
	w.called("packet-out")
	sent := w.fabric.PacketOut(dpid, port, frame)
	w.fabric.PacketOut(dpid, port, frame) // a replay raises an alarm
	return sent
}

func (w *writer) Barrier(dpid netview.DPID, passed func()) {
	w.called("barrier")
	w.fabric.Barrier(dpid, passed)
}

// TestNothingIsCalledWhileTheViewIsLocked: alarms, round trips, whether a host is in use, frames and
// barriers: what discovery calls for them may write to the view.
func TestNothingIsCalledWhileTheViewIsLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := netview.New(netview.Limits{})
		w := &writer{inputs: v.Inputs(), calls: map[string]int{}, fabric: fabric{cables: map[netview.Point]netview.Point{}}}
		w.d = New(v.Facts(), Config{
			Key: testKey, Expiry: 10 * time.Second, Alarms: w,
			RoundTrip: func(netview.DPID) time.Duration { w.called("round trip"); return 0 },
			InUse:     func(netview.HostID, netview.Point) bool { w.called("in use"); return false },
		})
		ctx, cancel := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		ended.Go(func() { w.d.Run(ctx) })
		w.ring(2)
		for dpid := range netview.DPID(2) {
			w.upAt(w, facts(dpid, 3, ""))
		}
		time.Sleep(5 * time.Second)
		w.d.Frame(0, 3, &packet.Key{EthSrc: packet.MAC{2, 1}, Layers: packet.LayerEthernet})
		time.Sleep(5 * time.Second)
		if n := v.Snapshot().Counts().Hosts; n != 1 {
			t.Errorf("%d hosts, want 1", n)
		}
		time.Sleep(time.Minute)
		for dpid := range netview.DPID(2) {
			w.down(dpid)
		}
		time.Sleep(time.Second)
		cancel()
		ended.Wait()
		if n := v.Snapshot().Counts().Hosts; n != 0 {
			t.Errorf("%d hosts after it was silent, want none", n)
		}
		for _, what := range []string{"raise", "packet-out", "barrier", "round trip", "in use"} {
			if w.calls[what] == 0 {
				t.Errorf("%s: not called", what)
			}
		}
	})
}

// TestSilentHostThatSpeaks: a host that did not answer and is not in use is deleted with the next
// transaction, unless it is heard in that.
func TestSilentHostThatSpeaks(t *testing.T) {
	at := netview.Point{DPID: 1, Port: 1}
	w := newWorld(t, Config{})
	w.quiet = true
	w.step(func() { f := facts(1, 1, ""); w.core.SwitchUp(&f) })
	w.wait(2 * time.Second)
	w.speak(at, 1)
	for _, heard := range []bool{true, false} {
		w.wait(hosts.RefreshSeen)
		row, _ := w.view.Snapshot().Host(hostID(1))
		w.core.hosts.Silent(row)
		w.core.SilentHosts(nil)
		if next, _ := w.core.Next(); next.After(w.now) {
			t.Errorf("the next transaction is at %s: want it at once", next)
		}
		if heard {
			w.speak(at, 1)
		} else {
			w.step(func() {})
		}
		if _, known := w.view.Snapshot().Host(hostID(1)); known != heard {
			t.Errorf("heard %t: the host is known %t", heard, known)
		}
	}
}
