package claims

import (
	"hash/maphash"
	"net/netip"

	"github.com/weirnet/weir/hashtab"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/netview"
)

// Claims are those of all intents.
type Claims struct {
	view    *netview.View
	content func(number uint32) string
	seed    maphash.Seed
	index   hashtab.Table[uint32, struct{}] // by claim, the intents that hold it; a withdrawn intent holds none
	senders senders

	reader spec.Reader // scratch
}

// New returns one that nobody holds anything of. content returns the content of an intent that holds its
// claims; view has the hosts.
func New(view *netview.View, content func(number uint32) string) *Claims {
	return &Claims{view: view, content: content, seed: maphash.MakeSeed(), senders: senders{numbers: make(map[uint32]bool),
		hosts: make(map[netip.Addr][]netview.HostID), newAddresses: make(map[netip.Addr]bool)}}
}

// Len returns how many claims are held.
func (c *Claims) Len() int { return c.index.Len() }

// Count returns how many claims an intent has.
func Count(s *spec.Spec) (n int) {
	eachClaim(s, func(claim) bool { n++; return true })
	return n
}

// Other returns another intent than self that has a claim of a spec; 0 without one.
func (c *Claims) Other(s *spec.Spec, self uint32) (other uint32) {
	eachClaim(s, func(one claim) bool {
		c.index.Find(one.hash(c.seed), func(n uint32) bool {
			if n != self && c.has(c.content(n), &one) {
				other = n
			}
			return other == 0
		})
		return other == 0
	})
	return other
}

// has reports whether a content has a claim.
func (c *Claims) has(content string, one *claim) (has bool) {
	eachClaim(c.reader.Read(content), func(d claim) bool {
		has = one.equal(&d)
		return !has
	})
	return has
}

// Hold notes that an intent is accepted with a content: it holds its claims from now on.
func (c *Claims) Hold(s *spec.Spec, n uint32) {
	eachClaim(s, func(one claim) bool { c.index.Add(one.hash(c.seed), n, struct{}{}); return true })
	c.holdSource(s, n)
}

// Release undoes Hold.
func (c *Claims) Release(content string, n uint32) {
	s := c.reader.Read(content)
	eachClaim(s, func(one claim) bool { c.index.Remove(one.hash(c.seed), n); return true })
	c.releaseSource(s, n)
}
