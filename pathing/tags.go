package pathing

import (
	"iter"
	"slices"

	"github.com/weirnet/weir/numbered"
)

// TagMax is the largest tag: an id of a VLAN.
const TagMax = 4094

// Tags are the ids by which packets are known on links: which are taken, by port in, which is a link and a
// direction, so that two that share no link may have one id. A decision holds its ids as long as switches may
// have rules of it. Some ids are nobody's to have (Deny). It has one owner at a time.
type Tags struct {
	ports  numbered.Table[portTags]
	taken  [TagMax + 1]uint32 // by id: ports at which it is
	denied [TagMax + 1]bool
	news   []uint16 // ids that are tags now and were none, or the other way round, since TakeNews
}

// portTags are the ids at one port, by id; the list is as long as its largest.
type portTags struct {
	held []tagHolder
	free uint16 // none below it is free
}

// tagHolder is who has an id: count is how many of its decisions do, 0: nobody.
type tagHolder struct{ number, count uint32 }

// NewTags returns one in which nothing is taken.
func NewTags() *Tags { return new(Tags) }

// Free returns the lowest id at a port that is free; false: there is none.
func (t *Tags) Free(port uint32) (id uint16, ok bool) {
	p := t.ports.At(port)
	for id = max(p.free, 1); id <= TagMax; id++ {
		if p.at(id).count == 0 && !t.denied[id] {
			return id, true
		}
	}
	return 0, false
}

func (p *portTags) at(id uint16) (h tagHolder) {
	if int(id) < len(p.held) {
		h = p.held[id]
	}
	return h
}

// Hold notes that a decision of an owner has an id at a port; false: another owner has it.
func (t *Tags) Hold(port uint32, id uint16, number uint32) bool {
	p := t.ports.At(port)
	h := p.at(id)
	if h.count > 0 && h.number != number {
		return false
	}
	for len(p.held) <= int(id) {
		p.held = append(p.held, tagHolder{})
	}
	p.held[id] = tagHolder{number, h.count + 1}
	if h.count == 0 {
		t.count(id, 1)
	}
	for p.free < uint16(len(p.held)) && (p.free == 0 || p.held[p.free].count > 0) {
		p.free++
	}
	return true
}

// Release undoes a Hold.
func (t *Tags) Release(port uint32, id uint16) {
	p := t.ports.At(port)
	h := &p.held[id]
	if h.count--; h.count > 0 {
		return
	}
	h.number = 0
	p.free = min(p.free, id)
	last := len(p.held)
	for last > 0 && p.held[last-1].count == 0 {
		last--
	}
	if p.held = p.held[:last]; last == 0 {
		p.held = nil
	}
	t.count(id, ^uint32(0))
}

// count adds to the number of ports at which an id is.
func (t *Tags) count(id uint16, more uint32) {
	was := t.taken[id]
	if t.taken[id] += more; was == 0 || t.taken[id] == 0 {
		t.news = append(t.news, id)
	}
	if len(t.news) > 4*TagMax { // nobody takes them for now
		slices.Sort(t.news)
		t.news = slices.Compact(t.news)
	}
}

// Taken reports whether an id is a tag anywhere.
func (t *Tags) Taken(id uint16) bool { return t.taken[id] > 0 }

// Holders yields who has an id, some more than once, in the order of ports.
func (t *Tags) Holders(id uint16) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for port := range t.ports.End() {
			if h := t.ports.At(port).at(id); h.count > 0 && !yield(h.number) {
				return
			}
		}
	}
}

// TakeNews returns the ids of which Taken has changed since it was last called; some have changed back.
func (t *Tags) TakeNews() []uint16 {
	news := t.news
	t.news = nil
	return news
}

// Deny has an id not be handed out any more, and reports whether it could be until now.
func (t *Tags) Deny(id uint16) bool {
	was := t.denied[id]
	t.denied[id] = true
	return !was
}

// Denied reports whether an id is not handed out.
func (t *Tags) Denied(id uint16) bool { return t.denied[id] }
