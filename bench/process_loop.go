package bench

import (
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

// process is a controller that runs.
type process struct {
	address string
	api     string // of Weir
	version string // what the program says of itself
	cmd     *exec.Cmd
	dir     string
	program string // this binary, if it is one of its controllers
	began   time.Time
	ended   chan struct{}
	output  *tail
}

// owned reports whether the process was started here, so that its CPU time and memory are known.
func (p *process) owned() bool { return p != nil && p.cmd != nil }

// startController starts a controller by its name and waits until it listens; an address is that of
// one that runs.
func (c *Reactive) startController(ctx context.Context, name string, switches int) (*process, error) {
	if strings.Contains(name, ":") {
		return &process{address: name}, nil
	}
	if name == Self || name == Bare {
		return startOwn(ctx, name, c.Program)
	}
	p, err := newProcess()
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(p.address)
	x, err := c.peerOf(name, port, p.dir, switches)
	if err != nil {
		os.RemoveAll(p.dir)
		return nil, err
	}
	p.version = firstOutputLine(x.version)
	return p, p.start(ctx, x.cmd)
}

// startOwn starts one of this binary's controllers, or of program's.
func startOwn(ctx context.Context, name, program string) (*process, error) {
	if name == Self {
		return startIn(ctx, "", program)
	}
	p, err := newOwn("", program)
	if err != nil {
		return nil, err
	}
	return p, p.start(ctx, exec.Command(p.program, "bench", "responder", "--listen", p.address))
}

// startNull starts a null instance of this binary that knows the paths of a setup.
func (c *Setup) startNull(ctx context.Context) (*process, error) {
	p, err := newOwn("", "")
	if err != nil {
		return nil, err
	}
	return p, p.start(ctx, exec.Command(p.program, "bench", "responder", "--listen", p.address, "--api", p.api,
		"--topology", c.Topology,
		"--hops", strconv.Itoa(c.Hops), "--seed", strconv.FormatUint(c.Seed, 10)))
}

// startOf starts what a scenario measures in which a network comes into the view: an instance, or
// the null instance that knows the topology.
func startOf(ctx context.Context, null bool, program, topology string, seed uint64) (*process, error) {
	if !null {
		return startIn(ctx, "", program)
	}
	p, err := newOwn("", "")
	if err != nil {
		return nil, err
	}
	return p, p.start(ctx, exec.Command(p.program, "bench", "responder", "--listen", p.address, "--api", p.api,
		"--view", "--topology", topology,
		"--seed", strconv.FormatUint(seed, 10)))
}

// startIn starts an instance with its data in a new folder of a directory; the one of temporary
// files if it is empty.
func startIn(ctx context.Context, dir, program string) (*process, error) {
	p, err := newOwn(dir, program)
	if err != nil {
		return nil, err
	}
	return p, p.start(ctx, p.instance())
}

// instance is the command of an instance at the process's addresses, with its data in the process's
// folder.
func (p *process) instance() *exec.Cmd {
	return exec.Command(p.program, "node", "--openflow", p.address, "--api", p.api, "--auth", "none",
		"--data-dir", filepath.Join(p.dir, "state"), "--log-level", "warn")
}

// newOwn is a process of this binary, or of program.
func newOwn(dir, program string) (*process, error) {
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	p, err := newProcessIn(dir)
	if err == nil {
		p.program = program
	}
	return p, err
}

// newProcess is one that is not yet started, with addresses and a folder of its own.
func newProcess() (*process, error) { return newProcessIn("") }

func newProcessIn(in string) (*process, error) {
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(in, "weir-bench-")
	if err != nil {
		return nil, err
	}
	return &process{address: ports[0], api: ports[1], dir: dir}, nil
}

// start starts the process and waits until it takes connections.
func (p *process) start(ctx context.Context, cmd *exec.Cmd) error {
	p.output = &tail{}
	cmd.Stdout, cmd.Stderr = p.output, p.output
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
const startLimit = 30 * time.Second

// await waits until somebody listens at an address.
func (p *process) await(ctx context.Context, address string) error {
	for time.Since(p.began) < startLimit {
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

// kill ends the process as kill -9 does; what it has on the disk stays.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
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
