package crowd

import (
	"container/list"
	"net"
	"net/netip"
)

// Crowd are strangers. The zero value is an empty one.
type Crowd[T any] struct {
	all     list.List
	sources map[netip.Prefix]*list.List
}

// Place is where somebody stands in a crowd; the zero value is nowhere.
type Place struct{ all, among *list.Element }

// SourceOf is whom connections are counted for: an IPv4 address, or a network of 64 bits of IPv6, of which one host has all.
// Addresses that are not of TCP are one source.
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

// Len is how many there are.
func (c *Crowd[T]) Len() int { return c.all.Len() }

// Sources is how many sources they are from.
func (c *Crowd[T]) Sources() int { return len(c.sources) }

// Of is how many there are of a source.
func (c *Crowd[T]) Of(source netip.Prefix) int {
	if l := c.sources[source]; l != nil {
		return l.Len()
	}
	return 0
}

// Add puts somebody at the end. Remove takes the place that it returns.
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

// Remove takes out who stands at a place, if anybody does, and the place is nowhere then.
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

// Oldest is who came first; false if there is nobody.
func (c *Crowd[T]) Oldest() (T, bool) { return front[T](&c.all) }

// OldestOf is who came first of a source.
func (c *Crowd[T]) OldestOf(source netip.Prefix) (T, bool) { return front[T](c.sources[source]) }

func front[T any](l *list.List) (who T, ok bool) {
	if l == nil || l.Front() == nil {
		return who, false
	}
	return l.Front().Value.(T), true
}
