package discovery

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// fabric carries probes: what is sent into a cable comes in at its other end.
type fabric struct {
	d      *Discovery
	mu     sync.Mutex
	cables map[netview.Point]netview.Point
	epochs map[netview.DPID]uint64 // of the last sessions
}

// network is all switches.
type network interface {
	PacketOut(dpid netview.DPID, port uint32, frame []byte) bool
	Barrier(dpid netview.DPID, passed func())
}

// end is the Output of one session.
type end struct {
	of   network
	dpid netview.DPID
}

func (e end) PacketOut(port uint32, frame []byte) bool { return e.of.PacketOut(e.dpid, port, frame) }
func (e end) Barrier(passed func())                    { e.of.Barrier(e.dpid, passed) }

// up begins a session of a switch; down ends it.
func (f *fabric) up(sf SwitchFacts) { f.upAt(f, sf) }

func (f *fabric) upAt(at network, sf SwitchFacts) {
	f.mu.Lock()
	if f.epochs == nil {
		f.epochs = make(map[netview.DPID]uint64)
	}
	f.epochs[sf.DPID]++
	sf.Epoch, sf.Out = f.epochs[sf.DPID], end{at, sf.DPID}
	f.mu.Unlock()
	f.d.SwitchUp(sf)
}

func (f *fabric) down(dpid netview.DPID) {
	f.mu.Lock()
	epoch := f.epochs[dpid]
	f.mu.Unlock()
	f.d.SwitchDown(dpid, epoch)
}

// Barrier implements network.
func (f *fabric) Barrier(_ netview.DPID, passed func()) { passed() }

// PacketOut implements network.
func (f *fabric) PacketOut(dpid netview.DPID, port uint32, frame []byte) bool {
	_, _, _, etherType, _, _ := packet.ParseEthernet(frame) // hosts are asked too: there are none
	f.mu.Lock()
	end, ok := f.cables[netview.Point{DPID: dpid, Port: port}]
	f.mu.Unlock()
	if ok && etherType == packet.TypeLLDP {
		f.d.LLDP(end.DPID, end.Port, frame)
	}
	return true
}

// run starts a discovery; the returned function ends it and waits.
func run(cfg Config) (*netview.View, *fabric, func()) {
	cfg.Key = testKey
	v, f := netview.New(netview.Limits{}), &fabric{cables: map[netview.Point]netview.Point{}}
	f.d = New(v.Facts(), cfg)
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() { f.d.Run(ctx) })
	return v, f, func() { cancel(); ended.Wait() }
}

// plug joins a port to another, in that direction, instead of what it was joined to.
func (f *fabric) plug(from, to netview.Point) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cables[from] = to
}

// ring joins n switches, port 1 of each to port 2 of the next.
func (f *fabric) ring(n int) {
	for i := range n {
		a, b := netview.Point{DPID: netview.DPID(i), Port: 1}, netview.Point{DPID: netview.DPID((i + 1) % n), Port: 2}
		f.plug(a, b)
		f.plug(b, a)
	}
}

func linksUp(s *netview.Snapshot) (n int) {
	for l := range s.Links() {
		if l.Up {
			n++
		}
	}
	return n
}

func TestLoopFindsARing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 20
		v, f, end := run(Config{})
		defer end()
		f.ring(n)
		for i := range n {
			f.up(facts(netview.DPID(i), 3, ""))
			time.Sleep(50 * time.Millisecond)
		}
		synctest.Wait()
		if got := linksUp(v.Snapshot()); got != 2*n {
			t.Errorf("%d links, want %d", got, 2*n)
		}
		time.Sleep(2 * time.Second)
		key := packet.Key{EthSrc: packet.MAC{2}, EtherType: packet.TypeIPv4, Layers: packet.LayerEthernet}
		f.d.Frame(3, 3, &key)
		f.d.Frame(3, 1, &packet.Key{EthSrc: packet.MAC{4}, Layers: packet.LayerEthernet}) // at a link
		synctest.Wait()
		s := v.Snapshot()
		if h, ok := s.Host(netview.HostID{MAC: packet.MAC{2}}); !ok || h.At != (netview.Point{DPID: 3, Port: 3}) ||
			s.Counts().Hosts != 1 {
			t.Errorf("host %+v of %d", h, s.Counts().Hosts)
		}
		p := ofPort(1, false)
		f.d.PortStatus(5, openflow.PortModified, p)
		f.down(9)
		synctest.Wait()
		s = v.Snapshot()
		if sw, _ := s.Switch(9); sw.Connected || linksUp(s) != 2*n-2 {
			t.Errorf("switch 9 %+v, %d links", sw, linksUp(s))
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		if time.Sleep(10 * time.Second); !v.Snapshot().Settled() {
			t.Error("not settled")
		}
		synctest.Wait() // the core is the loop's until it rests
		if err := f.d.core.Check(v.Snapshot()); err != nil {
			t.Error(err)
		}
	})
}

