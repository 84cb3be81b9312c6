package campaign

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/station"
	"github.com/weirnet/weir/probe/traffic"
	"github.com/weirnet/weir/probe/wire"
)

// end is one end of a measured path: a station at an interface.
type end interface {
	about() about
	// ask has the station look for another one, and reports whether it knows that one, after limit
	// at the latest.
	ask(ctx context.Context, target packet.Addr, limit time.Duration) (bool, error)
	// reset forgets what was seen, for the next round.
	reset(ctx context.Context) error
	// take is what was seen since reset, once that is so many packets of echoes and none is without
	// its time, after limit at the latest.
	take(ctx context.Context, packets int, limit time.Duration) (seen, error)
	close() error
}

// about is what an end says of itself.
type about struct {
	name   string // of the interface
	mtu    int
	stamps nic.Stamps
}

// seen is what an end has seen since reset.
type seen struct {
	passages []probe.Passage
	counts   probe.Counts
	lost     uint64 // observations
	streams  int    // frames of streams, which are no passages
	clocks   []probe.Clocks
}

// local is an end in this process.
type local struct {
	nic     *nic.NIC
	tap     *traffic.Tap  // sees frames of streams
	changed chan struct{} // has a token when a frame was seen; the ends of a bed have one together

	mu      sync.Mutex // guards what follows
	station *station.Station
	packets *probe.Assembler // sees all others
	echoed  int              // packets of echoes: not those by which stations find each other
	lost    uint64           // observations, before the present round
	streams probe.Counts     // of the tap, before the present round
	clocks  []probe.Clocks
}

// openLocal opens an interface. There is no station yet.
func openLocal(cfg nic.Config, changed chan struct{}) (*local, error) {
	n, err := nic.Open(cfg)
	if err != nil {
		return nil, err
	}
	e := &local{nic: n, tap: traffic.NewTap(n.MTU()), changed: changed}
	n.Watch(e.see)
	return e, nil
}

// place puts a station of a plan there.
func (e *local) place(number int, p plan) {
	s := station.New(station.Config{MAC: stationMACs[number], Addresses: []packet.Addr{stations4[number], stations6[number]},
		VLAN: p.vlan, MTU: e.nic.MTU(), Send: e.nic.SendTrain})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.station, e.packets = s, probe.NewAssembler(e.nic.MTU(), p.address(0), p.address(1))
}

// leave takes the station away, and what it has seen.
func (e *local) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.station, e.packets, e.clocks = nil, nil, nil
}

// see takes a frame of the interface.
func (e *local) see(f *nic.Frame) {
	if e.tap.See(f) {
		return
	}
	e.mu.Lock()
	s, packets := e.station, e.packets
	e.mu.Unlock()
	if s == nil {
		return
	}
	if !f.Out {
		s.Receive(f.Bytes)
	}
	e.mu.Lock()
	if len(packets.Passages()) <= maxPassages && packets.Add(probe.Stamp(f.At), f.Out, f.Length, f.Bytes) {
		e.clocks = append(e.clocks, nic.ReadClocks())
		list := packets.Passages()
		if k := list[len(list)-1].Kind; k == probe.EchoRequest || k == probe.EchoReply {
			e.echoed++
		}
	}
	e.mu.Unlock()
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

// maxPassages is how many packets of a round are kept: of a loop on the path there is no end.
const maxPassages = wire.MaxPassages

// echoes is how many packets of echoes were seen since reset.
func (e *local) echoes() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.echoed
}

func (e *local) about() about {
	cfg := e.nic.Config()
	return about{name: cfg.String(), mtu: e.nic.MTU(), stamps: e.nic.Stamps()}
}

func (e *local) ask(ctx context.Context, target packet.Addr, limit time.Duration) (bool, error) {
	known := func() bool {
		_, ok := e.station.Neighbour(target)
		return ok
	}
	if err := e.station.Ask(target); err != nil {
		return false, err
	}
	err := await(ctx, e.changed, limit, known)
	return known(), err
}

func (e *local) reset(ctx context.Context) error {
	stamped := func() bool { return e.lostSince() == 0 }
	if err := await(ctx, e.changed, lateStamp, stamped); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.packets.Reset()
	e.echoed = 0
	e.lost, e.streams, e.clocks = e.nic.Counters().Lost, e.tap.Counts(), []probe.Clocks{nic.ReadClocks()}
	return nil
}

// lateStamp is how long the stamps of frames that were sent before a round are waited for. Without
// them they count as lost.
const lateStamp = 100 * time.Millisecond

func (e *local) take(ctx context.Context, packets int, limit time.Duration) (seen, error) {
	whole := func() bool { return e.echoes() >= packets && e.lostSince() == 0 }
	if err := await(ctx, e.changed, limit, whole); err != nil {
		return seen{}, err
	}
	lost := e.lostSince()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clocks = append(e.clocks, nic.ReadClocks())
	s := seen{passages: e.packets.Passages(), counts: e.packets.Counts(), lost: lost, clocks: e.clocks}
	streams := e.tap.Counts()
	s.streams = streams.Frames - e.streams.Frames
	s.counts.Merged += streams.Merged - e.streams.Merged
	if len(s.passages) > maxPassages {
		return s, &probe.Refusal{Why: probe.ErrUnobserved, Seen: fmt.Sprintf("more than %d packets of a round", maxPassages),
			Want: "less", Do: "look for a loop"}
	}
	return s, nil
}

// lostSince is how many observations were lost since reset.
func (e *local) lostSince() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.nic.Counters().Lost
	return now - min(now, e.lost)
}

func (e *local) close() error { return e.nic.Close() }
