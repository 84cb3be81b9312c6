package attach

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
	"github.com/weirnet/weir/packet"
)

// Device is a device of the machine whose other end is read and written here. Read is for one
// goroutine; the rest may be called from any.
type Device struct {
	cfg  Config
	mac  packet.MAC
	kind line
	file *os.File        // of the kind; in non-blocking mode
	raw  syscall.RawConn // of file

	mu     sync.Mutex   // guards what follows
	at     netdev.Place // where the carrier is seen
	closed bool
}

// line is what the kinds of devices differ in.
type line interface {
	// read reads one frame from the descriptor, as read(2) does.
	read(fd int, room []byte) (int, error)
	// carrier sets whether the machine's end has a carrier.
	carrier(at *netdev.Place, fd int, up bool) error
	// present reports whether the machine's end is up, of the flags of the link where the carrier
	// is seen.
	present(flags uint32) bool
	// find says where a device is that has left its place.
	find(fd int) (space netns.NsHandle, name string, err error)
}

// Open makes a device, or takes a TAP device that root has made for the user and nobody uses. It is
// up, and has no carrier yet. The error wraps ErrPrivilege, ErrNoTUN, ErrTaken or ErrNoNamespace,
// or is the kernel's.
func Open(cfg Config) (*Device, error) {
	if err := checkName(cfg.Name); err != nil {
		return nil, err
	}
	d, err := open(cfg)
	if err != nil {
		return nil, fmt.Errorf("device %s: %w", cfg.Name, reason(err, cfg.Namespace))
	}
	return d, nil
}

func open(cfg Config) (*Device, error) {
	home, err := netdev.At(cfg.Namespace)
	if err != nil {
		return nil, err
	}
	d := &Device{cfg: cfg}
	var fd int
	if cfg.Kind == VETH {
		defer home.Close()
		fd, err = d.openVETH(&home)
	} else if fd, err = d.openTAP(&home); err != nil {
		home.Close()
	}
	if err != nil {
		return nil, err
	}
	d.file = os.NewFile(uintptr(fd), cfg.Name)
	if d.raw, err = d.file.SyscallConn(); err == nil {
		err = d.configure(&home)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// reason says of a kernel's error what a user can do about it.
func reason(err error, namespace string) error {
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return fmt.Errorf("%w (%w)", ErrPrivilege, err)
	case errors.Is(err, ErrNoNamespace):
		return fmt.Errorf("netns=%s: %w %s", namespace, err, namespace)
	case errors.Is(err, unix.EEXIST), errors.Is(err, unix.EBUSY):
		return ErrTaken
	}
	return err
}

// Config is what the device was made of.
func (d *Device) Config() Config { return d.cfg }

// MAC is the address that the machine's end had at first.
func (d *Device) MAC() packet.MAC { return d.mac }

// Read waits for frames, and returns those that are there, at most as many as fit into the batch;
// they are valid until the next call. The error is fs.ErrClosed after Close, or says that the
// device has gone.
func (d *Device) Read(b *Batch) ([][]byte, error) {
	b.frames = b.frames[:0]
	var failed error
	err := d.raw.Read(func(fd uintptr) bool {
		for !b.full() {
			n, err := d.kind.read(int(fd), b.next())
			switch {
			case err == nil && n > 0:
				b.add(n)
			case err == unix.EAGAIN:
				return len(b.frames) > 0
			case err == unix.EINTR, err == unix.ENETDOWN: // which a socket says once
			case err != nil:
				failed = err
				return true
			}
		}
		return true
	})
	if len(b.frames) > 0 {
		return b.frames, nil
	}
	return nil, errors.Join(err, failed)
}

// Write gives a frame to the machine; it does not wait. The error says that it is lost: the device
// is down, or the machine takes no more.
func (d *Device) Write(frame []byte) error {
	var failed error
	err := d.raw.Write(func(fd uintptr) bool {
		_, failed = unix.Write(int(fd), frame)
		return true
	})
	return errors.Join(err, failed)
}

// SetCarrier has the machine's end get a carrier, or lose it.
func (d *Device) SetCarrier(up bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fs.ErrClosed
	}
	var failed error
	err := d.raw.Control(func(fd uintptr) { failed = d.kind.carrier(&d.at, int(fd), up) })
	return errors.Join(err, failed)
}

// Close takes the device away, unless it was there before.
func (d *Device) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	err := d.file.Close()
	d.at.Close()
	return err
}
