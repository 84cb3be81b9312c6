package nic

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
)

// NIC is an open interface.
type NIC struct {
	cfg     Config
	stamps  Stamps
	mac     packet.MAC
	mtu     int
	file    *os.File        // the packet socket, in non-blocking mode
	raw     syscall.RawConn // of file
	note    *note           // of what was changed; nil if nothing was
	running sync.WaitGroup  // the goroutine of Watch
	closing atomic.Bool

	interrupted atomic.Bool // a train was sent by an ordinary thread

	seen, sent, stamped, dropped, unstamped atomic.Uint64
}

// socketBuffer is how many bytes of frames wait to be read, at most, with what the kernel needs to
// keep them: about a second of a gigabit.
const socketBuffer = 256 << 20

// Open makes an instrument of an interface. The error is a probe.Refusal, or the kernel's.
func Open(cfg Config) (*NIC, error) {
	n := &NIC{cfg: cfg}
	if !cfg.AsIs {
		if err := putBackAll(n.state()); err != nil {
			return nil, reason(cfg, err)
		}
	}
	at, err := netdev.At(cfg.Namespace)
	if err == nil {
		defer at.Close()
		err = n.open(&at)
	}
	if err != nil {
		return nil, errors.Join(reason(cfg, err), n.Close())
	}
	return n, nil
}

// Check reports why Open would not find an interface; one without a name is none.
func Check(cfg Config) error {
	if cfg.Interface == "" {
		return nil
	}
	at, err := netdev.At(cfg.Namespace)
	if err == nil {
		defer at.Close()
		_, err = at.Named(cfg.Interface)
	}
	if err != nil {
		return reason(cfg, err)
	}
	return nil
}

func (n *NIC) state() string {
	if n.cfg.State == "" {
		return DefaultState
	}
	return n.cfg.State
}

func (n *NIC) open(at *netdev.Place) error {
	link, err := at.Named(n.cfg.Interface)
	if err != nil {
		return err
	}
	has := link.Attrs()
	if copy(n.mac[:], has.HardwareAddr); has.RawFlags&unix.IFF_UP == 0 || has.RawFlags&unix.IFF_LOWER_UP == 0 {
		return &probe.Refusal{Why: probe.ErrDown, Seen: n.cfg.String() + " is down, or without a carrier", Want: "it up",
			Do: "ip link set " + n.cfg.Interface + " up, and so with the other end"}
	}
	n.mtu = has.MTU
	return at.Inside(func() error {
		if !n.cfg.AsIs {
			if n.note, err = switchOff(n.state(), &n.cfg, has.Index); err != nil {
				return err
			}
		}
		if err := n.chooseStamps(); err != nil {
			return err
		}
		return n.openSocket(has.Index)
	})
}

func (n *NIC) openSocket(index int) error {
	fd, err := netdev.Socket(index,
		netdev.Option{Level: unix.SOL_SOCKET, Name: unix.SO_RCVBUFFORCE, Value: socketBuffer},
		netdev.Option{Level: unix.SOL_SOCKET, Name: unix.SO_SNDBUFFORCE, Value: socketBuffer / 8},
		netdev.Option{Level: unix.SOL_SOCKET, Name: unix.SO_TIMESTAMPING_NEW, Value: n.stamps.flags()})
	if err != nil {
		return err
	}
	n.file = os.NewFile(uintptr(fd), n.cfg.String())
	promiscuous := unix.PacketMreq{Ifindex: int32(index), Type: unix.PACKET_MR_PROMISC}
	if err := unix.SetsockoptPacketMreq(fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &promiscuous); err != nil {
		return err
	}
	n.raw, err = n.file.SyscallConn()
	return err
}

// reason says of a kernel's error what a user can do about it.
func reason(cfg Config, err error) error {
	missing := netlink.LinkNotFoundError{}
	switch {
	case errors.As(err, new(*probe.Refusal)):
		return err
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return &probe.Refusal{Why: probe.ErrPrivilege, Seen: fmt.Sprintf("%s: %v", cfg.String(), err),
			Want: "root, or CAP_NET_RAW and CAP_NET_ADMIN", Do: "run it with sudo"}
	case errors.Is(err, netdev.ErrNoNamespace):
		return &probe.Refusal{Why: probe.ErrNoInterface, Seen: "no network namespace " + cfg.Namespace, Want: "one that is there",
			Do: "look at ip netns list"}
	case errors.As(err, &missing), errors.Is(err, unix.ENODEV), errors.Is(err, unix.ENXIO):
		return &probe.Refusal{Why: probe.ErrNoInterface, Seen: cfg.String(), Want: "one of ip link", Do: "name another one"}
	}
	return fmt.Errorf("%s: %w", cfg.String(), err)
}

// Config is what the NIC was opened with.
func (n *NIC) Config() Config { return n.cfg }

// Stamps is who takes the times: Software or Hardware.
func (n *NIC) Stamps() Stamps { return n.stamps }

// MAC is the interface's address.
func (n *NIC) MAC() packet.MAC { return n.mac }

// MTU is the interface's, in bytes of an IP packet.
func (n *NIC) MTU() int { return n.mtu }

// Send sends a frame.
func (n *NIC) Send(frame []byte) error { return n.SendAll(frame) }

// SendAll sends frames, one right behind the other. It waits while the interface takes no more.
func (n *NIC) SendAll(frames ...[]byte) error { return n.send(frames, false) }

// SendTrain is SendAll of frames between which nothing else should have its turn, such as the
// fragments of a packet: where the process may (Interrupted), on a thread that no other interrupts.
func (n *NIC) SendTrain(frames ...[]byte) error { return n.send(frames, len(frames) > 1) }

// Interrupted reports whether a train was sent by an ordinary thread, which others may have
// interrupted.
func (n *NIC) Interrupted() bool { return n.interrupted.Load() }

func (n *NIC) send(frames [][]byte, train bool) error {
	out := newOutgoing(frames)
	var failed error
	err := n.raw.Write(func(fd uintptr) bool {
		var sent int
		if !train {
			sent, failed = out.send(fd)
		} else if !urgently(func() { sent, failed = out.send(fd) }) {
			n.interrupted.Store(true)
		}
		n.sent.Add(uint64(sent))
		return failed != unix.EAGAIN
	})
	return errors.Join(err, failed)
}

// Counters are the present ones. A frame that was sent counts as lost until its time is there.
func (n *NIC) Counters() Counters {
	n.statistics()
	sent := n.sent.Load()
	return Counters{Seen: n.seen.Load(), Sent: sent,
		Lost: n.dropped.Load() + n.unstamped.Load() + sent - min(n.stamped.Load(), sent)}
}

// statistics adds what the kernel has dropped since the last time.
func (n *NIC) statistics() {
	if n.raw == nil {
		return
	}
	_ = n.raw.Control(func(fd uintptr) {
		if s, err := unix.GetsockoptTpacketStats(int(fd), unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil {
			n.dropped.Add(uint64(s.Drops))
		}
	})
}

// Close ends Watch and puts back what was changed.
func (n *NIC) Close() error {
	if n.closing.Swap(true) {
		return nil
	}
	var err error
	if n.file != nil {
		n.statistics()
		err = n.file.Close()
		n.running.Wait()
	}
	if n.note != nil {
		err = errors.Join(err, n.note.putBack())
	}
	return err
}
