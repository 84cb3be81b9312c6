package topology

import (
	"slices"

	"github.com/weirnet/weir/netview"
)

// Filter is what paths are to leave out: a few switches, and links in either direction. It costs nothing
// to make, since a search looks at it where it comes by. The zero Filter leaves out nothing.
type Filter struct {
	Switches []netview.DPID
	Links    []netview.LinkKey
}

// Empty reports whether a filter leaves out nothing.
func (f Filter) Empty() bool { return len(f.Switches)+len(f.Links) == 0 }

// Has reports whether a filter leaves out a link.
func (f Filter) Has(key netview.LinkKey) bool {
	return slices.Contains(f.Switches, key.Src.DPID) || slices.Contains(f.Switches, key.Dst.DPID) ||
		slices.Contains(f.Links, key) || slices.Contains(f.Links, key.Reverse())
}

// And returns the filter that leaves out what either does.
func (f Filter) And(g Filter) Filter {
	switch {
	case f.Empty():
		return g
	case g.Empty():
		return f
	}
	return Filter{slices.Concat(f.Switches, g.Switches), slices.Concat(f.Links, g.Links)}
}
