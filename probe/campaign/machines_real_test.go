//go:build real && linux

package campaign_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/wire"
)

const observerAt = "127.0.0.1:8620"

// observe starts an observer of an interface, as a process of its own.
func observe(l *netlab.Lab, at string, args ...string) *netlab.Process {
	p := l.StartProbe(append([]string{"observe", "--at", at, "--listen", observerAt}, args...)...)
	l.Eventually(patience, "the observer listens", func() bool { return strings.Contains(p.Output(), "observing ") })
	return p
}

// TestTwoMachines: of two processes with a relay between them that holds each frame for a time, no
// path latency is found that is shorter, and each echo is found. One way is told where it is said
// that it may be, and no other time.
func TestTwoMachines(t *testing.T) {
	t.Parallel()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		const there, back, count = 30 * time.Millisecond, 10 * time.Millisecond, 5
		at := ends(t, l, 1500)
		relay := l.Impair("p0", "p1", netlab.Impairment{There: there, Back: back})
		defer relay.Close()
		far := observe(l, at[1].String())
		for _, c := range []campaign.Latency{{}, {Six: true, VLAN: 7, ClocksAgree: true}, {Symmetric: true}} {
			c.From, c.Observer, c.Count, c.Interval, c.Limits.Foreign = at[0], observerAt, count, soon, 1
			c.Sizes = []int{56, 10000}
			r, samples := measure(t, &c)
			for i, size := range c.Sizes {
				if n := bySize(samples)[size]; n != count {
					t.Errorf("%d echoes of %d bytes, want %d", n, size, count)
				}
				if busy := strings.HasPrefix(r.Results[i].Refused, probe.ErrSpread.Error()); !busy {
					figures(t, &c, r.Results[i], 2*count)
				}
			}
			for _, s := range samples {
				if s.Path < there+back || s.Ping != s.Path+s.Other || s.Ways != c.ClocksAgree ||
					s.Ways && (s.There < there || s.Back < back || s.There+s.Back != s.Path) {
					t.Errorf("%+v, of a relay that holds frames for %v and %v", s, there, back)
				}
			}
		}
		l.Eventually(patience, "the observer is left", func() bool { return strings.Count(far.Output(), " has gone") == 3 })
		if code := far.End(patience); code != 0 {
			t.Errorf("the observer ends with %d", code)
		}
	})
}

// figures looks at a result: of each machine's cable there are so many samples.
func figures(t *testing.T, c *campaign.Latency, x *report.Result, cables int) {
	if x.Refused != "" {
		t.Errorf("%s: refused as %q", x.Subject, x.Refused)
		return
	}
	for _, name := range []string{"own share", "own share of the observer"} {
		if m := x.Measure(name); m == nil || len(m.Runs) != cables {
			t.Errorf("%s: %s: %+v, want %d runs", x.Subject, name, m, cables)
		}
	}
	if there, way := x.Measure("there") != nil, x.Measure("one way"); there != c.ClocksAgree || (way != nil) != c.Symmetric ||
		way != nil && way.Median != x.Measure("path latency").Median/2 {
		t.Errorf("%s: there %v, one way %+v of %+v", x.Subject, there, way, x.Measure("path latency"))
	}
}

// TestStampFindsTheSame: over a relay that holds each frame for a time, neither two probes at its ends
// nor STAMP over the kernel's sockets find a shorter path latency, and tshark reads the datagrams as
// what they are. How far apart the two are is a matter of this machine.
func TestStampFindsTheSame(t *testing.T) {
	t.Parallel()
	need.Program(t, "tcpdump")
	tshark := need.Program(t, "tshark")
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		const there, back, count = 3 * time.Millisecond, 2 * time.Millisecond, 20
		at := ends(t, l, 1500)
		relay := l.Impair("p0", "p1", netlab.Impairment{There: there, Back: back})
		defer relay.Close()
		dir := t.TempDir()
		far := observe(l, at[1].String())
		paths := map[string][]time.Duration{"echoes": run(t, l, dir, 4, l.StartProbe, "latency", "--from", at[0].String(),
			"--to", "observer="+observerAt, "--size", "56", "--max-foreign", "9")}
		far.End(patience)
		for i, end := range at {
			n, err := nic.Open(end) // the kernel leaves checksums out, and the relay would too, where offloads stay on
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			l.Run("ip", "-n", end.Namespace, "address", "add", fmt.Sprintf("10.0.0.%d/24", i+1), "dev", "eth0")
		}
		reflector := l.StartProbeIn(at[1].Namespace, "reflect", "--listen", "10.0.0.2:862")
		l.Eventually(patience, "the reflector listens",
			func() bool { return strings.Contains(reflector.Output(), "reflecting at") })
		capture := filepath.Join(dir, "stamp.pcap")
		dump := l.Start("ip", "netns", "exec", at[0].Namespace, "tcpdump", "-U", "-i", "eth0", "-w", capture, "udp")
		l.Eventually(patience, "tcpdump listens", func() bool { return strings.Contains(dump.Output(), "listening on") })
		near := func(args ...string) *netlab.Process { return l.StartProbeIn(at[0].Namespace, args...) }
		paths["STAMP"] = run(t, l, dir, 3, near, "stamp", "10.0.0.2")
		for name, list := range paths {
			t.Logf("%s: %v, of a relay that holds frames for %v: %v", name, probe.Median(list), there+back, list)
			if len(list) != count || slices.Min(list) < there+back {
				t.Errorf("%s: %d path latencies, want %d of %v or more", name, len(list), count, there+back)
			}
		}
		read := func() (ttls []string) {
			text, err := exec.Command(tshark, "-r", capture, "-d", "udp.port==862,twamp.test", "-Y", "udp.srcport==862",
				"-T", "fields", "-e", "twamp.test.seq_number", "-e", "twamp.test.sender_ttl").Output()
			if err != nil {
				return nil // the last packet is not whole yet
			}
			return strings.Fields(string(text))
		}
		l.Eventually(patience, "tcpdump has written all", func() bool { return len(read()) == 2*count })
		for i, list := 0, read(); i < count; i++ {
			if list[2*i] != fmt.Sprint(i) || list[2*i+1] != "255" {
				t.Errorf("reply %d is number %s to tshark, of a request with a TTL of %s", i, list[2*i], list[2*i+1])
			}
		}
		reflector.End(patience)
		text := reflector.Output()
		if !strings.Contains(text, "reflected 20, ") || !strings.Contains(text, "not answered: 0 too short") {
			t.Errorf("the reflector ends with %q", text)
		}
	})
}

