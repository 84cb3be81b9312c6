package campaign

import (
	"context"
	"errors"
	"fmt"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// bed is two stations at two interfaces, with a path between them. The near one asks.
type bed struct {
	plan
	near    *local
	ends    [2]end        // near, and the far one
	changed chan struct{} // has a token when a frame was seen
}

// plan is which packets a bed has.
type plan struct {
	six  bool
	vlan uint16 // id of the tag; 0: none
}

// Addresses and MACs of the stations: of the networks for benchmarks (RFC 2544, appendix C.2.2; RFC
// 5180, section 8), and of our own.
var (
	stationMACs = [2]packet.MAC{{0x02, 'w', 'e', 'i', 'r', 1}, {0x02, 'w', 'e', 'i', 'r', 2}}
	stations4   = [2]packet.Addr{packet.AddrFrom4([4]byte{198, 18, 0, 1}), packet.AddrFrom4([4]byte{198, 18, 0, 2})}
	stations6   = [2]packet.Addr{{0: 0x20, 1: 0x01, 3: 0x02, 15: 1}, {0: 0x20, 1: 0x01, 3: 0x02, 15: 2}}
)

// address is that of a station, of the version that is measured.
func (p plan) address(i int) packet.Addr {
	if p.six {
		return stations6[i]
	}
	return stations4[i]
}

// openBed opens two interfaces of this machine and puts stations at them.
func openBed(ends [2]nic.Config, p plan) (*bed, error) {
	b := &bed{plan: p, changed: make(chan struct{}, 1)}
	for i, c := range ends {
		e, err := openLocal(c, b.changed)
		if err != nil {
			return nil, errors.Join(err, b.close())
		}
		b.ends[i] = e
		if i == 0 {
			b.near = e
		}
		e.place(i, p)
	}
	return b, b.sameStamps()
}

// sameStamps closes a bed whose ends do not take their times in the same way.
func (b *bed) sameStamps() error {
	s, t := b.ends[0].about().stamps, b.ends[1].about().stamps
	if s == t {
		return nil
	}
	err := &probe.Refusal{Why: probe.ErrHardware, Seen: fmt.Sprintf("%v stamps at the one interface, %v at the other", s, t),
		Want: "the same at both", Do: "choose --stamps software"}
	return errors.Join(err, b.close())
}

// echoes is how many packets of echoes each end of this process has seen.
func (b *bed) echoes() (list [2]int) {
	for i, e := range b.ends {
		if e, ok := e.(*local); ok {
			list[i] = e.echoes()
		}
	}
	return list
}

// reset forgets what was seen, for the next round.
func (b *bed) reset(ctx context.Context) error {
	for _, e := range b.ends {
		if err := e.reset(ctx); err != nil {
			return err
		}
	}
	return nil
}

// round is what came of some echoes.
type round struct {
	there, back probe.Way
	echoes      []probe.Echo
	seen        [2]seen
}

// take is what was seen since reset. Of each reply that came both ends have seen two packets.
func (b *bed) take(ctx context.Context) (*round, error) {
	r, whole := &round{}, 0
	for i, e := range b.ends {
		var err error
		if r.seen[i], err = e.take(ctx, whole, missing); err != nil {
			return nil, err
		}
		for _, p := range r.seen[i].passages {
			if i == 0 && !p.Out && p.Kind == probe.EchoReply {
				whole += 2
			}
		}
	}
	near, far := r.seen[0].passages, r.seen[1].passages
	r.there, r.back = probe.Pair(near, far), probe.Pair(far, near)
	r.echoes = probe.Echoes(r.there, r.back)
	return r, nil
}

// check finds why a round has no result.
func (b *bed) check(r *round, limits probe.Limits) error {
	for i, e := range b.ends {
		name, s := e.about().name, &r.seen[i]
		if err := checkLost(s.lost, s.streams, name); err != nil {
			return err
		}
		if err := limits.CheckCounts(name, s.counts); err != nil {
			return err
		}
		if err := probe.Steady(s.clocks); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, w := range []*probe.Way{&r.there, &r.back} {
		if err := limits.Check(w); err != nil {
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
	for _, e := range b.ends {
		if e != nil {
			err = errors.Join(err, e.close())
		}
	}
	return err
}
