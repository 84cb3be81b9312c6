package intent

// index finds numbers by hash: an open-addressed table that keeps 32 bits of each hash beside the number. It is in parts,
// each of which grows by itself, so that growing never stops anybody for long. A hash may have several numbers, and the caller
// compares: what is found may only look the same. The zero index is empty.
//
// Memory: 8 bytes a slot, of which between three and six eighths are used.
type index struct {
	parts [indexParts]indexPart
	len   int
}

const (
	indexParts = 64
	partLeast  = 8 // slots, a power of two
)

type indexPart struct {
	slots []slot
	used  int
}

// slot is empty if number is 0.
type slot struct{ tag, number uint32 }

func (x *index) part(h uint64) (p *indexPart, tag uint32) { return &x.parts[h>>58], uint32(h) }

// find yields the numbers that may be of the hash, until it is told to stop.
func (x *index) find(h uint64, yield func(number uint32) bool) {
	p, tag := x.part(h)
	if p.used == 0 {
		return
	}
	mask := uint32(len(p.slots) - 1)
	for i := tag & mask; p.slots[i].number != 0; i = (i + 1) & mask {
		if p.slots[i].tag == tag && !yield(p.slots[i].number) {
			return
		}
	}
}

// add adds a number. It does not look whether it is there.
func (x *index) add(h uint64, number uint32) {
	p, tag := x.part(h)
	if 4*(p.used+1) > 3*len(p.slots) {
		p.grow()
	}
	p.put(slot{tag, number})
	p.used++
	x.len++
}

func (p *indexPart) put(s slot) {
	mask := uint32(len(p.slots) - 1)
	i := s.tag & mask
	for p.slots[i].number != 0 {
		i = (i + 1) & mask
	}
	p.slots[i] = s
}

func (p *indexPart) grow() {
	old := p.slots
	p.slots = make([]slot, max(partLeast, 2*len(old)))
	for _, s := range old {
		if s.number != 0 {
			p.put(s)
		}
	}
}

// remove removes a number once, and tells whether it was there.
func (x *index) remove(h uint64, number uint32) bool {
	p, tag := x.part(h)
	if p.used == 0 {
		return false
	}
	mask := uint32(len(p.slots) - 1)
	i := tag & mask
	for p.slots[i] != (slot{tag, number}) {
		if p.slots[i].number == 0 {
			return false
		}
		i = (i + 1) & mask
	}
	// What comes after moves back, as far as its own place allows.
	for j := (i + 1) & mask; p.slots[j].number != 0; j = (j + 1) & mask {
		if home := p.slots[j].tag & mask; (j-home)&mask >= (j-i)&mask {
			p.slots[i] = p.slots[j]
			i = j
		}
	}
	p.slots[i] = slot{}
	p.used--
	x.len--
	return true
}
