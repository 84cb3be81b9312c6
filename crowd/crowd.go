package crowd

import (
	"container/list"
	"net"
	"net/netip"
)

// Crowd is a set of unidentified connections. The zero value is empty.
type Crowd[T any] struct {
	all     list.List
	sources map[netip.Prefix]*list.List
}

// Place is the position of an element; the zero value is none.
type Place struct{ all, among *list.Element }

// SourceOf returns the source of an address: an IPv4 address, or an IPv6 /64, since one host may
// have a whole /64. Addresses that are not TCP's are one source.
func SourceOf(a net.Addr) netip.Prefix {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap()
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	p, _ := ip.WithZone("").Prefix(bits)
	return p
}

// Len is the number of elements.
func (c *Crowd[T]) Len() int { return c.all.Len() }

// Sources is the number of sources.
func (c *Crowd[T]) Sources() int { return len(c.sources) }

// Of is the number of elements of a source.
func (c *Crowd[T]) Of(source netip.Prefix) int {
	if l := c.sources[source]; l != nil {
		return l.Len()
	}
	return 0
}

// Add appends an element. Remove needs the place that it returns.
func (c *Crowd[T]) Add(source netip.Prefix, who T) Place {
	if c.sources == nil {
		c.sources = make(map[netip.Prefix]*list.List)
	}
	l := c.sources[source]
	if l == nil {
		l = new(list.List)
		c.sources[source] = l
	}
	return Place{c.all.PushBack(who), l.PushBack(who)}
}

// Remove removes the element at a place, if there is one, and clears the place.
func (c *Crowd[T]) Remove(source netip.Prefix, p *Place) {
	if p.all == nil {
		return
	}
	c.all.Remove(p.all)
	l := c.sources[source]
	if l.Remove(p.among); l.Len() == 0 {
		delete(c.sources, source)
	}
	*p = Place{}
}

// Oldest returns the oldest element; false if there is none.
func (c *Crowd[T]) Oldest() (T, bool) { return front[T](&c.all) }

// OldestOf returns the oldest element of a source.
func (c *Crowd[T]) OldestOf(source netip.Prefix) (T, bool) { return front[T](c.sources[source]) }

func front[T any](l *list.List) (who T, ok bool) {
	if l == nil || l.Front() == nil {
		return who, false
	}
	return l.Front().Value.(T), true
}
