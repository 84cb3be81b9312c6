//go:build real && linux

package nic_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

const patience = 20 * time.Second

// seen is a frame as a NIC showed it.
type seen struct {
	at     int64
	out    bool
	length int
	bytes  string
}

// recorder keeps the frames of one kind that a NIC shows.
type recorder struct {
	mu   sync.Mutex
	list []seen
}

const ours = 0x88b5 // an EtherType for experiments

func (r *recorder) see(f *nic.Frame) {
	if !bytes.Contains(f.Bytes[12:min(len(f.Bytes), 24)], binary.BigEndian.AppendUint16(nil, ours)) {
		return // the kernel's
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, seen{f.At, f.Out, f.Length, string(f.Bytes)})
}

func (r *recorder) all() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// frame is one of ours, with some words after the addresses.
func frame(size int, words ...uint16) []byte {
	f := []byte{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1}
	for _, w := range words {
		f = binary.BigEndian.AppendUint16(f, w)
	}
	return append(f, make([]byte, size-len(f))...)
}

// joined makes a cable between two namespaces, and opens both ends.
func joined(t *testing.T, l *netlab.Lab, edit func(*nic.Config)) (list [2]*nic.NIC) {
	t.Helper()
	l.Run("ip", "netns", "add", "h1")
	l.Run("ip", "netns", "add", "h2")
	l.Run("ip", "-n", "h1", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", "h2")
	for _, space := range []string{"h1", "h2"} {
		l.Run("ip", "-n", space, "link", "set", "eth0", "up")
	}
	for i, space := range []string{"h1", "h2"} {
		c, err := nic.Parse("eth0,netns=" + space)
		if err != nil {
			t.Fatal(err)
		}
		c.State = filepath.Join(t.TempDir(), "state")
		edit(&c)
		if list[i], err = nic.Open(c); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestFramesAreSeenAtBothEnds: each frame is seen where it is sent and where it comes, in this
// order, in the order of sending, with its tags, and as long as it is.
func TestFramesAreSeenAtBothEnds(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		ends := joined(t, l, func(c *nic.Config) { c.Kept = 64 })
		var got [2]recorder
		for i, n := range ends {
			n.Watch(got[i].see)
		}
		var sent [][]byte
		for i := range 200 {
			sent = append(sent, frame(1000, ours, uint16(i)), frame(1514, 0x8100, 7, ours, uint16(i)),
				frame(60, 0x88a8, 8, 0x8100, 9, ours, uint16(i)))
		}
		for _, f := range sent {
			if err := ends[0].Send(f); err != nil {
				t.Fatal(err)
			}
		}
		l.Eventually(patience, "all is seen",
			func() bool { return len(got[0].all()) == len(sent) && len(got[1].all()) == len(sent) })
		out, in := got[0].all(), got[1].all()
		for i, f := range sent {
			want := string(f[:min(len(f), 64)])
			tagged := 0
			if f[12] != 0x88 || f[13] == 0xa8 {
				tagged = 4 // of a frame whose tag was taken out, what is kept is as much longer
			}
			for at, s := range []seen{out[i], in[i]} {
				if s.out != (at == 0) || s.length != len(f) || s.bytes[:min(len(s.bytes), 64)] != want ||
					len(s.bytes) > 64+tagged {
					t.Fatalf("end %d, frame %d: %+v, want %d bytes, %x", at, i, s, len(f), want)
				}
			}
			if out[i].at > in[i].at || out[i].at == 0 {
				t.Fatalf("frame %d left at %d and came at %d", i, out[i].at, in[i].at)
			}
		}
		for i, n := range ends {
			c := n.Counters()
			if c.Lost != 0 || c.Seen < uint64(len(sent)) || c.Sent != uint64(len(sent)*(1-i)) {
				t.Errorf("end %d: %+v", i, c)
			}
			if err := errors.Join(n.Close(), n.Close()); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestOthersFramesAreSeen: what programs send that know nothing of a NIC, is seen too, as sent.
func TestOthersFramesAreSeen(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		ends := joined(t, l, func(*nic.Config) {})
		for i, space := range []string{"h1", "h2"} {
			l.Run("ip", "-n", space, "address", "add", fmt.Sprintf("10.0.0.%d/24", i+1), "dev", "eth0")
		}
		var at [2]*probe.Assembler
		var mu sync.Mutex
		for i, n := range ends {
			at[i] = probe.NewAssembler(n.MTU())
			n.Watch(func(f *nic.Frame) {
				mu.Lock()
				defer mu.Unlock()
				at[i].Add(probe.Stamp(f.At), f.Out, f.Length, f.Bytes)
			})
		}
		const count = 5
		for _, size := range []string{"56", "10000"} {
			l.Run("ip", "netns", "exec", "h1", "ping", "-n", "-c", fmt.Sprint(count), "-i", "0.02", "-s", size, "10.0.0.2")
		}
		var list []probe.Echo
		l.Eventually(patience, "all echoes are seen", func() bool {
			mu.Lock()
			defer mu.Unlock()
			list = probe.Echoes(probe.Pair(at[0].Passages(), at[1].Passages()), probe.Pair(at[1].Passages(), at[0].Passages()))
			return len(list) == 2*count
		})
		for _, n := range ends {
			if err := n.Close(); err != nil {
				t.Error(err)
			}
		}
		for _, e := range list {
			if e.Path() <= 0 || e.Turnaround() <= 0 || e.Ping() != e.Path()+e.Turnaround() {
				t.Errorf("echo %d: ping %v, turnaround %v, path %v", e.Seq(), e.Ping(), e.Turnaround(), e.Path())
			}
		}
		if c := at[0].Counts(); c.Merged > 0 || c.Unfinished > 0 {
			t.Errorf("%+v", c)
		}
	})
}

// TestLostObservationsAreCounted: frames that nobody reads in time are counted, one by one.
func TestLostObservationsAreCounted(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		ends := joined(t, l, func(*nic.Config) {})
		const count = 100
		f := frame(1514, ours)
		for range count { // of which nobody reads the stamps, as Watch was not called
			if err := ends[0].Send(f); err != nil {
				t.Fatal(err)
			}
		}
		if c := ends[0].Counters(); c.Sent != count || c.Lost != count || c.Seen != 0 {
			t.Errorf("%+v, want all of %d lost", c, count)
		}
		var got recorder
		ends[0].Watch(got.see)
		l.Eventually(patience, "stamps are read", func() bool { return ends[0].Counters().Lost == 0 && len(got.all()) == count })
	})
}

// features are those of an interface that ethtool shows as on.
func features(l *netlab.Lab, space string) (on []string) {
	for line := range strings.Lines(l.Run("ip", "netns", "exec", space, "ethtool", "-k", "eth0")) {
		if name, ok := strings.CutSuffix(strings.TrimSpace(line), ": on"); ok {
			on = append(on, name)
		}
	}
	return on
}

// TestOffloadsArePutBack by Close, and after kill -9 by the next start. While a NIC is open they are
// off, and nobody else may open it.
func TestOffloadsArePutBack(t *testing.T) {
	need.Program(t, "ethtool")
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		var cfg [2]nic.Config
		state := filepath.Join(t.TempDir(), "state")
		before := map[string][]string{}
		ends := joined(t, l, func(c *nic.Config) {
			before[c.Namespace] = features(l, c.Namespace)
			c.State = state
			cfg[map[string]int{"h1": 0, "h2": 1}[c.Namespace]] = *c
		})
		back := func(space string) bool { return slices.Equal(features(l, space), before[space]) }
		for _, c := range cfg {
			on := features(l, c.Namespace)
			if slices.Contains(on, "tx-tcp-segmentation") || slices.Contains(on, "tx-udp-segmentation") {
				t.Errorf("%s: %q on", c.Namespace, on)
			}
			if _, err := nic.Open(c); !errors.Is(err, probe.ErrTaken) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
				t.Errorf("twice: %v", err)
			}
		}
		for i, n := range ends {
			if err := n.Close(); err != nil || !back(cfg[i].Namespace) {
				t.Errorf("%v: %q are on, and were %q", err, features(l, cfg[i].Namespace), before[cfg[i].Namespace])
			}
		}
		killed(t, l, state)
		if left, _ := filepath.Glob(filepath.Join(state, "*")); back("h1") || len(left) != 1 {
			t.Fatalf("a killed process leaves %q, and %q on", left, features(l, "h1"))
		}
		n, err := nic.Open(cfg[1]) // another interface
		if err != nil {
			t.Fatal(err)
		}
		if !back("h1") {
			t.Errorf("after the next start %q are on, and were %q", features(l, "h1"), before["h1"])
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		killed(t, l, state)
		l.Run("ip", "-n", "h1", "link", "del", "eth0") // nothing is to be put back
		l.Run("ip", "-n", "h1", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", "h2")
		_, err = nic.Open(cfg[1])
		if left, _ := filepath.Glob(filepath.Join(state, "*")); !errors.Is(err, probe.ErrDown) || len(left) != 0 {
			t.Errorf("%v; left are %q", err, left)
		}
	})
}

