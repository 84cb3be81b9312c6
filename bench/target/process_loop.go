package target

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a controller that runs.
type Process struct {
	Address string
	API     string // of Weir
	Version string // what the program says of itself
	cmd     *exec.Cmd
	pid     int // of one that was not started here, if it is known
	dir     string
	Began   time.Time
	ended   chan struct{}
	output  *tail
}

// Owned reports whether the process was started here.
func (p *Process) Owned() bool { return p != nil && p.cmd != nil }

// Running is a process that runs, and takes connections at an address. Its CPU time and memory are known if its id
// is, which is 0 otherwise.
func Running(address string, pid int) (*Process, error) {
	p := &Process{Address: address, pid: pid}
	if pid != 0 && p.Memory() == 0 {
		return nil, fmt.Errorf("process %d given, and none of that id can be read in /proc", pid)
	}
	return p, nil
}

// Known reports whether CPU time and memory of the process are known.
func (p *Process) Known() bool { return p.id() != 0 }

// id is that of the process; 0 if it is not known.
func (p *Process) id() int {
	switch {
	case p == nil:
		return 0
	case p.cmd != nil:
		return p.cmd.Process.Pid
	}
	return p.pid
}

// StartController starts a controller by its name and waits until it listens; an address is that of
// one that runs.
func StartController(ctx context.Context, name string, s *Spec) (*Process, error) {
	if err := s.supports(name); err != nil {
		return nil, err
	}
	if strings.Contains(name, ":") {
		return &Process{Address: name}, nil
	}
	if name == Self || name == Bare {
		return StartOwn(ctx, name, s.Program)
	}
	p, err := newProcess("")
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(p.Address)
	x, err := s.peerOf(name, port, p.dir)
	if err != nil {
		os.RemoveAll(p.dir)
		return nil, err
	}
	p.Version = firstOutputLine(x.version)
	return p, p.start(ctx, x.cmd)
}

// StartOwn starts one of this binary's controllers, or of program's.
func StartOwn(ctx context.Context, name, program string) (*Process, error) {
	if name == Self {
		return StartIn(ctx, "", program)
	}
	return startWeir(ctx, "", program, func(p *Process) []string {
		return []string{"bench", "responder", "--listen", p.Address}
	})
}

// StartNull starts the null instance of this binary that knows the paths of a topology.
func StartNull(ctx context.Context, topology string, hops int, seed uint64) (*Process, error) {
	return startKnowing(ctx, topology, seed, "--hops", strconv.Itoa(hops))
}

// StartNullView starts the null instance of this binary that shows a topology as it comes.
func StartNullView(ctx context.Context, topology string, seed uint64) (*Process, error) {
	return startKnowing(ctx, topology, seed, "--view")
}

func startKnowing(ctx context.Context, topology string, seed uint64, more ...string) (*Process, error) {
	return startWeir(ctx, "", "", func(p *Process) []string {
		return append([]string{"bench", "responder", "--listen", p.Address, "--api", p.API, "--topology", topology,
			"--seed", strconv.FormatUint(seed, 10)}, more...)
	})
}

// StartIn starts an instance with its data in a new folder of a directory; the one of temporary
// files if it is empty.
func StartIn(ctx context.Context, dir, program string) (*Process, error) {
	return startWeir(ctx, dir, program, func(p *Process) []string {
		return []string{"node", "--openflow", p.Address, "--api", p.API, "--auth", "none",
			"--data-dir", filepath.Join(p.dir, "state"), "--log-level", "warn"}
	})
}

// startWeir starts this binary, or program, with the arguments for the process's addresses and
// folder.
func startWeir(ctx context.Context, dir, program string, args func(*Process) []string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p, err := newProcess(dir)
	if err != nil {
		return nil, err
	}
	return p, p.start(ctx, exec.Command(cmp.Or(program, self), args(p)...))
}

// newProcess is one that is not yet started, with addresses and a new folder in a directory.
func newProcess(in string) (*Process, error) {
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(in, "weir-bench-")
	if err != nil {
		return nil, err
	}
	return &Process{Address: ports[0], API: ports[1], dir: dir}, nil
}

// start starts the process and waits until it takes connections.
func (p *Process) start(ctx context.Context, cmd *exec.Cmd) error {
	p.output = &tail{}
	cmd.Stdout, cmd.Stderr = p.output, p.output
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	p.Began = time.Now()
	if err := cmd.Start(); err != nil {
		os.RemoveAll(p.dir)
		return err
	}
	p.cmd, p.ended = cmd, make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(p.ended)
	}()
	if err := p.await(ctx, p.Address); err != nil {
		p.Stop()
		return err
	}
	return nil
}

// StartLimit is how long a controller may take until it listens.
const StartLimit = 30 * time.Second

// await waits until somebody listens at an address.
func (p *Process) await(ctx context.Context, address string) error {
	for time.Since(p.Began) < StartLimit {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s has ended: %s", p.cmd.Path, p.output.last())
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Microsecond):
		}
	}
	return fmt.Errorf("%s does not listen at %s after %v", p.cmd.Path, address, StartLimit)
}

// Check finds that the process has ended, if it was started here.
func (p *Process) Check() error {
	if !p.Owned() {
		return nil
	}
	select {
	case <-p.ended:
		return fmt.Errorf("the instance has ended: %s", p.output.last())
	default:
		return nil
	}
}

// Stop ends the process and waits for it.
func (p *Process) Stop() {
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

// Kill ends the process as kill -9 does; what it has on the disk stays.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// Restart starts a killed instance anew, at its addresses and with its data.
func (p *Process) Restart(ctx context.Context) error {
	return p.start(ctx, exec.Command(p.cmd.Path, p.cmd.Args[1:]...))
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
