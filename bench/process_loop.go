package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/weirnet/weir/openflow"
)

// The names of the controllers that are started.
const (
	Self              = "self"               // weir node, of this binary
	Bare              = "bare"               // a null responder in Go: Respond
	OVSTestcontroller = "ovs-testcontroller" // Open vSwitch's learning switch, if it is installed
)

// isController says whether a controller can be started by this name, or is an address.
func isController(name string) bool {
	_, _, err := net.SplitHostPort(name)
	return err == nil || name == Self || name == Bare || name == OVSTestcontroller
}

// process is a controller that runs.
type process struct {
	address string
	api     string // of Weir
	cmd     *exec.Cmd
	dir     string
	began   time.Time
	ended   chan struct{}
	said    *tail
}

// startController starts a controller by its name and waits until it listens; an address is that of one that runs.
func startController(ctx context.Context, name string, v openflow.Version, program string) (*process, error) {
	if strings.Contains(name, ":") {
		return &process{address: name}, nil
	}
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "weir-bench-")
	if err != nil {
		return nil, err
	}
	p := &process{address: ports[0], api: ports[1], dir: dir}
	var cmd *exec.Cmd
	switch name {
	case Self:
		cmd = exec.Command(program, "node", "--openflow", p.address, "--api", p.api, "--auth", "none",
			"--data-dir", filepath.Join(dir, "state"), "--log-level", "warn")
	case Bare:
		cmd = exec.Command(program, "bench", "responder", "--listen", p.address)
	case OVSTestcontroller:
		_, port, _ := net.SplitHostPort(p.address)
		cmd = exec.Command(name, "-O", map[openflow.Version]string{openflow.V10: "OpenFlow10", openflow.V13: "OpenFlow13"}[v],
			"--unixctl="+filepath.Join(dir, "control"), "ptcp:"+port+":127.0.0.1")
	}
	return p, p.start(ctx, cmd)
}

// start starts the process and waits until it takes connections.
func (p *process) start(ctx context.Context, cmd *exec.Cmd) error {
	p.said = &tail{}
	cmd.Stdout, cmd.Stderr = p.said, p.said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.began = time.Now()
	if err := cmd.Start(); err != nil {
		os.RemoveAll(p.dir)
		return err
	}
	p.cmd, p.ended = cmd, make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(p.ended)
	}()
	if err := p.await(ctx, p.address); err != nil {
		p.stop()
		return err
	}
	return nil
}

// startLimit is how long a controller may take until it listens.
const startLimit = 10 * time.Second

// await waits until somebody listens at an address.
func (p *process) await(ctx context.Context, address string) error {
	for time.Since(p.began) < startLimit {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s has ended: %s", p.cmd.Path, p.said.last())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Microsecond):
		}
	}
	return fmt.Errorf("%s does not listen at %s after %v", p.cmd.Path, address, startLimit)
}

// stop ends the process and waits for it.
func (p *process) stop() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(3 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
	os.RemoveAll(p.dir)
}

// freePorts finds addresses on loopback that nobody listens at.
func freePorts(n int) ([]string, error) {
	var out []string
	for range n {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer ln.Close()
		out = append(out, ln.Addr().String())
	}
	return out, nil
}

// clocks are the CPU times at the beginning of a run.
type clocks struct {
	p        *process
	own, its time.Duration
}

func (*sample) startClocks(p *process) clocks {
	return clocks{p: p, own: ownCPU(), its: p.cpu()}
}

// stop takes the CPU times of the run and the controller's memory.
func (c clocks) stop(s *sample) {
	s.generator = ownCPU() - c.own
	s.cpu = c.p.cpu() - c.its
	s.rss = c.p.memory()
}

// ownCPU is the CPU time of this process.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// errStat is of a process whose times cannot be read.
var errStat = errors.New("no CPU times in /proc")

// clockTick is the unit of CPU times in /proc: 1/100 s on Linux.
const clockTick = 10 * time.Millisecond

// cpu is the CPU time of the process; 0 if it is not ours or cannot be read.
func (p *process) cpu() time.Duration {
	if p == nil || p.cmd == nil {
		return 0
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	t, err := parseStat(string(b))
	if err != nil {
		return 0
	}
	return t
}

// parseStat reads utime and stime, fields 14 and 15 of /proc/PID/stat. The second, in brackets, may hold spaces.
func parseStat(s string) (time.Duration, error) {
	fields := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(fields) < 13 {
		return 0, errStat
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return 0, errStat
	}
	return time.Duration(user+system) * clockTick, nil
}

// memory is the resident set of the process in bytes; 0 if it is not ours or cannot be read.
func (p *process) memory() int64 {
	if p == nil || p.cmd == nil {
		return 0
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