// self is this program, also for whoever may not see its folder.
const self = "/proc/self/exe"

// killed has a process open the interface of h1, and kills it.
func killed(t *testing.T, l *netlab.Lab, state string) {
	t.Helper()
	cmd := exec.Command(self, "-test.run=^TestToBeKilled$")
	cmd.Env = append(os.Environ(), "NIC_STATE="+state)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

// TestToBeKilled runs in a process that TestOffloadsArePutBack starts.
func TestToBeKilled(t *testing.T) {
	state := os.Getenv("NIC_STATE")
	if state == "" {
		return
	}
	if _, err := nic.Open(nic.Config{Interface: "eth0", Namespace: "h1", State: state}); err != nil {
		t.Fatal(err)
	}
	fmt.Println("open")
	time.Sleep(patience)
}

// TestOpenRefuses what cannot be, and says what to do.
func TestOpenRefuses(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		l.Run("ip", "link", "add", "name", "v0", "type", "veth", "peer", "name", "v1")
		for text, want := range map[string]error{"nothing": probe.ErrNoInterface, "v0,netns=nowhere": probe.ErrNoInterface,
			"v0,netns=/proc/0/ns/net": probe.ErrNoInterface, "v0": probe.ErrDown} {
			c, err := nic.Parse(text)
			if err == nil {
				_, err = nic.Open(c)
			}
			if !errors.Is(err, want) || !strings.Contains(err.Error(), "want ") {
				t.Errorf("%s: %v, want %v", text, err, want)
			}
		}
		for _, name := range []string{"v0", "v1"} {
			l.Run("ip", "link", "set", "dev", name, "up")
		}
		if _, err := nic.Open(nic.Config{Interface: "v0", Stamps: nic.Hardware}); !errors.Is(err, probe.ErrHardware) {
			t.Errorf("hardware stamps of a veth: %v", err)
		}
		n, err := nic.Open(nic.Config{Interface: "v0", Stamps: nic.Best})
		if err != nil || n.Stamps() != nic.Software {
			t.Fatalf("the best stamps of a veth: %v", err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		nobody(t)
	})
}

// nobody may not open an interface.
func nobody(t *testing.T) {
	cmd := exec.Command(self, "-test.run=^TestAsNobody$", "-test.v")
	cmd.Env = append(os.Environ(), "NIC_NOBODY=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestAsNobody") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestAsNobody runs in a process without privilege, which TestOpenRefuses starts.
func TestAsNobody(t *testing.T) {
	if os.Getenv("NIC_NOBODY") == "" {
		return
	}
	for _, c := range []nic.Config{{Interface: "v0"}, {Interface: "v0", AsIs: true}, {Interface: "v0", State: "/tmp/nobody's"}} {
		if _, err := nic.Open(c); !errors.Is(err, probe.ErrPrivilege) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, _, _, err := nic.Cable(1500); !errors.Is(err, probe.ErrPrivilege) {
		t.Errorf("a cable: %v", err)
	}
}
