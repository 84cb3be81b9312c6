package attach

import (
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// watch reports whether the machine's end is up: at once, and whenever that has changed, until it
// ends, the device leaves the place where it was, or the kernel does not tell any more, as it does
// when it had too much to tell. The device may be watched again, unless it has gone.
func (d *Device) watch(ended <-chan struct{}, tell func(up bool)) (gone bool) {
	updates, stop := make(chan netlink.LinkUpdate), make(chan struct{})
	index, err := d.subscribe(updates, stop)
	if err != nil {
		return false
	}
	defer func() {
		close(stop)
		for range updates { // who sends them is not left waiting
		}
	}()
	for first, last := true, false; ; {
		select {
		case <-ended:
			return true
		case u, ok := <-updates:
			switch {
			case !ok:
				return false
			case u.Attrs().Index != index:
			case u.Header.Type == unix.RTM_DELLINK:
				tell(false)
				return !d.moved()
			default:
				if up := d.kind.present(u.Attrs().RawFlags); first || up != last {
					first, last = false, up
					tell(up)
				}
			}
		}
	}
}

// subscribe has updates come of all links where the device is, of whose index it is told.
func (d *Device) subscribe(updates chan<- netlink.LinkUpdate, stop <-chan struct{}) (index int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	options := netlink.LinkSubscribeOptions{ListExisting: true}
	if d.at.Space.IsOpen() {
		options.Namespace = &d.at.Space
	}
	return d.at.Index, netlink.LinkSubscribeWithOptions(updates, stop, options)
}
