package liveness

import (
	"encoding/binary"
	"fmt"
	"time"
)

// ID is the number of an instance in its cluster, which it keeps over restarts. 0 is none.
type ID uint64

// Life is one start of an instance.
type Life struct {
	ID          ID
	Incarnation uint64 // random, never 0
}

// MaxMembers is how many lives a heartbeat lists at most.
const MaxMembers = 64

// Limits of what a heartbeat may say, in time.
const (
	maxPeriod = 10 * time.Second
	maxDelay  = time.Hour
)

// Heartbeat is what an instance tells all others, again and again.
type Heartbeat struct {
	From   Life
	Number uint64        // rises by one with each; begins with 1
	Period time.Duration // the next one comes within it; whole microseconds
	Delay  time.Duration // by how much the sender's ticks came late, lately; whole microseconds
	Hears  []Life        // whom the sender hears, at most MaxMembers, by ascending ID
}

// Fields of a heartbeat's bytes, big endian: ID, incarnation, number (8 each), period and delay in microseconds (4 each),
// the number of lives (2), and each life (16).
const (
	headLength = 8 + 8 + 8 + 4 + 4 + 2
	lifeLength = 16
	// MaxLength is the length of the longest heartbeat.
	MaxLength = headLength + MaxMembers*lifeLength
)

// Append appends the bytes of a heartbeat.
func (h *Heartbeat) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(h.From.ID))
	b = binary.BigEndian.AppendUint64(b, h.From.Incarnation)
	b = binary.BigEndian.AppendUint64(b, h.Number)
	b = binary.BigEndian.AppendUint32(b, uint32(h.Period/time.Microsecond))
	b = binary.BigEndian.AppendUint32(b, uint32(min(h.Delay, maxDelay)/time.Microsecond))
	b = binary.BigEndian.AppendUint16(b, uint16(len(h.Hears)))
	for _, l := range h.Hears {
		b = binary.BigEndian.AppendUint64(b, uint64(l.ID))
		b = binary.BigEndian.AppendUint64(b, l.Incarnation)
	}
	return b
}

// Parse reads the bytes of a heartbeat into h, whose list it uses again. The error says what is wrong; h is then not to
// be used.
func (h *Heartbeat) Parse(b []byte) error {
	if len(b) < headLength {
		return fmt.Errorf("heartbeat of %d bytes, want %d or more", len(b), headLength)
	}
	h.From = life(b)
	h.Number = binary.BigEndian.Uint64(b[16:])
	h.Period = time.Duration(binary.BigEndian.Uint32(b[24:])) * time.Microsecond
	h.Delay = time.Duration(binary.BigEndian.Uint32(b[28:])) * time.Microsecond
	n := int(binary.BigEndian.Uint16(b[32:]))
	switch {
	case n > MaxMembers:
		return fmt.Errorf("heartbeat that lists %d instances, want at most %d", n, MaxMembers)
	case len(b) != headLength+n*lifeLength:
		return fmt.Errorf("heartbeat of %d bytes with %d instances, want %d", len(b), n, headLength+n*lifeLength)
	case h.From.ID == 0 || h.From.Incarnation == 0 || h.Number == 0:
		return fmt.Errorf("heartbeat of instance %x, incarnation %x, number %d, want none of them 0",
			uint64(h.From.ID), h.From.Incarnation, h.Number)
	case h.Period <= 0 || h.Period > maxPeriod || h.Delay > maxDelay:
		return fmt.Errorf("heartbeat with a period of %v and a delay of %v, want at most %v and %v",
			h.Period, h.Delay, maxPeriod, maxDelay)
	}
	h.Hears = h.Hears[:0]
	for b = b[headLength:]; len(b) > 0; b = b[lifeLength:] {
		l := life(b)
		if l.ID == 0 || l.Incarnation == 0 || len(h.Hears) > 0 && l.ID <= h.Hears[len(h.Hears)-1].ID {
			return fmt.Errorf("heartbeat lists instance %x, incarnation %x, want rising numbers", uint64(l.ID), l.Incarnation)
		}
		h.Hears = append(h.Hears, l)
	}
	return nil
}

func life(b []byte) Life { return Life{ID(binary.BigEndian.Uint64(b)), binary.BigEndian.Uint64(b[8:])} }