// Probes of many switches are spread over the period, and one period has one of each port.
func TestPacing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 200
		_, f, end := run(Config{})
		defer end()
		for i := range n {
			f.up(facts(netview.DPID(i), 4, ""))
		}
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		sent := &f.d.Counts().Sent
		start, most := sent.Load(), uint64(0)
		for range 2 * inventory.RoundSlots {
			before := sent.Load()
			time.Sleep(50 * time.Millisecond)
			synctest.Wait()
			most = max(most, sent.Load()-before)
		}
		if got := sent.Load() - start; got != 4*n {
			t.Errorf("%d probes in a period, want %d", got, 4*n)
		}
		if want := uint64(4 * n / inventory.RoundSlots); most > want {
			t.Errorf("%d probes at once, want at most %d", most, want)
		}
	})
}

// A thousand hosts at once are a few transactions.
func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, f, end := run(Config{})
		defer end()
		f.up(facts(1, 2, ""))
		time.Sleep(3*time.Second + time.Millisecond) // when nothing else is due
		before := v.Snapshot().Revision()
		for i := range 1000 {
			k := packet.Key{EthSrc: packet.MAC{2, 0, 0, 0, byte(i >> 8), byte(i)}, Layers: packet.LayerEthernet}
			f.d.inbox.put(input{kind: inputFrame,
				sighting: hosts.Sighting{ID: netview.HostID{MAC: k.EthSrc}, At: netview.Point{DPID: 1, Port: 1}}})
		}
		f.d.Bell.Ring()
		synctest.Wait()
		if s := v.Snapshot(); s.Counts().Hosts != 1000 || s.Revision()-before > 1000/batchInputs+1 {
			t.Errorf("%d hosts in %d transactions", s.Counts().Hosts, s.Revision()-before)
		}
	})
}

// Facts wait for room and are not lost; frames are dropped first, then probes.
func TestInboxBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newInbox(Limits{Facts: 2, Probes: 6, Frames: 4})
		puts := func(kind inputKind, n int) (kept int) {
			for range n {
				if ok, _ := b.put(input{kind: kind}); ok {
					kept++
				}
			}
			return kept
		}
		if f, p := puts(inputFrame, 9), puts(inputProbe, 9); f != 4 || p != 2 {
			t.Errorf("kept %d frames and %d probes", f, p)
		}
		done := false
		var waiter sync.WaitGroup
		waiter.Go(func() { puts(inputUp, 3); done = true })
		synctest.Wait()
		if done {
			t.Error("a fact beyond the limit did not wait")
		}
		if got := len(b.drain(nil)); got != 8 {
			t.Errorf("took %d", got)
		}
		waiter.Wait()
		if got := len(b.drain(nil)); got != 1 {
			t.Errorf("took %d facts that waited", got)
		}
		b.close()
		if ok, _ := b.put(input{kind: inputUp}); ok {
			t.Error("put into a closed inbox")
		}
	})
}

// Many readers beside the loop; for -race.
func TestReadersBesideLoop(t *testing.T) {
	v, f, end := run(Config{Period: 20 * time.Millisecond, Settle: 5 * time.Millisecond, Limits: Limits{Known: 64}})
	f.ring(4)
	var readers sync.WaitGroup
	for i := range 4 {
		dpid := netview.DPID(i)
		readers.Go(func() {
			f.up(facts(dpid, 4, ""))
			for j := range 2000 {
				k := packet.Key{EthSrc: packet.MAC{2, 0, 0, 0, byte(dpid), byte(j % 50)}, Layers: packet.LayerEthernet}
				f.d.Frame(dpid, uint32(1+j%4), &k)
				switch j % 200 {
				case 50:
					f.d.PortStatus(dpid, openflow.PortModified, ofPort(1, false))
				case 100:
					f.d.PortStatus(dpid, openflow.PortModified, ofPort(1, true))
				case 150:
					f.down(dpid)
					f.up(facts(dpid, 4, ""))
				}
				f.d.LLDP(dpid, 1, []byte("not a frame"))
			}
		})
	}
	readers.Wait()
	hang := time.After(time.Minute)
wait:
	for r := v.Snapshot().Revision(); linksUp(v.Snapshot()) != 8; r = v.Snapshot().Revision() {
		select {
		case <-v.Changed(r):
		case <-hang:
			t.Errorf("%d links after a minute, want 8", linksUp(v.Snapshot()))
			break wait
		}
	}
	end()
	s := v.Snapshot()
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if err := f.d.core.Check(s); err != nil {
		t.Error(err)
	}
	if n := f.d.Counts().Malformed.Load(); n != 8000 {
		t.Errorf("%d malformed frames counted", n)
	}
}

