package session

import (
	"container/list"
	"net"
	"net/netip"
)

// halfOpen are the connections in their handshake, in the order in which they came, of all sources and of each. Its owner
// is the group, under its lock.
type halfOpen struct {
	all     list.List
	sources map[netip.Prefix]*list.List
}

// place is where a session stands in halfOpen.
type place struct {
	source     netip.Prefix
	all, among *list.Element // nil when it is no longer there
	leaving    bool          // it was shed
}

// sourceOf is whom connections are counted for: an IPv4 address, or a network of 64 bits of IPv6, of which one host has all.
// Other addresses are one source.
func sourceOf(a net.Addr) netip.Prefix {
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

func (h *halfOpen) len() int { return h.all.Len() }

// of is how many there are of a source.
func (h *halfOpen) of(source netip.Prefix) int {
	if l := h.sources[source]; l != nil {
		return l.Len()
	}
	return 0
}

func (h *halfOpen) add(s *Session) {
	if h.sources == nil {
		h.sources = make(map[netip.Prefix]*list.List)
	}
	p := &s.place
	l := h.sources[p.source]
	if l == nil {
		l = new(list.List)
		h.sources[p.source] = l
	}
	p.all, p.among = h.all.PushBack(s), l.PushBack(s)
}

// remove takes a session out, if it is in.
func (h *halfOpen) remove(s *Session) {
	p := &s.place
	if p.all == nil {
		return
	}
	h.all.Remove(p.all)
	l := h.sources[p.source]
	if l.Remove(p.among); l.Len() == 0 {
		delete(h.sources, p.source)
	}
	p.all, p.among = nil, nil
}

// oldest is the one that came first; nil if there is none.
func (h *halfOpen) oldest() *Session { return front(&h.all) }

// oldestOf is the one that came first of a source that has some.
func (h *halfOpen) oldestOf(source netip.Prefix) *Session { return front(h.sources[source]) }

func front(l *list.List) *Session {
	if e := l.Front(); e != nil {
		return e.Value.(*Session)
	}
	return nil
}
