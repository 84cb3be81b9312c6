package recall

import "github.com/weirnet/weir/netview"

// Facts are what is remembered of a network.
type Facts struct {
	Switches []*netview.Switch
	Trees    []Tree
	// Links are those that were up, and, not up, those that were: the port Src, of which nothing else is known, led to Dst.
	Links []*netview.Link
	Hosts []*netview.Host
}

// Tree is what one switch was wanted to hold of the broadcast tree: the inter-switch ports that its rules name, and those
// of them that they keep out of it.
type Tree struct {
	DPID       netview.DPID
	Links, Off []uint32
}
