package netlab

import (
	"bytes"
	"time"
)

const (
	// arrival is how long every frame has to reach every host, on a machine with much other work.
	arrival = 5 * time.Second
	// quiet is how long more copies are waited for after that; a frame that circles comes again far
	// earlier.
	quiet = 300 * time.Millisecond
)

// Copies sends rounds frames of a kind from one host, and returns for each other host the number of
// copies of each frame it received: without loops and losses, every number is 1. The sender is
// among them only if it got a frame of its own back.
func (n *Network) Copies(from *Host, kind Kind, rounds int) map[string][]int {
	n.lab.t.Helper()
	return n.copiesWithin(arrival, from, kind, rounds)
}

// copiesWithin is Copies where frames have so long to arrive.
func (n *Network) copiesWithin(limit time.Duration, from *Host, kind Kind, rounds int) map[string][]int {
	n.lab.t.Helper()
	e := &broadcastListeners{network: n, copies: map[string][]int{}}
	for _, h := range n.Hosts {
		s, err := h.raw()
		if err != nil {
			n.lab.t.Fatal(err)
		}
		defer s.close()
		e.sockets = append(e.sockets, s)
		e.copies[h.Name] = make([]int, rounds)
	}
	for range rounds {
		n.lab.tags++
		e.frames = append(e.frames, from.frame(kind, n.lab.tags))
	}
	e.send(from)
	for deadline := time.Now().Add(limit); !e.complete(from) && time.Now().Before(deadline); {
		e.listen()
	}
	time.Sleep(quiet)
	e.listen()
	if maxOf(e.copies[from.Name]) == 0 {
		delete(e.copies, from.Name)
	}
	return e.copies
}

// broadcastListeners is every host of a network listening for the same frames.
type broadcastListeners struct {
	network *Network
	sockets []socket // as network.Hosts
	frames  [][]byte
	copies  map[string][]int // host → per frame
}

func (e *broadcastListeners) send(from *Host) {
	e.network.lab.t.Helper()
	for i, h := range e.network.Hosts {
		if h != from {
			continue
		}
		for _, f := range e.frames {
			if err := e.sockets[i].send(f); err != nil {
				e.network.lab.t.Fatal(err)
			}
		}
	}
}

// listen reads what has come to every host. Short frames may have been padded in flight.
func (e *broadcastListeners) listen() {
	e.network.lab.t.Helper()
	for i, h := range e.network.Hosts {
		err := e.sockets[i].receive(5*time.Millisecond, func(got []byte) {
			for k, f := range e.frames {
				if bytes.HasPrefix(got, f) {
					e.copies[h.Name][k]++
				}
			}
		})
		if err != nil {
			e.network.lab.t.Fatal(err)
		}
	}
}

func (e *broadcastListeners) complete(from *Host) bool {
	for name, counts := range e.copies {
		for _, c := range counts {
			if c == 0 && name != from.Name {
				return false
			}
		}
	}
	return true
}

func maxOf(counts []int) (m int) {
	for _, c := range counts {
		m = max(m, c)
	}
	return m
}
