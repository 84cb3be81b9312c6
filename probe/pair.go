package probe

import (
	"cmp"
	"slices"
	"time"
)

// Trip is one packet from one interface to the other.
type Trip struct {
	Packet     Packet
	Left, Came Passage
}

// Took is from the first fragment that left to the last one that came, where both ends have one
// clock.
func (t *Trip) Took() time.Duration { return t.Came.Last.Sub(t.Left.First) }

// Way is what came of all packets that left one interface for the other.
type Way struct {
	Trips []Trip // in the order in which the packets left
	// Lost left and did not come. Doubled came once more than it left. Stray came and was not seen
	// leaving. Reordered came after one that left later. Cut came in other fragments than it left.
	Lost, Doubled, Stray, Reordered, Cut int
}

// Sent is how many packets left.
func (w *Way) Sent() int { return len(w.Trips) + w.Lost }

// Pair finds the packets that left one interface among those that came to the other one. Of what
// the interfaces saw it takes the passages that were out at the one and in at the other. A packet
// that left several times, and its copies, are paired in their order.
func Pair(from, to []Passage) Way {
	var w Way
	came := map[Packet][]Passage{}
	for _, p := range to {
		if !p.Out {
			came[p.Packet] = append(came[p.Packet], p)
		}
	}
	left := map[Packet]int{}
	for _, p := range from {
		if !p.Out {
			continue
		}
		left[p.Packet]++
		list := came[p.Packet]
		if len(list) == 0 {
			w.Lost++
			continue
		}
		w.Trips = append(w.Trips, Trip{Packet: p.Packet, Left: p, Came: list[0]})
		came[p.Packet] = list[1:]
		if list[0].Fragments != p.Fragments {
			w.Cut++
		}
	}
	for p, rest := range came {
		if left[p] == 0 {
			w.Stray += len(rest)
		} else {
			w.Doubled += len(rest)
		}
	}
	slices.SortStableFunc(w.Trips, func(a, b Trip) int { return cmp.Compare(a.Left.First, b.Left.First) })
	w.Reordered = reordered(w.Trips)
	return w
}

// reordered counts the packets that came after one that had left later (RFC 4737, section 3.3). The
// trips are in the order in which they left.
func reordered(trips []Trip) (n int) {
	order := make([]int, len(trips))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(trips[a].Came.Last, trips[b].Came.Last) })
	latest := -1
	for _, i := range order {
		if i < latest {
			n++
		}
		latest = max(latest, i)
	}
	return n
}

// Echo is a request and its answer, as both interfaces saw them.
type Echo struct{ Request, Reply Trip }

// Seq is the request's sequence number.
func (e *Echo) Seq() int { return int(e.Request.Packet.Seq) }

// Ping is Δ1, the round trip as the asker has it: with the time that the other station took.
func (e *Echo) Ping() time.Duration { return e.Reply.Came.Last.Sub(e.Request.Left.First) }

// Turnaround is Δ2, the time that the other station took.
func (e *Echo) Turnaround() time.Duration { return e.Reply.Left.First.Sub(e.Request.Came.Last) }

// Path is Δ1 − Δ2, what both ways took together. No clocks need to agree.
func (e *Echo) Path() time.Duration { return e.Ping() - e.Turnaround() }

// Echoes pairs the requests of one way with the answers of the other. Those that were not answered,
// or whose answer was not seen at both ends, are left out; the ways have counted them.
func Echoes(there, back Way) (list []Echo) {
	answers := map[Packet][]Trip{}
	for _, t := range back.Trips {
		answers[t.Packet] = append(answers[t.Packet], t)
	}
	for _, t := range there.Trips {
		if t.Packet.Kind != EchoRequest && t.Packet.Kind != UDP {
			continue
		}
		key := t.Packet.Answer()
		if replies := answers[key]; len(replies) > 0 {
			list, answers[key] = append(list, Echo{Request: t, Reply: replies[0]}), replies[1:]
		}
	}
	return list
}

// Handshakes are the times from a SYN-ACK to its ACK, as the callee's interface saw them: what both
// ways took, with the caller's share.
func Handshakes(callee []Passage) (list []time.Duration) {
	asked := map[Packet]Passage{}
	for _, p := range callee {
		switch {
		case p.Out && p.Kind == TCPSynAck:
			asked[p.acknowledgment()] = p
		case !p.Out && p.Kind == TCPAck:
			if s, ok := asked[p.Packet]; ok {
				list = append(list, p.Last.Sub(s.First))
				delete(asked, p.Packet)
			}
		}
	}
	return list
}

// acknowledgment is the ACK that ends the handshake of a SYN-ACK (RFC 9293, section 3.5).
func (p *Packet) acknowledgment() Packet {
	return Packet{Src: p.Dst, Dst: p.Src, Kind: TCPAck, Proto: p.Proto, SrcPort: p.DstPort, DstPort: p.SrcPort,
		Seq: p.Ack, Ack: p.Seq + 1}
}

// Setups are how much longer the first echo of each flow took than the median of its later ones:
// what it took to set the flow up, both ways. A flow of one echo has none.
func Setups(list []Echo) (setups []time.Duration) {
	flows := map[Packet][]Echo{} // by a request without its number
	var order []Packet
	for _, e := range list {
		key := e.Request.Packet
		key.Seq = 0
		if flows[key] == nil {
			order = append(order, key)
		}
		flows[key] = append(flows[key], e)
	}
	for _, key := range order {
		if of := flows[key]; len(of) > 1 {
			setups = append(setups, of[0].Path()-Median(Paths(of[1:])))
		}
	}
	return setups
}

// Paths are the two-way path latencies of echoes.
func Paths(list []Echo) (out []time.Duration) {
	for i := range list {
		out = append(out, list[i].Path())
	}
	return out
}

// Median is that of times, of two in the middle the mean; 0 of none.
func Median(list []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(list))
	if len(s) == 0 {
		return 0
	}
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// Quantile is the time that a share of the list is not above; 0 of none.
func Quantile(list []time.Duration, share float64) time.Duration {
	s := slices.Sorted(slices.Values(list))
	if len(s) == 0 {
		return 0
	}
	return s[min(int(share*float64(len(s))), len(s)-1)]
}
