package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// Requests for a neighbour's address, with Linux's defaults (mcast_solicit, ucast_solicit and
// retrans_time_ms of neigh/default).
const (
	solicitTries    = 3
	solicitInterval = time.Second
)

// neighbour is an entry of the cache: unknown, being resolved, known, or known and being confirmed.
type neighbour struct {
	timer
	of    *neighbours
	ip    packet.Addr
	mac   packet.MAC
	known bool          // mac may be used
	until time.Duration // the next use after it asks again
	tries uint8         // requests sent since the last answer
	held  []held
}

// held is a frame that is queued until an address is known.
type held struct {
	frame []byte
	tally *tally
}

// neighbours is the cache of ARP and neighbour discovery, and what asks for addresses and answers for the host's
// own. What goes to an address goes by it (deliver). Of the frames that wait for addresses, heldBytes are held, at
// most MaxHeldBytes.
type neighbours struct {
	link      *link
	table     map[packet.Addr]*neighbour
	order     []*neighbour // in order of arrival
	next      int          // index in order of the next to be evicted
	heldBytes int
}

// deliver sends a frame to the IP address dst, or queues it until the neighbour's address is known.
// It fills in the Ethernet destination.
func (c *neighbours) deliver(dst packet.Addr, frame []byte, t *tally, now time.Duration, out Output) {
	if mac, ok := c.link.groupMAC(dst); ok {
		copy(frame, mac[:])
		c.link.transmit(frame, t, out)
		return
	}
	n := c.of(dst)
	if !n.known {
		c.hold(n, frame, t, now, out)
		return
	}
	copy(frame, n.mac[:])
	c.link.transmit(frame, t, out)
	if now >= n.until && n.tries == 0 {
		c.solicit(n, now, out) // the entry is used while it is being confirmed
	}
}

// of is the entry of ip; a missing one is added, and may evict the oldest.
func (c *neighbours) of(ip packet.Addr) *neighbour {
	if n := c.table[ip]; n != nil {
		return n
	}
	n := &neighbour{of: c, ip: ip}
	put(&c.table, ip, n)
	if len(c.order) < MaxNeighbours {
		c.order = append(c.order, n)
		return n
	}
	old := c.order[c.next]
	c.forget(old)
	delete(c.table, old.ip)
	c.order[c.next] = n
	c.next = (c.next + 1) % len(c.order)
	return n
}

// hold queues a copy of a frame until the neighbour's address is known, and asks for it. When a
// neighbour's queue is full its oldest frame is dropped, as in Linux's queue of unresolved packets;
// when all queues together are full, the frame itself.
func (c *neighbours) hold(n *neighbour, frame []byte, t *tally, now time.Duration, out Output) {
	if len(n.held) == MaxHeld {
		c.release(n.held[0]).drop(c.link)
		copy(n.held, n.held[1:])
		n.held = n.held[:MaxHeld-1]
	}
	if w := (held{tally: t}); c.heldBytes+len(frame) > MaxHeldBytes {
		w.drop(c.link)
	} else {
		w.frame = append([]byte(nil), frame...)
		c.heldBytes += len(frame)
		n.held = append(n.held, w)
	}
	if n.tries == 0 {
		c.solicit(n, now, out)
	}
}

// release subtracts a frame from the bytes that are held.
func (c *neighbours) release(w held) held {
	c.heldBytes -= len(w.frame)
	return w
}

// drop counts a frame that will not be sent.
func (w held) drop(l *link) {
	l.counters.Unsent++
	if w.tally != nil {
		w.tally.unsent++
	}
}

// forget makes n unknown and drops the frames held for it.
func (c *neighbours) forget(n *neighbour) {
	c.link.timers.stop(&n.timer)
	for _, w := range n.held {
		c.release(w).drop(c.link)
	}
	n.known, n.tries, n.held = false, 0, nil
}

// solicit asks for n's address, all stations if it is unknown and n itself otherwise, and sets the
// timer to ask again.
func (c *neighbours) solicit(n *neighbour, now time.Duration, out Output) {
	if _, ok := c.link.source(n.ip); !ok {
		c.forget(n)
		return
	}
	n.tries++
	c.link.counters.Requests++
	c.link.timers.set(&n.timer, n, now+solicitInterval)
	if n.ip.Is4() {
		c.askARP(n, out)
	} else {
		c.askND(n, out)
	}
}

// wake asks again when a request was not answered, or gives up.
func (n *neighbour) wake(now time.Duration, out Output) {
	if n.tries < solicitTries {
		n.of.solicit(n, now, out)
		return
	}
	n.of.link.counters.Failed++
	n.of.forget(n)
}

// confirm records n's address, known from an answer or from its own request, and sends the frames
// held for it.
func (c *neighbours) confirm(n *neighbour, mac packet.MAC, now time.Duration, out Output) {
	if n.known && n.mac != mac {
		c.link.counters.Moved++
	}
	if n.tries != 0 {
		c.link.counters.Resolved++
	}
	c.link.timers.stop(&n.timer)
	n.mac, n.known, n.tries, n.until = mac, true, 0, now+c.link.cfg.NeighbourLife
	waiting := n.held
	n.held = nil
	for _, w := range waiting {
		c.release(w)
		copy(w.frame, mac[:])
		c.link.transmit(w.frame, w.tally, out)
	}
}

// learn updates the cache from a message of a neighbour. asked: the message asks for this host and
// will be answered, so a missing entry is added (RFC 826: merge, then add where the request is for
// us), but none is evicted for it.
func (c *neighbours) learn(ip packet.Addr, mac packet.MAC, asked bool, now time.Duration, out Output) {
	if mac.IsZero() || mac.IsMulticast() || !unicast(ip) || c.link.own(ip) {
		return
	}
	n := c.table[ip]
	if n == nil {
		if !asked || len(c.order) == MaxNeighbours {
			return
		}
		n = c.of(ip)
	}
	c.confirm(n, mac, now, out)
}
