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

// neighbour is the entry of ip; a missing one is added, and may evict the oldest.
func (h *Host) neighbour(ip packet.Addr) *neighbour {
	if n := h.neighbours[ip]; n != nil {
		return n
	}
	n := &neighbour{ip: ip}
	put(&h.neighbours, ip, n)
	if len(h.order) < MaxNeighbours {
		h.order = append(h.order, n)
		return n
	}
	old := h.order[h.next]
	h.forget(old)
	delete(h.neighbours, old.ip)
	h.order[h.next] = n
	h.next = (h.next + 1) % len(h.order)
	return n
}

// hold queues a copy of a frame until the neighbour's address is known, and asks for it. When a
// neighbour's queue is full its oldest frame is dropped, as in Linux's queue of unresolved packets;
// when all queues together are full, the frame itself.
func (h *Host) hold(n *neighbour, frame []byte, t *tally, now time.Duration, out Output) {
	if len(n.held) == MaxHeld {
		h.release(n.held[0]).drop(h)
		copy(n.held, n.held[1:])
		n.held = n.held[:MaxHeld-1]
	}
	if w := (held{tally: t}); h.heldBytes+len(frame) > MaxHeldBytes {
		w.drop(h)
	} else {
		w.frame = append([]byte(nil), frame...)
		h.heldBytes += len(frame)
		n.held = append(n.held, w)
	}
	if n.tries == 0 {
		h.solicit(n, now, out)
	}
}

// release subtracts a frame from the bytes that are held.
func (h *Host) release(w held) held {
	h.heldBytes -= len(w.frame)
	return w
}

// drop counts a frame that will not be sent.
func (w held) drop(h *Host) {
	h.counters.Unsent++
	if w.tally != nil {
		w.tally.unsent++
	}
}

// forget makes n unknown and drops the frames held for it.
func (h *Host) forget(n *neighbour) {
	h.timers.stop(&n.timer)
	for _, w := range n.held {
		h.release(w).drop(h)
	}
	n.known, n.tries, n.held = false, 0, nil
}

// solicit asks for n's address, all stations if it is unknown and n itself otherwise, and sets the
// timer to ask again.
func (h *Host) solicit(n *neighbour, now time.Duration, out Output) {
	if _, ok := h.source(n.ip); !ok {
		h.forget(n)
		return
	}
	n.tries++
	h.counters.Requests++
	h.timers.set(&n.timer, n, now+solicitInterval)
	if n.ip.Is4() {
		h.askARP(n, out)
	} else {
		h.askND(n, out)
	}
}

// wake asks again when a request was not answered, or gives up.
func (n *neighbour) wake(h *Host, now time.Duration, out Output) {
	if n.tries < solicitTries {
		h.solicit(n, now, out)
		return
	}
	h.counters.Failed++
	h.forget(n)
}

// confirm records n's address, known from an answer or from its own request, and sends the frames
// held for it.
func (h *Host) confirm(n *neighbour, mac packet.MAC, now time.Duration, out Output) {
	if n.known && n.mac != mac {
		h.counters.Moved++
	}
	if n.tries != 0 {
		h.counters.Resolved++
	}
	h.timers.stop(&n.timer)
	n.mac, n.known, n.tries, n.until = mac, true, 0, now+h.cfg.NeighbourLife
	waiting := n.held
	n.held = nil
	for _, w := range waiting {
		h.release(w)
		copy(w.frame, mac[:])
		h.transmit(w.frame, w.tally, out)
	}
}

// learn updates the cache from a message of a neighbour. asked: the message asks for this host and
// will be answered, so a missing entry is added (RFC 826: merge, then add where the request is for
// us), but none is evicted for it.
func (h *Host) learn(ip packet.Addr, mac packet.MAC, asked bool, now time.Duration, out Output) {
	if mac.IsZero() || mac.IsMulticast() || !unicast(ip) || h.own(ip) {
		return
	}
	n := h.neighbours[ip]
	if n == nil {
		if !asked || len(h.order) == MaxNeighbours {
			return
		}
		n = h.neighbour(ip)
	}
	h.confirm(n, mac, now, out)
}
