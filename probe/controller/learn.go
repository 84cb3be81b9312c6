package controller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// ErrUnseen: nothing has come from a station, so its port is not known.
var ErrUnseen = errors.New("the station has not been seen")

// maxPlaces bounds the stations whose port is remembered.
const maxPlaces = 1 << 16

// places are the ports at which stations were seen last.
type places struct {
	mu    sync.Mutex
	ports map[packet.MAC]uint32
	more  chan struct{} // closed when another station is seen
}

// Learn is React by the ports at which stations were seen, of any number of ports: what is for
// everybody, or for a station that has not been heard of, is flooded and sets nothing up. Forget does
// not forget where stations are.
func (c *Controller) Learn(by Exact) { c.React(Forwarding{Out: c.places.out, By: by}) }

// out is Forwarding.Out. A packet says where its sender is.
func (p *places) out(in uint32, k *packet.Key) (port uint32, ok bool) {
	if k.EthSrc.IsMulticast() || k.EthSrc.IsZero() || isReserved(k.EthDst) {
		return 0, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.ports[k.EthSrc]; known {
		p.ports[k.EthSrc] = in
	} else if len(p.ports) < maxPlaces {
		p.ports[k.EthSrc] = in
		close(p.more)
		p.more = make(chan struct{})
	}
	if k.EthDst.IsMulticast() {
		return openflow.PortAll, true
	}
	if port, ok = p.ports[k.EthDst]; !ok {
		return openflow.PortAll, true
	}
	return port, port != in
}

// isReserved reports whether a bridge does not forward what is sent to an address (IEEE 802.1Q, table
// 8-1).
func isReserved(mac packet.MAC) bool { return mac.Uint64()&^0xf == 0x0180c2000000 }

// Place is the port at which a station was seen last; false if it was not.
func (c *Controller) Place(station packet.MAC) (port uint32, ok bool) {
	c.places.mu.Lock()
	defer c.places.mu.Unlock()
	port, ok = c.places.ports[station]
	return port, ok
}

// AwaitPlaces waits until all of some stations have been seen. The error is that of the context.
func (c *Controller) AwaitPlaces(ctx context.Context, stations ...packet.MAC) error {
	for {
		more, all := c.places.seen(stations)
		if all {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// seen reports whether all of some stations have been seen, and returns what is closed when another one is.
func (p *places) seen(stations []packet.MAC) (more <-chan struct{}, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.more, !slices.ContainsFunc(stations, func(s packet.MAC) bool { _, ok := p.ports[s]; return !ok })
}

// InstallPairs writes the entries of all pairs of stations, both ways, and waits until the switch
// confirms them: of those given, or of all that were seen. The error has all that the switch refused,
// or is ErrUnseen.
func (c *Controller) InstallPairs(ctx context.Context, stations ...packet.MAC) error {
	entries, err := c.places.pairs(stations)
	if err != nil {
		return err
	}
	return c.Install(ctx, entries...)
}

// pairs are the entries of all pairs of stations at different ports, in the order of their addresses.
func (p *places) pairs(stations []packet.MAC) (entries []*openflow.FlowMod, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range stations {
		if _, ok := p.ports[s]; !ok {
			return nil, fmt.Errorf("%w: %v", ErrUnseen, s)
		}
	}
	if len(stations) == 0 {
		for s := range p.ports {
			stations = append(stations, s)
		}
		slices.SortFunc(stations, func(a, b packet.MAC) int { return bytes.Compare(a[:], b[:]) })
	}
	for _, src := range stations {
		for _, dst := range stations {
			f := flow{in: p.ports[src], src: src, dst: dst}
			if port := p.ports[dst]; port != f.in {
				entries = append(entries, f.entry(port))
			}
		}
	}
	return entries, nil
}
