package journal

// location is where the newest record of a number is, 16 bytes. The zero location: nowhere.
type location struct {
	slot  uint32 // of its block, plus one
	at    uint32 // of its first byte in the block
	size  uint32 // bytes
	older uint32 // number of older records in the log, shifted left by one; odd: the newest is a withdrawal
}

func (p *location) withdrawn() bool { return p.older&1 != 0 }

const (
	pageBits = 10
	pageLen  = 1 << pageBits
)

type page struct {
	used   int
	places [pageLen]location
}

// table maps numbers to locations. Numbers close to each other share a page; empty pages are
// released.
type table struct {
	pages map[uint32]*page
	live  int // numbers whose newest record is not a withdrawal
}

func newTable() table { return table{pages: make(map[uint32]*page)} }

// get returns the location of a number; nil if it has none.
func (t *table) get(number uint32) *location {
	p := t.pages[number>>pageBits]
	if p == nil {
		return nil
	}
	if e := &p.places[number%pageLen]; e.slot != 0 {
		return e
	}
	return nil
}

// set returns the location of a number, for the caller to write. A new one must be given a slot.
func (t *table) set(number uint32) *location {
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

// drop removes a number, which must have a location.
func (t *table) drop(number uint32) {
	p := t.pages[number>>pageBits]
	p.places[number%pageLen] = location{}
	if p.used--; p.used == 0 {
		delete(t.pages, number>>pageBits)
	}
}
