package tenancy

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/tenant/connect"
	"github.com/weirnet/weir/tenant/vswitch"
)

// watchers returns the tenants with read-only regions.
func (r *owners) watchers() []*vswitch.Watcher {
	if r.frames == nil {
		return nil
	}
	return r.frames.Watchers()
}

// copyTo shows a frame that switches have shown at a port to those tenants who watch it there, but to none whose it is: that
// has had it. Discovery frames are not shown: these are Weir's own, or of one tenant and for it alone.
func (p *part) copyTo(watchers []*vswitch.Watcher, pin *openflow.PacketIn, owner uint16) {
	if isDiscovery(pin.Data) {
		return
	}
	for _, w := range watchers {
		if w.Tenant == owner {
			continue
		}
		if v := p.physical.of(w.Tenant); v != nil && v.has(pin.InPort) && w.Watches(pin.Data) {
			connect.Copy(v.sw, pin)
		}
	}
}
