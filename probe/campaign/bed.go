package campaign

import (
	"errors"
	"fmt"
	"sync"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/station"
)

// bed is two stations at two interfaces, with a path between them.
type bed struct {
	six     bool
	ends    [2]end
	changed chan struct{} // has a token when a packet was seen

	mu sync.Mutex // guards what the ends have seen
}

// end is a station at an interface.
type end struct {
	nic     *nic.NIC
	station *station.Station
	seen    *probe.Assembler
	lost    uint64 // observations, before the present round
}

// Addresses and MACs of the stations: of the networks for benchmarks (RFC 2544, appendix C.2.2; RFC
// 5180, section 8), and of our own.
var (
	stationMACs = [2]packet.MAC{{0x02, 'w', 'e', 'i', 'r', 1}, {0x02, 'w', 'e', 'i', 'r', 2}}
	stations4   = [2]packet.Addr{packet.AddrFrom4([4]byte{198, 18, 0, 1}), packet.AddrFrom4([4]byte{198, 18, 0, 2})}
	stations6   = [2]packet.Addr{{0: 0x20, 1: 0x01, 3: 0x02, 15: 1}, {0: 0x20, 1: 0x01, 3: 0x02, 15: 2}}
)

// openBed opens both interfaces and puts stations at them.
func openBed(ends [2]nic.Config, six bool, vlan uint16) (*bed, error) {
	b := &bed{six: six, changed: make(chan struct{}, 1)}
	for i, c := range ends {
		n, err := nic.Open(c)
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		e := &b.ends[i]
		e.nic, e.seen = n, probe.NewAssembler(n.MTU(), b.address(0), b.address(1))
		e.station = station.New(station.Config{MAC: stationMACs[i], Addresses: []packet.Addr{stations4[i], stations6[i]},
			VLAN: vlan, MTU: n.MTU(), Send: n.SendAll})
	}
	for i := range b.ends {
		e := &b.ends[i]
		e.nic.Watch(func(f *nic.Frame) { b.see(e, f) })
	}
	if s, t := b.ends[0].nic.Stamps(), b.ends[1].nic.Stamps(); s != t {
		err := &probe.Refusal{Why: probe.ErrHardware, Seen: fmt.Sprintf("%v stamps at the one interface, %v at the other", s, t),
			Want: "the same at both", Do: "choose --stamps software"}
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// see takes a frame of an end.
func (b *bed) see(e *end, f *nic.Frame) {
	if !f.Out {
		e.station.Receive(f.Bytes)
	}
	b.mu.Lock()
	e.seen.Add(probe.Stamp(f.At), f.Out, f.Length, f.Bytes)
	b.mu.Unlock()
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// address is that of a station, of the version that is measured.
func (b *bed) address(i int) packet.Addr {
	if b.six {
		return stations6[i]
	}
	return stations4[i]
}

// passages is how many packets each end has seen.
func (b *bed) passages() (list [2]int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.ends {
		list[i] = len(b.ends[i].seen.Passages())
	}
	return list
}

// reset forgets what was seen, for the next round.
func (b *bed) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.ends {
		e := &b.ends[i]
		e.seen.Reset()
		e.lost = e.nic.Counters().Lost
	}
}

// round is what came of some echoes.
type round struct {
	there, back probe.Way
	echoes      []probe.Echo
	counts      [2]probe.Counts
	lost        [2]uint64 // observations
	clocks      []probe.Clocks
}

// take is what was seen since reset.
func (b *bed) take() *round {
	b.mu.Lock()
	defer b.mu.Unlock()
	at, from := b.ends[0].seen.Passages(), b.ends[1].seen.Passages()
	r := &round{there: probe.Pair(at, from), back: probe.Pair(from, at)}
	r.echoes = probe.Echoes(r.there, r.back)
	for i := range b.ends {
		e := &b.ends[i]
		r.counts[i], r.lost[i] = e.seen.Counts(), e.nic.Counters().Lost-e.lost
	}
	return r
}

// check finds why a round has no result.
func (b *bed) check(r *round, limits probe.Limits) error {
	for i := range b.ends {
		cfg := b.ends[i].nic.Config()
		if r.lost[i] > 0 {
			return &probe.Refusal{Why: probe.ErrUnobserved, Seen: fmt.Sprintf("%d frames at %s", r.lost[i], cfg.String()),
				Want: "none", Do: "measure on a machine that does nothing else"}
		}
		if err := limits.CheckCounts(cfg.String(), r.counts[i]); err != nil {
			return err
		}
	}
	for _, err := range []error{probe.Steady(r.clocks), limits.Check(&r.there), limits.Check(&r.back)} {
		if err != nil {
			return err
		}
	}
	if len(r.echoes) == 0 {
		return &probe.Refusal{Why: probe.ErrNoAnswer, Seen: "no echo was answered", Want: "one at least", Do: "look at the path"}
	}
	return nil
}

func (b *bed) close() error {
	var err error
	for i := range b.ends {
		if n := b.ends[i].nic; n != nil {
			err = errors.Join(err, n.Close())
		}
	}
	return err
}
