package station

import (
	"slices"

	"github.com/weirnet/weir/packet"
)

// maxTrains is how many packets may wait for fragments; the oldest is forgotten for one more.
const maxTrains = 16

// longest is the longest payload of IP, in bytes.
const longest = 65535

// trains are packets of which some fragments are there, from the oldest on.
type trains []*train

// train is a packet in fragments.
type train struct {
	src, dst packet.Addr
	proto    uint8
	id       uint32
	payload  []byte // as far as the furthest part goes
	end      int    // of the packet, once its last part was there
	have     []span // sorted, without overlaps
}

type span struct{ from, to int }

// add adds a part; the whole payload is returned when it was the last one that was missing. Parts
// that overlap have the packet forgotten (RFC 5722, section 4).
func (t *trains) add(p *packet.Part) (payload []byte, ok bool) {
	i := slices.IndexFunc(*t, func(x *train) bool {
		return x.id == p.ID && x.src == p.Src && x.dst == p.Dst && x.proto == p.Proto
	})
	if i < 0 {
		if len(*t) == maxTrains {
			*t = slices.Delete(*t, 0, 1)
		}
		i = len(*t)
		*t = append(*t, &train{src: p.Src, dst: p.Dst, proto: p.Proto, id: p.ID})
	}
	x := (*t)[i]
	if !x.add(p) {
		*t = slices.Delete(*t, i, i+1)
		return nil, false
	}
	if x.end == 0 || len(x.have) != 1 || x.have[0] != (span{0, x.end}) {
		return nil, false
	}
	*t = slices.Delete(*t, i, i+1)
	return x.payload[:x.end], true
}

// add reports false for a part that overlaps, or is beyond the longest packet.
func (x *train) add(p *packet.Part) bool {
	s := span{p.Offset, p.Offset + p.Len}
	if s.to > longest || p.Len == 0 || slices.ContainsFunc(x.have, func(h span) bool { return s.from < h.to && h.from < s.to }) {
		return false
	}
	if !p.More {
		x.end = s.to
	}
	if len(x.payload) < s.to {
		x.payload = append(x.payload, make([]byte, s.to-len(x.payload))...)
	}
	copy(x.payload[s.from:], p.Payload)
	at, _ := slices.BinarySearchFunc(x.have, s, func(a, b span) int { return a.from - b.from })
	x.have = slices.Insert(x.have, at, s)
	for i := max(at-1, 0); i+1 < len(x.have) && i <= at; { // joins neighbours
		if x.have[i].to != x.have[i+1].from {
			i++
			continue
		}
		x.have[i].to = x.have[i+1].to
		x.have = slices.Delete(x.have, i+1, i+2)
	}
	return true
}
