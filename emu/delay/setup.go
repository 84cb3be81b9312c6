package delay

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// setup is a packet that waits for the controllers' answer.
type setup struct {
	buffer uint32 // openflow.NoBuffer: it is known by its bytes
	sum    uint64 // of its bytes; 0: answered
	flow   uint64 // of its addresses
	arrival
	due  time.Duration // when it goes on, if the controller takes no longer than the profile knows of
	sent time.Duration // to the controllers; 0: not yet
}

// setups are the newest ones.
type setups struct {
	list [256]setup
	next int
}

// flowTime is how long a packet that no controller answers counts as one in flight.
const flowTime = time.Second

// inFlight reports whether a packet has not gone on yet.
func (x *setup) inFlight(now time.Duration) bool {
	return x.due > now || x.sum != 0 && now-x.at < flowTime
}

// begin records a packet. If its flow has one in flight, or it is a fragment of the same packet, both
// use the same random factor and keep their order.
func (s *setups) begin(x setup, due func(chance float64) time.Duration) *setup {
	earliest := time.Duration(0)
	for i := range s.list {
		if old := &s.list[i]; old.flow == x.flow && old.due != 0 && (old.at == x.at || old.inFlight(x.at)) {
			earliest = max(earliest, old.due)
			x.chance = old.chance
		}
	}
	x.due = max(due(x.chance), earliest)
	to := &s.list[s.next]
	*to = x
	s.next = (s.next + 1) % len(s.list)
	return to
}

// answer finds what a packet-out or a flow-mod answers, the newest one; nil if that is not known. A
// packet is answered once.
func (s *setups) answer(buffer uint32, frame []byte) *setup {
	sum := uint64(0)
	if buffer == openflow.NoBuffer {
		sum = sumOf(frame)
	}
	for i := range s.list {
		x := &s.list[(s.next-1-i+2*len(s.list))%len(s.list)]
		if x.sum == 0 || x.sent == 0 {
			continue
		}
		if x.buffer == buffer && (buffer != openflow.NoBuffer || x.sum == sum) {
			x.sum = 0
			return x
		}
	}
	return nil
}

// sumOf is a hash of a frame (FNV-1a, 64 bits) by its length and as much of it as tells one packet
// from another; never 0.
func sumOf(frame []byte) uint64 {
	const most = 160
	return fnv(uint64(len(frame)), frame[:min(len(frame), most)]) | 1
}

// flowOf is a hash of a frame's addresses.
func flowOf(frame []byte) uint64 { return fnv(0, frame[:min(len(frame), 12)]) }

func fnv(seed uint64, b []byte) uint64 {
	h := 14695981039346656037 ^ seed
	for _, x := range b {
		h = (h ^ uint64(x)) * 1099511628211
	}
	return h
}
