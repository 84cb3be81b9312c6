package warmstart

import "github.com/weirnet/weir/netview"

// Facts are the stored facts of a network.
type Facts struct {
	Switches []*netview.Switch
	Trees    []Tree
	// Links are those that were up, and, not up, those that were: the port Src, of which nothing
	// else is known, led to Dst.
	Links []*netview.Link
	Hosts []*netview.Host
}

// Tree is one switch's part of the broadcast tree: the inter-switch ports that its rules name, and
// those of them that are blocked.
type Tree struct {
	DPID       netview.DPID
	Links, Off []uint32
}
