package forward

import (
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/app/forward/places"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/topology"
)

// InstalledPath returns the path that packets from one host to another take now; false if none is
// installed.
func (f *Forward) InstalledPath(src, dst *netview.Host) ([]topology.Hop, bool) {
	d := f.switches.get(src.At.DPID)
	if d == nil {
		return nil, false
	}
	vlan := src.VLAN
	if vlan != 0 {
		vlan |= openflow.VLANPresent
	}
	fl, ok := d.flow(pairs.Of(src.MAC.Uint64(), dst.MAC.Uint64(), vlan))
	if ok && fl.Path == 0 && dst.At.DPID == src.At.DPID { // within the switch
		return []topology.Hop{{DPID: d.id, In: src.At.Port, Out: fl.Out}}, true
	}
	p := f.paths.Get(fl.Path)
	if !ok || p == nil {
		return nil, false
	}
	return p.Hops, true
}

// PairsOf counts the pairs of which a host is an end. It costs time in the number of all pairs, and
// may be called from any goroutine.
func (f *Forward) PairsOf(id netview.HostID) (sum int) {
	key := places.KeyOfHost(id)
	for _, d := range f.switches.all() {
		d.mu.Lock()
		d.pairs.All(func(pr pairs.Pair, _ pairs.Flow) bool {
			if pr.Src() == key || pr.Dst() == key {
				sum++
			}
			return true
		})
		d.mu.Unlock()
	}
	return sum
}

// HostActive reports whether packets from a host at its place have matched rules of ours within
// their idle timeout: its switch has not reported that they expired. It costs time in the number of
// pairs that enter there.
func (f *Forward) HostActive(id netview.HostID, at netview.Point) (used bool) {
	d := f.switches.get(at.DPID)
	if d == nil {
		return false
	}
	key := places.KeyOfHost(id)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pairs.All(func(pr pairs.Pair, _ pairs.Flow) bool {
		used = pr.Src() == key
		return !used
	})
	return used
}
