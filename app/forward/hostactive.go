package forward

import "github.com/weirnet/weir/netview"

// HostActive reports whether packets from a host at its place have matched rules of ours within
// their idle timeout: its switch has not reported that they expired. It costs time in the number of
// pairs that enter there.
func (f *Forward) HostActive(id netview.HostID, at netview.Point) (used bool) {
	d := f.datapath(at.DPID)
	if d == nil {
		return false
	}
	key := hostKey(id.MAC.Uint64(), id.VLAN)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pairs.All(func(pr pair, _ flow) bool {
		used = pr.srcKey() == key
		return !used
	})
	return used
}
