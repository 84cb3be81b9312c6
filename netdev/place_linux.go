package netdev

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Place is a network namespace and a link in it.
type Place struct {
	Space netns.NsHandle  // None: that of the process
	Links *netlink.Handle // to the links of the namespace
	Index int             // of the link that Named found last
	Own   bool            // the link ends with the place
}

// At opens a network namespace by its name or path, empty for that of the process. The error wraps
// ErrNoNamespace, or is the kernel's.
func At(name string) (Place, error) {
	if name == "" {
		return In(netns.None())
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
		return Place{}, err
	}
	return In(space)
}

// In takes a namespace over, also if it fails. That of the process needs no privilege.
func In(space netns.NsHandle) (p Place, err error) {
	p.Space = space
	if space.IsOpen() {
		p.Links, err = netlink.NewHandleAt(space, unix.NETLINK_ROUTE)
	} else {
		p.Links, err = netlink.NewHandle(unix.NETLINK_ROUTE)
	}
	if err != nil {
		p.Close()
	}
	return p, err
}

// Hidden makes a network namespace that has no name: it ends with the process, if not before.
func Hidden() (Place, error) {
	space := netns.None()
	err := elsewhere(func() (err error) {
		space, err = netns.New()
		return err
	})
	if err != nil {
		return Place{}, err
	}
	return In(space)
}

// Named finds the link of a name.
func (p *Place) Named(name string) (netlink.Link, error) {
	l, err := p.Links.LinkByName(name)
	if err == nil {
		p.Index = l.Attrs().Index
	}
	return l, err
}

// Inside calls f on a thread that is in the namespace.
func (p *Place) Inside(f func() error) error {
	if !p.Space.IsOpen() {
		return f()
	}
	return elsewhere(func() error {
		if err := netns.Set(p.Space); err != nil {
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

// Close gives the namespace back, and takes away the link that is the place's own.
func (p *Place) Close() {
	if p.Links != nil {
		if p.Own { // at once: the namespace takes a while to end
			if l, err := p.Links.LinkByIndex(p.Index); err == nil {
				_ = p.Links.LinkDel(l)
			}
		}
		p.Links.Close()
	}
	if p.Space.IsOpen() {
		_ = p.Space.Close()
	}
}
