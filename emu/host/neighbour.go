package host

import (
	"time"

	"github.com/weirnet/weir/packet"
)

// How neighbours are asked for, as Linux does by default (mcast_solicit, ucast_solicit and
// retrans_time_ms of neigh/default): as often, and this long apart.
const (
	solicitTries    = 3
	solicitInterval = time.Second
)

// neighbour is an entry of the cache. It is unknown, asked for, known, or known and asked again.
type neighbour struct {
	timer
	ip    packet.Addr
	mac   packet.MAC
	known bool          // mac may be used
	until time.Duration // from when on its next use asks again
	tries uint8         // requests sent that wait for an answer
	held  []held
}

// held is a frame that waits for an address.
type held struct {
	frame []byte
	tally *tally
}

// neighbour is the entry of ip, which is made if there is none.
func (h *Host) neighbour(ip packet.Addr) *neighbour {
	if n := h.neighbours[ip]; n != nil {
		return n
	}
	n := &neighbour{ip: ip}
	if h.neighbours == nil {
		h.neighbours = make(map[packet.Addr]*neighbour)
	}
	h.neighbours[ip] = n
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

// hold keeps a copy of a frame until the neighbour's address is known, and asks for it. When too
// many wait for one the oldest goes, as in Linux's queue of unresolved packets; when too many wait
// for all, the frame itself.
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

// release takes a frame out of the sum of all that wait.
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

// forget makes n unknown and drops what waits for it.
func (h *Host) forget(n *neighbour) {
	h.timers.stop(&n.timer)
	for _, w := range n.held {
		h.release(w).drop(h)
	}
	n.known, n.tries, n.held = false, 0, nil
}

// solicit asks for n's address and sets the timer to ask again: all stations if it is unknown,
// itself otherwise.
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

// wake is called when a request was not answered.
func (n *neighbour) wake(h *Host, now time.Duration, out Output) {
	if n.tries < solicitTries {
		h.solicit(n, now, out)
		return
	}
	h.counters.Failed++
	h.forget(n)
}

// confirm takes in that n is at mac, by an answer or by its own request, and sends what waited for
// that.
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

// heard takes in the address that a neighbour says to have. wanted: it asks for this host, and will
// be answered, so that it becomes an entry if it is none (RFC 826: merge, then add where the
// request is for us); but no other makes room for it.
func (h *Host) heard(ip packet.Addr, mac packet.MAC, wanted bool, now time.Duration, out Output) {
	if mac.IsZero() || mac.IsMulticast() || !unicast(ip) || h.own(ip) {
		return
	}
	n := h.neighbours[ip]
	if n == nil {
		if !wanted || len(h.order) == MaxNeighbours {
			return
		}
		n = h.neighbour(ip)
	}
	h.confirm(n, mac, now, out)
}
