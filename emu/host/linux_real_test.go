//go:build real && linux

package host

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/packet"
)

// TestAgainstLinux joins one host to the kernel's stack by a TAP device in namespaces of its own:
// each pings the other, sends the other datagrams, and opens streams to the other, over IPv4 and
// IPv6.
func TestAgainstLinux(t *testing.T) {
	need.Program(t, "ping")
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		c := newCable(t, l)
		for _, kernel := range []string{"10.0.0.9", "fd00::9"} {
			c.kernel = netip.MustParseAddr(kernel)
			c.host = config(1).IPv4.Addr()
			if c.kernel.Is6() {
				c.host = config(1).IPv6.Addr()
			}
			c.kernelPings()
			c.hostPings()
			c.kernelEchoes()
			c.kernelStreams()
			c.hostStreams()
			c.closedPorts()
		}
		c.do(func(now time.Duration) {
			if k := c.h.Counters(); k.Malformed != 0 || k.BadChecksum != 0 || k.Fragments != 0 || k.Unsent != 0 ||
				k.TCPFailed != 2 {
				t.Errorf("%+v", k)
			}
		})
	})
}

// cable is a TAP device with the kernel at one end and a host at the other. Its loop owns the host.
type cable struct {
	t      *testing.T
	l      *netlab.Lab
	mu     sync.Mutex // held by whoever uses h
	h      *Host
	start  time.Time
	device *attach.Device
	wake   chan struct{}
	kernel netip.Addr
	host   netip.Addr
}

