package journal

// place is where the newest record of a number is, 16 bytes. The zero place: nowhere.
type place struct {
	slot   uint32 // of its block, plus one
	at     uint32 // of its first byte in the block
	size   uint32 // bytes
	ghosts uint32 // older records of the number that the log still holds, shifted left by one; odd: the newest is a withdrawal
}

func (p *place) gone() bool { return p.ghosts&1 != 0 }

const (
	pageBits = 10
	pageLen  = 1 << pageBits
)

type page struct {
	used   int
	places [pageLen]place
}

// table is the places of all numbers. Numbers that are near each other share a page; a page without places is given back.
type table struct {
	pages map[uint32]*page
	live  int // numbers whose newest record is none of withdrawal
}

func newTable() table { return table{pages: make(map[uint32]*page)} }

// get is the place of a number; nil if it has none.
func (t *table) get(number uint32) *place {
	p := t.pages[number>>pageBits]
	if p == nil {
		return nil
	}
	if e := &p.places[number%pageLen]; e.slot != 0 {
		return e
	}
	return nil
}

// set is the place of a number, to be written: with a slot, if it is new.
func (t *table) set(number uint32) *place {
	p := t.pages[number>>pageBits]
	if p == nil {
		p = new(page)
		t.pages[number>>pageBits] = p
	}
	e := &p.places[number%pageLen]
	if e.slot == 0 {
		p.used++
	}
	return e
}

// drop forgets a number that has a place.
func (t *table) drop(number uint32) {
	p := t.pages[number>>pageBits]
	p.places[number%pageLen] = place{}
	if p.used--; p.used == 0 {
		delete(t.pages, number>>pageBits)
	}
}
