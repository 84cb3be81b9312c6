package flowtable

import "github.com/weirnet/weir/openflow"

// buffers are packets kept for the controllers, in a ring: a new one takes the place of the oldest.
// A buffer's id is its slot in the low 16 bits and how often the ring has wrapped in those
// above, so that an id that was overtaken is known as unknown.
type buffers struct {
	slots []buffer
	next  int
	round uint32
}

type buffer struct {
	id     uint32
	used   bool // taken by a controller
	inPort uint32
	frame  []byte
}

const (
	maxBuffers  = 1 << 16
	firstRound  = 1
	roundsShift = 16
)

func newBuffers(n int) buffers {
	return buffers{slots: make([]buffer, min(max(n, 0), maxBuffers)), round: firstRound}
}

// keep copies a frame and returns the id of its buffer; openflow.NoBuffer if there are none.
func (b *buffers) keep(frame []byte, inPort uint32) uint32 {
	if len(b.slots) == 0 {
		return openflow.NoBuffer
	}
	s := &b.slots[b.next]
	*s = buffer{id: b.round<<roundsShift | uint32(b.next), inPort: inPort, frame: append(s.frame[:0], frame...)}
	if b.next++; b.next == len(b.slots) {
		b.next = 0
		if b.round = (b.round + 1) & 0x7fff; b.round == 0 {
			b.round = firstRound
		}
	}
	return s.id
}

// find is the unused buffer with an id.
func (b *buffers) find(id uint32) (*buffer, error) {
	x := b.at(id)
	switch {
	case x == nil:
		return nil, refuse(openflow.BadRequestBufferUnknown, "buffer 0x%x, which there is not", id)
	case x.used:
		return nil, refuse(openflow.BadRequestBufferEmpty, "buffer 0x%x, which was used already", id)
	}
	return x, nil
}

// at is the buffer with an id, used or not; nil if there is none.
func (b *buffers) at(id uint32) *buffer {
	at := int(id & (maxBuffers - 1))
	if at >= len(b.slots) || b.slots[at].id != id || id>>roundsShift < firstRound { // a slot that was never used has id 0
		return nil
	}
	return &b.slots[at]
}

// forget marks a buffer as used: a packet is given back once.
func (b *buffers) forget(id uint32) {
	if x := b.at(id); x != nil {
		x.used = true
	}
}

// kept copies a buffered packet into the scratch memory: it may come to the controllers again,
// which may take its very slot.
func (s *Switch) kept(b *buffer) []byte {
	return s.copies.put(0, b.frame)
}

// releaseBuffer sends a buffered packet through the tables, after a flow-mod.
func (s *Switch) releaseBuffer(id uint32) error {
	b, err := s.buffers.find(id)
	if err != nil {
		return err
	}
	b.used = true
	s.pass.begin(s, s.kept(b), b.inPort)
	s.pass.pipeline(0)
	return nil
}
