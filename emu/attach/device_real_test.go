//go:build real && linux

package attach

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/netdev"
)

const patience = 20 * time.Second

// wire is the port of one cable, and gives its frames to another.
type wire struct {
	to      *Cable
	plugged chan bool
	tagged  chan []byte // frames with a VLAN tag
}

func newWire(to *Cable) *wire { return &wire{to, make(chan bool, 100), make(chan []byte, 100)} }

func (w *wire) Send(frames [][]byte) {
	for _, f := range frames {
		w.to.Deliver(f)
		if binary.BigEndian.Uint16(f[12:]) == unix.ETH_P_8021Q {
			w.tagged <- append([]byte(nil), f...)
		}
	}
}

func (w *wire) Lost(int) {}

func (w *wire) Plug(in bool) { w.plugged <- in }

// await waits until the port is told that its device is up, or down.
func (w *wire) await(t *testing.T, what string, up bool) {
	t.Helper()
	for limit := time.After(patience); ; {
		select {
		case in := <-w.plugged:
			if in == up {
				return
			}
		case <-limit:
			t.Fatalf("%s: the port is not told", what)
		}
	}
}

// TestCable joins a TAP device and a veth pair: Linux in two namespaces talks over them, with
// fragments, VLAN tags and streams; the carriers follow each other; nothing is left at the end.
func TestCable(t *testing.T) {
	need.Program(t, "iperf3")
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		specs := []string{"s1=eth0,netns=h1,address=10.0.0.1/24,address=fd00::1/64,mac=02:00:00:00:00:01,mtu=1400",
			"s1=eth0,netns=h2,address=10.0.0.2/24,type=veth,mtu=1400"}
		var cables []*Cable
		for i, text := range specs {
			l.Run("ip", "netns", "add", fmt.Sprintf("h%d", i+1))
			s, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			d, err := Open(s.Config)
			if err != nil {
				t.Fatal(err)
			}
			cables = append(cables, NewCable(d))
		}
		ports := []*wire{newWire(cables[1]), newWire(cables[0])}
		for i, c := range cables {
			c.Carrier(true)
			c.Join(ports[i])
			ports[i].await(t, "a new device is up", true)
		}
		if mac := cables[0].Device().MAC().String(); mac != "02:00:00:00:00:01" {
			t.Errorf("address %s", mac)
		}
		talk(t, l)
		tags(t, ports)
		carriers(t, l, cables, ports)
		for _, c := range cables {
			if n := c.Counters(); n.ToDevice == 0 || n.FromDevice == 0 {
				t.Errorf("%+v", n)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
		for _, ns := range []string{"h1", "h2"} {
			if out := l.Run("ip", "-n", ns, "link"); strings.Contains(out, "eth0") {
				t.Errorf("left at the end: %s", out)
			}
		}
	})
}

// talk has the two namespaces use each other.
func talk(t *testing.T, l *netlab.Lab) {
	l.Eventually(patience, "the first answer", func() bool {
		return exec.Command("ip", "netns", "exec", "h1", "ping", "-c", "1", "-W", "1", "10.0.0.2").Run() == nil
	})
	for _, c := range []struct{ from, to, size string }{{"h1", "10.0.0.2", "65000"}, {"h2", "10.0.0.1", "1"}} {
		if out := l.Run("ip", "netns", "exec", c.from, "ping", "-n", "-c", "3", "-i", "0.2", "-s", c.size,
			c.to); !strings.Contains(out, " 3 received") {
			t.Errorf("%+v: %s", c, out)
		}
	}
	server := l.Start("ip", "netns", "exec", "h2", "iperf3", "-s", "-1")
	l.Eventually(patience, "iperf3 listens",
		func() bool { return strings.Contains(l.Run("ip", "netns", "exec", "h2", "ss", "-tln"), ":5201") })
	for _, way := range []string{"", "-R"} {
		args := []string{"netns", "exec", "h1", "iperf3", "-c", "10.0.0.2", "-n", "10M", "-i", "0"}
		if way != "" {
			args = append(args, way)
			server = l.Start("ip", "netns", "exec", "h2", "iperf3", "-s", "-1")
			l.Eventually(patience, "iperf3 listens again",
				func() bool { return strings.Contains(l.Run("ip", "netns", "exec", "h2", "ss", "-tln"), ":5201") })
		}
		if out := l.Run("ip", args...); !strings.Contains(out, "receiver") {
			t.Error(out)
		}
		l.Eventually(patience, "iperf3's server ends", server.Ended)
	}
}

// tags has a frame with a VLAN tag go either way, unchanged.
func tags(t *testing.T, ports []*wire) {
	const size = 200
	fds := make([]int, 2)
	for i, ns := range []string{"h1", "h2"} {
		p, err := netdev.At(ns)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if _, err = p.Named("eth0"); err == nil {
			err = p.Inside(func() (err error) { fds[i], err = socket(p.Index); return err })
		}
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fds[i])
	}
	for i, from := range fds {
		sent := make([]byte, size)
		copy(sent, []byte{2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x81, 0, 0x60, 20, 0x88, 0xb5, byte(i)})
		if _, err := unix.Write(from, sent); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-ports[i].tagged:
			if !bytes.Equal(got, sent) {
				t.Errorf("way %d: the port gets %x, want %x", i, got, sent)
			}
		case <-time.After(patience):
			t.Fatalf("way %d: no frame with a tag comes to the port", i)
		}
		kind, got := &veth{oob: make([]byte, netdev.AuxiliaryRoom())}, make([]byte, maxFrame)
		for end := time.Now().Add(patience); !bytes.Equal(got[:size], sent); {
			n, err := kind.read(fds[1-i], got)
			if time.Now().After(end) {
				t.Fatalf("way %d: the other machine has not got %x: %d bytes, %v", i, sent, n, err)
			}
		}
	}
}

