package forward

import "github.com/weirnet/weir/netview"

// Uses tells whether packets from a host at its place have matched rules of ours within their idle time-out: its switch
// has not said that they ran out. It costs time in the number of pairs that enter there.
func (f *Forward) Uses(id netview.HostID, at netview.Point) (used bool) {
	d := f.datapath(at.DPID)
	if d == nil {
		return false
	}
	key := hostKey(id.MAC.Uint64(), id.VLAN)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pairs.each(func(pr pair, _ flow) bool {
		used = pr.srcKey() == key
		return !used
	})
	return used
}
