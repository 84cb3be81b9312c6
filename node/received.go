package node

import "github.com/weirnet/weir/netview"

// received is how many bytes a switch's session has received; 0 where there is none.
func (n *switches) received(dpid netview.DPID) uint64 {
	if s := n.server.Session(uint64(dpid)); s != nil {
		return s.Received()
	}
	return 0
}