// However short the period and whenever each end was asked: a cable in the place of two hosts is
// found.
func TestCableForHostsAtAnyPhase(t *testing.T) {
	a, b, c := netview.Point{DPID: 0, Port: 1}, netview.Point{DPID: 1, Port: 1}, netview.Point{DPID: 2, Port: 1}
	for phase := time.Duration(0); phase < time.Second; phase += 100 * time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			v, f, end := run(Config{Period: 20 * time.Millisecond, Settle: 5 * time.Millisecond})
			defer end()
			for dpid := range netview.DPID(3) {
				f.up(facts(dpid, 1, ""))
			}
			time.Sleep(time.Second)
			for _, at := range [...]netview.Point{a, b} {
				f.d.Frame(at.DPID, at.Port, &packet.Key{EthSrc: packet.MAC{2, byte(at.DPID)}, Layers: packet.LayerEthernet})
			}
			f.plug(c, a) // a's host is asked
			time.Sleep(phase)
			f.plug(c, netview.Point{}) // nowhere
			f.plug(a, b)
			f.plug(b, a)
			time.Sleep(5 * time.Second)
			synctest.Wait()
			if n := linksUp(v.Snapshot()); n != 2 {
				t.Errorf("%d links where the ends were asked %s apart", n, phase)
			}
		})
	}
}

// counted is an Output that counts.
type counted struct{ frames int }

func (c *counted) PacketOut(uint32, []byte) bool { c.frames++; return true }
func (c *counted) Barrier(func())                {}

// TestSessionsBefore: when a switch has come back, nothing is sent by its session before, and what is
// told late of that is dropped.
func TestSessionsBefore(t *testing.T) {
	v, now := netview.New(netview.Limits{}), time.Unix(1000, 0)
	d := New(v.Facts(), Config{Key: testKey, Now: func() time.Time { return now }})
	turns := func() {
		for range 30 {
			d.turn()
			now = now.Add(100 * time.Millisecond)
		}
	}
	first, second := new(counted), new(counted)
	up := facts(1, 2, "")
	up.Epoch, up.Out = 5, first
	d.SwitchUp(up)
	turns()
	sent := first.frames
	up.Epoch, up.Out = 6, second
	d.SwitchUp(up)
	d.SwitchDown(1, 5)
	d.FormerLinkPorts(1, 5, []uint32{1})
	up.Epoch, up.Out = 5, first
	d.SwitchUp(up)
	turns()
	if sw, _ := v.Snapshot().Switch(1); !sw.Connected || d.core.Devices[1].FormerLinksKnown {
		t.Error("what was told of the session before was taken for the present one")
	}
	if sent == 0 || first.frames != sent || second.frames == 0 {
		t.Errorf("%d frames by the first session, and %d when it had ended; %d by the second", sent, first.frames-sent, second.frames)
	}
	d.SwitchDown(1, 6)
	turns()
	if sw, _ := v.Snapshot().Switch(1); sw.Connected {
		t.Error("the end of the present session was not taken")
	}
}

// TestFormerLinksNeverWait: who reports former links may be prompted by discovery itself, with an inbox that is full.
func TestFormerLinksNeverWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d *Discovery
		fill := make(chan bool)
		cfg := Config{Key: testKey, Changed: func() {
			fill <- true // the inbox fills up within the turn
			<-fill
			d.FormerLinkPorts(1, 1, []uint32{1})
		}}
		cfg.Limits.Facts = 1
		d = New(netview.New(netview.Limits{}).Facts(), cfg)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { d.Run(ctx); close(ended) }()
		d.SwitchUp(SwitchFacts{DPID: 1, Epoch: 1})
		synctest.Wait()
		d.SwitchDown(1, 1)
		<-fill
		d.SwitchUp(SwitchFacts{DPID: 2, Epoch: 1})
		fill <- true
		synctest.Wait()
		stop()
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Fatal("discovery waits for itself")
		}
	})
}
