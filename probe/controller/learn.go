package controller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// ErrUnseen: nothing has come from a station, so its port is not known.
var ErrUnseen = errors.New("the station has not been seen")

// maxPlaces bounds the stations whose port is remembered.
const maxPlaces = 1 << 16

// Learn is React by the ports at which stations were seen, of any number of ports: what is for
// everybody, or for a station that has not been heard of, is flooded and sets nothing up. Forget does
// not forget where stations are.
func (c *Controller) Learn(by Exact) { c.React(Forwarding{Out: c.learned, By: by}) }

// learned is Forwarding.Out. A packet says where its sender is.
func (c *Controller) learned(in uint32, k *packet.Key) (port uint32, ok bool) {
	if k.EthSrc.IsMulticast() || k.EthSrc.IsZero() || isReserved(k.EthDst) {
		return 0, false
	}
	if _, known := c.places[k.EthSrc]; known {
		c.places[k.EthSrc] = in
	} else if len(c.places) < maxPlaces {
		c.places[k.EthSrc] = in
		close(c.placed)
		c.placed = make(chan struct{})
	}
	if k.EthDst.IsMulticast() {
		return openflow.PortAll, true
	}
	if port, ok = c.places[k.EthDst]; !ok {
		return openflow.PortAll, true
	}
	return port, port != in
}

// isReserved reports whether a bridge does not forward what is sent to an address (IEEE 802.1Q, table
// 8-1).
func isReserved(mac packet.MAC) bool { return mac.Uint64()&^0xf == 0x0180c2000000 }

// Place is the port at which a station was seen last; false if it was not.
func (c *Controller) Place(station packet.MAC) (port uint32, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	port, ok = c.places[station]
	return port, ok
}

// AwaitPlaces waits until all of some stations have been seen. The error is that of the context.
func (c *Controller) AwaitPlaces(ctx context.Context, stations ...packet.MAC) error {
	for {
		c.mu.Lock()
		unseen := slices.ContainsFunc(stations, func(s packet.MAC) bool { _, ok := c.places[s]; return !ok })
		placed := c.placed
		c.mu.Unlock()
		if !unseen {
			return nil
		}
		select {
		case <-placed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// InstallPairs writes the entries of all pairs of stations, both ways, and waits until the switch
// confirms them: of those given, or of all that were seen. The error has all that the switch refused,
// or is ErrUnseen.
func (c *Controller) InstallPairs(ctx context.Context, stations ...packet.MAC) error {
	entries, err := c.pairs(stations)
	if err != nil {
		return err
	}
	return c.Install(ctx, entries...)
}

// pairs are the entries of all pairs of stations at different ports, in the order of their addresses.
func (c *Controller) pairs(stations []packet.MAC) (entries []*openflow.FlowMod, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range stations {
		if _, ok := c.places[s]; !ok {
			return nil, fmt.Errorf("%w: %v", ErrUnseen, s)
		}
	}
	if len(stations) == 0 {
		for s := range c.places {
			stations = append(stations, s)
		}
		slices.SortFunc(stations, func(a, b packet.MAC) int { return bytes.Compare(a[:], b[:]) })
	}
	for _, src := range stations {
		for _, dst := range stations {
			f := flow{in: c.places[src], src: src, dst: dst}
			if port := c.places[dst]; port != f.in {
				entries = append(entries, f.entry(port))
			}
		}
	}
	return entries, nil
}
