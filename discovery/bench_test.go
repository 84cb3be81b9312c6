package discovery

import (
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/packet"
)

// arpOf is the key of an ARP request of host n.
func arpOf(n int) packet.Key {
	mac := packet.MAC{2, 0, 0, byte(n >> 16), byte(n >> 8), byte(n)}
	k := packet.NewARPRequest(mac, [4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}, [4]byte{10, 0, 0, 1})
	k.Layers = packet.LayerEthernet | packet.LayerARP
	return k
}

// settledWorld has switches of four edge ports, and hosts at their first ones.
func settledWorld(tb testing.TB, switches, hosts int) *world {
	w := newWorld(tb, Config{})
	for i := range switches {
		w.facts.Update(func(tx *netview.FactsTx) {
			w.core.Begin(tx, w.now)
			f := facts(netview.DPID(i), 4, "")
			w.core.SwitchUp(&f)
		})
	}
	w.tick(3 * time.Second)
	w.facts.Update(func(tx *netview.FactsTx) {
		w.core.Begin(tx, w.now)
		for i := range hosts {
			k := arpOf(i)
			w.core.Frame(netview.Point{DPID: netview.DPID(i % switches), Port: 1}, &k)
		}
	})
	return w
}

// tick lets time go by without the checks of step.
func (w *world) tick(d time.Duration) (sent int) {
	for end := w.now.Add(d); ; {
		next, ok := w.core.Next()
		if !ok || next.After(end) {
			w.now = end
			return sent
		}
		w.now = next
		w.facts.Update(func(tx *netview.FactsTx) { w.core.Begin(tx, w.now); w.core.Tick() })
		sent += w.core.out.Size()
	}
}

func TestAllocationBudgetOfKnownHosts(t *testing.T) {
	need.NoRace(t)
	core := settledWorld(t, 10, 1000).core
	d := &Discovery{core: core, seen: core.hosts.Seen}
	k := arpOf(7)
	n := testing.AllocsPerRun(1000, func() { d.Frame(7, 1, &k) }) // nothing is put in its inbox: it has none
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFrameKnown(b *testing.B) {
	core := settledWorld(b, 16, 16000).core
	d := &Discovery{core: core, seen: core.hosts.Seen, inbox: newInbox(Limits{Frames: 1})}
	keys := make([]packet.Key, 1000)
	for i := range keys {
		keys[i] = arpOf(16 * i)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		d.Frame(0, 1, &keys[i%len(keys)])
	}
	if n := d.Counts().DroppedFrames.Load(); n > 0 {
		b.Errorf("%d of %d were not known", n, b.N)
	}
}

func BenchmarkFrameNewHost(b *testing.B) {
	w := settledWorld(b, 16, 16000)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		k := arpOf(20000 + i%50000)
		w.facts.Update(func(tx *netview.FactsTx) {
			w.core.Begin(tx, w.now)
			w.core.Frame(netview.Point{DPID: netview.DPID(i / 50000 % 16), Port: 2}, &k)
		})
	}
}

func BenchmarkSwitchUp(b *testing.B) {
	w := settledWorld(b, 1000, 0)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		f := facts(netview.DPID(100000+i%1000), 4, "")
		w.facts.Update(func(tx *netview.FactsTx) {
			w.core.Begin(tx, w.now)
			w.core.SwitchUp(&f)
		})
	}
}

// What a period costs the core when nothing happens: the share of a core is this, divided by two
// seconds.
func BenchmarkIdlePeriod(b *testing.B) {
	for _, size := range []struct {
		name     string
		switches int
	}{{"100", 100}, {"1000", 1000}} {
		b.Run(size.name, func(b *testing.B) {
			w := settledWorld(b, size.switches, 0)
			w.tick(4 * time.Second)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if sent := w.tick(2 * time.Second); sent != 4*size.switches {
					b.Fatalf("%d probes", sent)
				}
			}
		})
	}
}

// From the hand-over of a handshake to the view that shows the switch, by the loop (P7 without the
// session).
func BenchmarkSwitchVisible(b *testing.B) {
	v, f, end := run(Config{})
	defer end()
	b.ResetTimer()
	for i := range b.N {
		r := v.Snapshot().Revision()
		sf := facts(netview.DPID(i%1000), 4, "")
		f.up(sf)
		<-v.Changed(r)
		if s, ok := v.Snapshot().Switch(netview.DPID(i % 1000)); !ok || !s.Connected {
			b.Fatal("not shown")
		}
	}
}

// A thousand switches in a ring, connecting at once: until all links are up.
func BenchmarkThousandConnect(b *testing.B) {
	for range b.N {
		v, f, end := run(Config{})
		f.ring(1000)
		for i := range 1000 {
			f.up(facts(netview.DPID(i), 4, ""))
		}
		for {
			s := v.Snapshot()
			if linksUp(s) == 2000 {
				break
			}
			<-v.Changed(s.Revision())
		}
		end()
	}
}
