package attach

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// place is a network namespace and a link in it.
type place struct {
	space netns.NsHandle  // None: that of the process
	link  *netlink.Handle // to the links of the namespace
	index int
	own   bool // the link ends with the place
}

// placeOf opens a network namespace by its name or path, empty for that of the process.
func placeOf(name string) (place, error) {
	if name == "" {
		return placeIn(netns.None())
	}
	open := netns.GetFromName
	if strings.Contains(name, "/") {
		open = netns.GetFromPath
	}
	space, err := open(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoNamespace
	}
	if err != nil {
		return place{}, err
	}
	return placeIn(space)
}

// placeIn takes a namespace over, also if it fails. That of the process needs no privilege.
func placeIn(space netns.NsHandle) (p place, err error) {
	p.space = space
	if space.IsOpen() {
		p.link, err = netlink.NewHandleAt(space, unix.NETLINK_ROUTE)
	} else {
		p.link, err = netlink.NewHandle(unix.NETLINK_ROUTE)
	}
	if err != nil {
		p.close()
	}
	return p, err
}

// hidden makes a network namespace that has no name: it ends with the process, if not before.
func hidden() (place, error) {
	space := netns.None()
	err := elsewhere(func() (err error) {
		space, err = netns.New()
		return err
	})
	if err != nil {
		return place{}, err
	}
	return placeIn(space)
}

// named finds the link of a name.
func (p *place) named(name string) (netlink.Link, error) {
	l, err := p.link.LinkByName(name)
	if err == nil {
		p.index = l.Attrs().Index
	}
	return l, err
}

// inside calls f on a thread that is in the namespace.
func (p *place) inside(f func() error) error {
	if !p.space.IsOpen() {
		return f()
	}
	return elsewhere(func() error {
		if err := netns.Set(p.space); err != nil {
			return err
		}
		return f()
	})
}

// elsewhere calls f, which may put its thread into another network namespace.
func elsewhere(f func() error) error {
	runtime.LockOSThread()
	old, err := netns.Get()
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer old.Close()
	err = f()
	if back := netns.Set(old); back != nil {
		return errors.Join(err, back) // the thread stays locked, and ends with its goroutine
	}
	runtime.UnlockOSThread()
	return err
}

func (p *place) close() {
	if p.link != nil {
		if p.own { // at once: the namespace takes a while to end
			if l, err := p.link.LinkByIndex(p.index); err == nil {
				_ = p.link.LinkDel(l)
			}
		}
		p.link.Close()
	}
	if p.space.IsOpen() {
		_ = p.space.Close()
	}
}
