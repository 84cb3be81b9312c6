//go:build real

package streams

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/internal/need"
)

// childOf says in the environment of a process of this test which instance it is.
const childOf = "WEIR_STREAMS_INSTANCE"

// TestChild is an instance, in a process of TestProcesses and BenchmarkIdle: it prints its address, reads those of all, and
// then prints whom it hears whenever that changes, until its input ends.
func TestChild(t *testing.T) {
	var id ID
	if _, err := fmt.Sscan(os.Getenv(childOf), &id); err != nil {
		return // this is none of those processes
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	wake := make(chan struct{}, 1)
	self := liveness.Life{ID: id, Incarnation: uint64(os.Getpid())}
	s, err := Start(Config{Cluster: 1, Self: self, Name: fmt.Sprint("weir-", id),
		Changed: func() {
			select {
			case wake <- struct{}{}:
			default:
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(Path, s.Handler())
	go http.Serve(l, mux)
	fmt.Println("address", l.Addr())
	in := bufio.NewScanner(os.Stdin)
	in.Scan()
	var list []Peer
	for i, addr := range strings.Fields(in.Text()) {
		list = append(list, Peer{ID: ID(i + 1), Name: fmt.Sprint("weir-", i+1), Addr: addr})
	}
	s.SetPeers(list)
	go func() {
		for range wake {
			var heard []string
			for _, p := range list {
				if p.ID != id && s.Heard(p.ID) {
					heard = append(heard, fmt.Sprint(p.ID))
				}
			}
			fmt.Println("hears", strings.Join(heard, ","), s.Counts()["suspicions"])
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// child is such a process.
type child struct {
	*exec.Cmd
	in    io.WriteCloser
	lines chan string
}

// children starts processes, connected to each other.
func children(t testing.TB, n int) []*child {
	var all []*child
	var addrs []string
	for i := range n {
		c := &child{Cmd: exec.Command(os.Args[0], "-test.run=^TestChild$"), lines: make(chan string, 1000)}
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", childOf, i+1))
		c.in, _ = c.StdinPipe()
		out, _ := c.StdoutPipe()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		r := bufio.NewScanner(out)
		r.Scan()
		addrs = append(addrs, strings.TrimPrefix(r.Text(), "address "))
		go func() {
			for r.Scan() {
				c.lines <- r.Text()
			}
		}()
		all = append(all, c)
	}
	for _, c := range all {
		fmt.Fprintln(c.in, strings.Join(addrs, " "))
	}
	return all
}

// until waits for a line that begins so, and returns it.
func (c *child) until(t testing.TB, begin string) string {
	t.Helper()
	end := time.After(need.Patience)
	for {
		select {
		case line := <-c.lines:
			if strings.HasPrefix(line, begin) {
				return line
			}
		case <-end:
			t.Fatalf("no line that begins with %q", begin)
		}
	}
}

// TestProcesses: of three processes one is stopped, and suspected meanwhile; when it goes on it suspects nobody, and all hear
// all. One is killed, and the others notice. On a machine that stops processes for longer than they have been late
// before, one may suspect another for that: once in three tries it does not.
func TestProcesses(t *testing.T) {
	var last string
	for range 3 {
		if last = stopAndKill(t); last == "hears 1 1" {
			return
		}
	}
	t.Errorf("the one that was stopped says %q, want one suspicion, of the one that was killed", last)
}

// stopAndKill returns what the one that was stopped says at the end.
func stopAndKill(t *testing.T) string {
	all := children(t, 3)
	all[0].until(t, "hears 2,3")
	all[1].until(t, "hears 1,3")
	all[2].until(t, "hears 1,2")
	_ = all[1].Process.Signal(syscall.SIGSTOP)
	all[0].until(t, "hears 3 ")
	all[2].until(t, "hears 1 ")
	time.Sleep(300 * ms) // a stop of any length; connections outlive this one
	_ = all[1].Process.Signal(syscall.SIGCONT)
	all[0].until(t, "hears 2,3")
	all[2].until(t, "hears 1,2")
	_ = all[2].Process.Kill()
	all[0].until(t, "hears 2 ")
	return all[1].until(t, "hears 1 ")
}

// BenchmarkIdle measures what three instances with nothing to do take of a processor, each in a process of its own.
func BenchmarkIdle(b *testing.B) {
	all := children(b, 3)
	all[0].until(b, "hears 2,3")
	all[1].until(b, "hears 1,3")
	time.Sleep(time.Second)
	for b.Loop() {
		span := 10 * time.Second
		before := used(b, all)
		time.Sleep(span)
		b.ReportMetric(100*float64(used(b, all)-before)/float64(span)/float64(len(all)), "%core/instance")
	}
	b.ReportMetric(0, "ns/op")
}

// used is the processor time of processes.
func used(t testing.TB, all []*child) (sum time.Duration) {
	for _, c := range all {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", c.Process.Pid))
		if err != nil || len(tasks) == 0 {
			t.Fatal(err, len(tasks))
		}
		for _, task := range tasks {
			var ns int64
			text, err := os.ReadFile(task)
			if err != nil {
				continue
			}
			if _, err := fmt.Sscan(string(text), &ns); err != nil {
				t.Fatal(err)
			}
			sum += time.Duration(ns)
		}
	}
	return sum
}