// carriers go both ways, and a device may be moved.
func carriers(t *testing.T, l *netlab.Lab, cables []*Cable, ports []*wire) {
	for i, c := range cables {
		ns := fmt.Sprintf("h%d", i+1)
		l.Run("ip", "-n", ns, "link", "set", "eth0", "down")
		ports[i].await(t, ns+" set down", false)
		l.Run("ip", "-n", ns, "link", "set", "eth0", "up")
		ports[i].await(t, ns+" set up", true)
		for _, up := range []bool{false, true} {
			c.Carrier(up)
			l.Eventually(patience, fmt.Sprintf("carrier of %s: %v", ns, up), func() bool {
				return strings.Contains(l.Run("ip", "-n", ns, "link", "show", "eth0"), ",LOWER_UP") == up
			})
		}
	}
	for i, to := range []string{"h2", "h1"} {
		ns := fmt.Sprintf("h%d", i+1)
		l.Run("ip", "-n", ns, "link", "set", "eth0", "netns", to, "name", "moved")
		ports[i].await(t, ns+" moved, which sets it down", false)
		l.Run("ip", "-n", to, "link", "set", "moved", "up")
		ports[i].await(t, ns+" set up where it was moved to", true)
		l.Run("ip", "-n", to, "link", "set", "moved", "netns", ns, "name", "eth0")
		l.Run("ip", "-n", ns, "link", "set", "eth0", "up")
	}
}

// TestOpenRefuses what cannot be, and says what to do.
func TestOpenRefuses(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		l.Run("ip", "link", "add", "taken", "type", "veth", "peer", "name", "other")
		for _, c := range []struct {
			cfg  Config
			want error
		}{
			{Config{Name: "taken"}, ErrTaken},
			{Config{Name: "taken", Kind: VETH}, ErrTaken},
			{Config{Name: "tap1", Namespace: "nowhere"}, ErrNoNamespace},
			{Config{Name: "tap1", Kind: VETH, Namespace: "/proc/0/ns/net"}, ErrNoNamespace},
			{Config{Name: "much-too-long-for-it"}, nil},
		} {
			d, err := Open(c.cfg)
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.cfg.Name) {
				t.Errorf("%+v: %v, %v", c.cfg, d, err)
			}
		}
		first, err := Open(Config{Name: "tap1"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(Config{Name: "tap1"}); !errors.Is(err, ErrTaken) {
			t.Errorf("twice: %v", err)
		}
		if err := errors.Join(first.Close(), first.Close()); err != nil {
			t.Error(err)
		}
		nobody(t, l)
		if err := os.Remove("/dev/net/tun"); err != nil { // nobody's has been mounted
			t.Fatal(err)
		}
		if _, err := Open(Config{Name: "tap1"}); !errors.Is(err, ErrNoTUN) {
			t.Errorf("without /dev/net/tun: %v", err)
		}
		if out := l.Run("ip", "link"); strings.Contains(out, "tap1") {
			t.Errorf("left: %s", out)
		}
	})
}

// nobody has no privilege: he is refused new devices, and may use the TAP device that root has made
// for him.
func nobody(t *testing.T, l *netlab.Lab) {
	l.Run("ip", "tuntap", "add", "his", "mode", "tap", "user", "65534")
	l.Run("ip", "link", "set", "his", "up")
	if err := errors.Join(syscall.Mount("tmpfs", "/dev/net", "tmpfs", 0, ""),
		syscall.Mknod("/dev/net/tun", syscall.S_IFCHR, 10<<8|200),
		os.Chmod("/dev/net/tun", 0o666)); err != nil {
		t.Fatal(err)
	}
	const self = "/proc/self/exe" // whoever may not see the folder may run it all the same
	cmd := exec.Command(self, "-test.run=^TestAsNobody$", "-test.v")
	cmd.Env = append(os.Environ(), "ATTACH_NOBODY=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestAsNobody") {
		t.Errorf("%v: %s", err, out)
	}
	if out := l.Run("ip", "link"); !strings.Contains(out, "his") {
		t.Errorf("a device of root's is gone: %s", out)
	}
}

// TestAsNobody runs in a process without privilege, which TestOpenRefuses starts.
func TestAsNobody(t *testing.T) {
	if os.Getenv("ATTACH_NOBODY") == "" {
		return
	}
	for _, c := range []Config{{Name: "tap2"}, {Name: "veth2", Kind: VETH}, {Name: "his", MTU: 9000}} {
		if _, err := Open(c); !errors.Is(err, ErrPrivilege) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	d, err := Open(Config{Name: "his"})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.SetCarrier(true), d.Close()); err != nil {
		t.Error(err)
	}
}