// run measures by a process, and reads the path latencies from a column of its table.
func run(t *testing.T, l *netlab.Lab, dir string, column int, start func(args ...string) *netlab.Process,
	args ...string) (list []time.Duration) {
	table := filepath.Join(dir, args[0]+".csv")
	p := start(append(args, "--csv", table)...)
	l.Eventually(time.Minute, "the measurement ends", p.Ended)
	file, err := os.Open(table)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Output())
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) == 0 || rows[0][column] != "path_ns" {
		t.Fatalf("%v, %q", err, rows)
	}
	for _, row := range rows[1:] {
		ns, err := strconv.ParseInt(row[column], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, time.Duration(ns))
	}
	return list
}

// TestObserverIsKilled: a measurement whose observer is killed ends at once, with who is gone.
func TestObserverIsKilled(t *testing.T) {
	t.Parallel()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := ends(t, l, 1500)
		relay := l.Impair("p0", "p1", netlab.Impairment{})
		defer relay.Close()
		far := observe(l, at[1].String())
		var notes sync.Map
		c := campaign.Latency{From: at[0], Observer: observerAt, Sizes: []int{56}, Count: 100, Interval: 10 * time.Millisecond,
			Note: func(format string, _ ...any) { notes.Store(format, true) }}
		failed := make(chan error, 1)
		go func() {
			_, _, err := c.Run(context.Background())
			failed <- err
		}()
		l.Eventually(time.Minute, "echoes are on the path", func() bool {
			_, ok := notes.Load("path latency: %d echoes of %d bytes")
			return ok
		})
		far.Kill()
		select {
		case err := <-failed:
			if !errors.Is(err, probe.ErrGone) || !strings.Contains(err.Error(), observerAt) {
				t.Errorf("%v, want that the observer at %s is gone", err, observerAt)
			}
		case <-time.After(patience): // a hundred echoes without an answer take longer
			t.Error("the measurement goes on without its observer")
		}
	})
}

// TestWhomAnObserverRefuses: a second near side, one without the key and one of another version. Who
// goes makes room.
func TestWhomAnObserverRefuses(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := ends(t, l, 1500)
		relay := l.Impair("p0", "p1", netlab.Impairment{})
		defer relay.Close()
		far := observe(l, at[1].String())
		c := campaign.Latency{From: at[0], Observer: observerAt, Sizes: []int{56}, Count: campaign.MaxCount,
			Interval: time.Second}
		first, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			c := c
			_, _, err := c.Run(first)
			left <- err
		}()
		l.Eventually(patience, "one measures", func() bool { return strings.Contains(far.Output(), "measuring for") })
		second := c
		_, _, err := second.Run(t.Context())
		if !errors.Is(err, probe.ErrTaken) || !strings.Contains(err.Error(), "measures for 127.0.0.1:") {
			t.Errorf("a second near side: %v", err)
		}
		stranger := c
		stranger.Key = []byte("another key, of 28 bytes")
		if _, _, err := stranger.Run(t.Context()); !errors.Is(err, probe.ErrKey) {
			t.Errorf("a near side with another key: %v", err)
		}
		if why := later(t); !strings.Contains(why, "version 2 given, want 1") {
			t.Errorf("a near side of a later version is told %q", why)
		}
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("the first ended with %v", err)
		}
		third := c
		third.Count, third.Interval = 2, 0
		l.Eventually(patience, "there is room again", func() bool {
			_, _, err := third.Run(t.Context())
			return err == nil
		})
	})
}

// later speaks to the observer as a later version would, and returns what it is told.
func later(t *testing.T) string {
	conn, err := net.Dial("tcp", observerAt)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var hello wire.Hello
	var answer wire.Proof
	if err := errors.Join(wire.Read(conn, wire.Short, &hello), wire.Write(conn, wire.Proof{Version: wire.Version + 1}),
		wire.Read(conn, wire.Short, &answer)); err != nil {
		t.Fatal(err)
	}
	return answer.Error.Err().Error()
}
