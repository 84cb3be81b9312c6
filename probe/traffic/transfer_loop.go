package traffic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/probe"
)

// start switches a host's device on, when a host that had its MAC has ended.
func (h *Host) start(device netlink.Link) error {
	for begun := time.Now(); ; time.Sleep(settling) {
		if err := h.at.Links.LinkSetUp(device); !errors.Is(err, unix.EADDRINUSE) || time.Since(begun) > busy {
			return err
		}
	}
}

// patience is how long an end of a transfer waits for the other one.
const patience = 10 * time.Second

// Run transfers until the time is over. The error is a probe.Refusal where the other host does not
// answer, or the kernel's.
func (t *TCP) Run(ctx context.Context) (*Sent, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	one, other, err := t.connect(ctx)
	if err != nil {
		return nil, err
	}
	return t.transfer(ctx, one, other)
}

// transfer is Run once the hosts are connected, and ends the connection.
func (t *TCP) transfer(ctx context.Context, one, other *net.TCPConn) (*Sent, error) {
	end := func() { _, _ = one.Close(), other.Close() } // as often as there are reasons to
	defer end()
	defer context.AfterFunc(ctx, end)()
	var got atomic.Int64 // bytes received
	failed := make(chan error, 1)
	go func() {
		err := t.receive(other, &got)
		if err != nil {
			end()
		}
		failed <- err
	}()
	s := &Sent{}
	err := t.prime(ctx, one)
	if err == nil {
		err = t.measure(one, &got, s)
	}
	if err != nil {
		end()
	}
	err = first(err, <-failed)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, t.silent(err)
	}
	return s, t.ask(ctx, one, s)
}

// first is the first error that is not only of a connection that the other end's failure has closed, if
// there is one.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil && !errors.Is(err, net.ErrClosed) {
			return err
		}
	}
	return cmp.Or(errs...)
}

// primes is how many segments are sent before it is looked at the window, which changes as they grow.
const primes = 8

// priming is how long the window may take to become what it is to be.
const priming = 5 * time.Second

// prime sends until the other end's window is what it is to be, and all of it was received: it opens
// wider at first, and Linux never takes back what it has offered.
func (t *TCP) prime(ctx context.Context, c *net.TCPConn) error {
	data, begun := make([]byte, t.Window), time.Now()
	if err := c.SetWriteDeadline(begun.Add(patience)); err != nil {
		return err
	}
	for primed := false; ; {
		info, err := state(c)
		switch {
		case err != nil:
			return err
		case info.Unacked == 0 && info.Notsent_bytes == 0 && primed && int(info.Snd_wnd) <= t.Window:
			return nil
		case time.Since(begun) > priming:
			return fmt.Errorf("the window is %d bytes, want %d at most", info.Snd_wnd, t.Window)
		case info.Unacked > 0 || info.Notsent_bytes > 0:
			if err := pace.Wait(ctx, time.Millisecond); err != nil {
				return err
			}
		default:
			if _, err := c.Write(data); err != nil {
				return err
			}
			primed = info.Bytes_acked > uint64(primes*info.Snd_mss)
		}
	}
}

// connect connects the hosts. Sockets stay in the namespace in which they were made.
func (t *TCP) connect(ctx context.Context) (one, other *net.TCPConn, err error) {
	listen := net.ListenConfig{Control: t.received, KeepAlive: -1}
	listen.SetMultipathTCP(false)
	var l net.Listener
	if err := t.To.at.Inside(func() (err error) {
		l, err = listen.Listen(ctx, "tcp4", net.JoinHostPort(t.To.address.String(), "0"))
		return err
	}); err != nil {
		return nil, nil, err
	}
	defer l.Close()
	dial := net.Dialer{Control: t.sent, Timeout: patience, KeepAlive: -1}
	var c net.Conn
	if err := t.From.at.Inside(func() (err error) {
		c, err = dial.DialContext(ctx, "tcp4", l.Addr().String())
		return err
	}); err != nil {
		return nil, nil, t.silent(err)
	}
	_ = l.(*net.TCPListener).SetDeadline(time.Now().Add(patience))
	accepted, err := l.Accept()
	if err != nil {
		_ = c.Close()
		return nil, nil, t.silent(err)
	}
	one, other = c.(*net.TCPConn), accepted.(*net.TCPConn)
	return one, other, errors.Join(one.SetLinger(0), other.SetLinger(0))
}

// measure writes until the time is over, and then ends the connection.
func (t *TCP) measure(c *net.TCPConn, got *atomic.Int64, s *Sent) error {
	data, before, begun := make([]byte, t.Window), got.Load(), time.Now()
	if t.Begun != nil {
		t.Begun(begun)
	}
	if err := c.SetWriteDeadline(begun.Add(t.Long)); err != nil {
		return err
	}
	for {
		if _, err := c.Write(data); errors.Is(err, os.ErrDeadlineExceeded) {
			s.Bytes, s.Took = got.Load()-before, time.Since(begun)
			return c.CloseWrite()
		} else if err != nil {
			return err
		}
	}
}

// receive reads until the other end has ended the connection.
func (t *TCP) receive(c *net.TCPConn, got *atomic.Int64) error {
	if err := c.SetReadDeadline(time.Now().Add(priming + t.Long + patience)); err != nil {
		return err
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	room := make([]byte, max(4*t.Window, leastBuffer))
	for {
		n, err := c.Read(room)
		got.Add(int64(n))
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err = cmp.Or(err, t.clamp(raw)); err != nil {
			return err
		}
	}
}

// ask reads what the sender's stack has counted, when all that it sent was acknowledged.
func (t *TCP) ask(ctx context.Context, c *net.TCPConn, s *Sent) error {
	return pace.Until(ctx, settling, patience, func() (bool, error) {
		info, err := state(c)
		if err != nil {
			return false, err
		}
		s.Retransmitted, s.Segments = int(info.Total_retrans), int(info.Segs_out)
		return info.Unacked == 0, nil
	}, func() error { return nil })
}

// state is what a connection's stack says of it.
func state(c *net.TCPConn) (info *unix.TCPInfo, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		info, failed = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	})
	return info, cmp.Or(err, failed)
}

// silent says of an error of a connection that the other end does not answer.
func (t *TCP) silent(err error) error {
	return &probe.Refusal{Why: probe.ErrNoAnswer, Seen: fmt.Sprintf("TCP from %v to %v: %v", t.From.address, t.To.address, err),
		Want: "a connection", Do: "look at the path: others of ours have found each other over it"}
}