func newCable(t *testing.T, l *netlab.Lab) *cable {
	spec, err := attach.Parse("h=tap0,address=10.0.0.9/8,address=fd00::9/64")
	if err != nil {
		t.Fatal(err)
	}
	device, err := attach.Open(spec.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := device.SetCarrier(true); err != nil {
		t.Fatal(err)
	}
	h, err := New(config(1))
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{t: t, l: l, h: h, start: time.Now(), device: device, wake: make(chan struct{}, 1)}
	go c.read()
	go c.step()
	return c
}

// Send writes a frame to the kernel.
func (c *cable) Send(frame []byte) { _ = c.device.Write(frame) }

// do uses the host, and has it do what is due.
func (c *cable) do(f func(now time.Duration)) {
	c.mu.Lock()
	f(time.Since(c.start))
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// read gives the host what the kernel sends.
func (c *cable) read() {
	for b := attach.NewBatch(); ; {
		frames, err := c.device.Read(b)
		if err != nil {
			return
		}
		for _, frame := range frames {
			c.do(func(now time.Duration) { c.h.Receive(frame, now, c) })
		}
	}
}

// step lets the host's timers run.
func (c *cable) step() {
	for {
		c.mu.Lock()
		next, ok := c.h.Step(time.Since(c.start), c)
		c.mu.Unlock()
		wait := time.Hour
		if ok {
			wait = next - time.Since(c.start)
		}
		select {
		case <-c.wake:
		case <-time.After(wait):
		}
	}
}

// until waits for the host to be in a state.
func (c *cable) until(what string, ok func() bool) {
	c.t.Helper()
	c.l.Eventually(20*time.Second, what, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return ok()
	})
}

func (c *cable) kernelPings() {
	out := c.l.Run("ping", "-n", "-c", "5", "-i", "0.2", "-s", "1000", c.host.String())
	if !strings.Contains(out, " 5 received") || strings.Contains(out, "DUP") {
		c.t.Error(out)
	}
}

func (c *cable) hostPings() {
	var p *Ping
	c.do(func(now time.Duration) {
		p, _ = c.h.Ping(PingSpec{Dst: c.kernel, Count: 5, Interval: 50 * time.Millisecond, Size: 999}, now)
	})
	c.until("five answers of the kernel", func() bool { return p.Report().Done })
	if r := p.Report(); r.Received != 5 || r.Lost+r.Duplicated+r.Reordered+r.Unsent != 0 {
		c.t.Errorf("%+v", r)
	}
}

// kernelEchoes sends datagrams through a socket of the kernel to the host's echo port and back.
func (c *cable) kernelEchoes() {
	conn, err := net.Dial("udp", netip.AddrPortFrom(c.host, EchoPort).String())
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	for n := range 10 {
		sent, got := bytes.Repeat([]byte{byte(n)}, 1+n*100), make([]byte, 2000)
		if _, err := conn.Write(sent); err != nil {
			c.t.Fatal(err)
		}
		k, err := conn.Read(got)
		if err != nil || !bytes.Equal(got[:k], sent) {
			c.t.Fatalf("datagram %d: %d bytes came back, %v", n, k, err)
		}
	}
}

// kernelStreams sends the host two megabytes of its own kind of content through a socket of the
// kernel.
func (c *cable) kernelStreams() {
	conn, err := net.Dial("tcp", netip.AddrPortFrom(c.host, 80).String())
	if err != nil {
		c.t.Fatal(err)
	}
	content := make([]byte, 2_000_000)
	Content(content, 0)
	if _, err := conn.Write(content); err != nil {
		c.t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		c.t.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	if n, err := io.Copy(io.Discard, conn); n != 0 || err != nil {
		c.t.Errorf("%d bytes from the host, %v", n, err)
	}
	conn.Close()
	port := netip.MustParseAddrPort(conn.LocalAddr().String()).Port()
	c.until("the stream's end", func() bool { s := c.h.AcceptedFrom(c.kernel, port, 80); return s != nil && s.Report().Done })
	c.do(func(time.Duration) {
		r := c.h.AcceptedFrom(c.kernel, port, 80).Report()
		if r.Delivered != uint64(len(content)) || r.Misplaced != 0 || r.Err != nil {
			c.t.Errorf("%+v", r)
		}
	})
}

// hostStreams sends the kernel two megabytes through a listening socket that reads late, so that
// its window closes.
func (c *cable) hostStreams() {
	small := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		return raw.Control(func(fd uintptr) { unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 50_000) })
	}}
	ln, err := small.Listen(context.Background(), "tcp", netip.AddrPortFrom(c.kernel, 0).String())
	if err != nil {
		c.t.Fatal(err)
	}
	defer ln.Close()
	const n = 2_000_000
	var s *Stream
	port := netip.MustParseAddrPort(ln.Addr().String()).Port()
	c.do(func(now time.Duration) { s, err = c.h.TCP(StreamSpec{Dst: c.kernel, Port: port, Bytes: n}, now) })
	if err != nil {
		c.t.Fatal(err)
	}
	conn, err := ln.Accept()
	if err != nil {
		c.t.Fatal(err)
	}
	c.until("a probe of the closed window", func() bool { return s.snd.window == 0 && s.snd.timeouts > 0 })
	conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	got, err := io.ReadAll(conn)
	conn.Close()
	if len(got) != n || misplaced(got, 0) != 0 || err != nil {
		c.t.Errorf("%d bytes came, %d of them wrong: %v", len(got), misplaced(got, 0), err)
	}
	c.until("the stream's end", func() bool { return s.Report().Done })
	if r := s.Report(); r.Acked != n || r.Err != nil {
		c.t.Errorf("%+v", r)
	}
}

// closedPorts are refused by either.
func (c *cable) closedPorts() {
	c.do(func(time.Duration) { c.h.ClosePort(81) })
	if _, err := net.DialTimeout("tcp", netip.AddrPortFrom(c.host, 81).String(), 20*time.Second); err == nil ||
		!strings.Contains(err.Error(), "refused") {
		c.t.Errorf("a closed port of the host: %v", err)
	}
	var s *Stream
	c.do(func(now time.Duration) { s, _ = c.h.TCP(StreamSpec{Dst: c.kernel, Port: 81}, now) })
	c.until("a refusal", func() bool { return s.Report().Done })
	if r := s.Report(); r.Err != ErrRefused {
		c.t.Errorf("%+v", r)
	}
	if s := fmt.Sprint(packet.MAC{2, 0, 0, 0, 0, 1}, " "); !strings.Contains(c.l.Run("ip", "neigh"), s[:len(s)-1]) {
		c.t.Error("the kernel has no neighbour of this address")
	}
}
