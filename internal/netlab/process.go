package netlab

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// Process is a program that runs beside the test, with its output in a file that is shown if the
// test fails.
type Process struct {
	lab  *Lab
	name string
	log  string
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
	err  error         // how it ended; read after done
}

// Start starts a program. It is ended with the test, if not before.
func (l *Lab) Start(name string, args ...string) *Process {
	l.t.Helper()
	shown := name
	for i := 0; shown == "env" || strings.Contains(shown, "="); i++ { // env VARIABLE=… program
		shown = args[i]
	}
	p := &Process{lab: l, name: filepath.Base(shown), cmd: exec.Command(name, args...), done: make(chan struct{})}
	p.begin(nil)
	return p
}

// begin starts the prepared command with its output in the log, or its standard output in out where
// given.
func (p *Process) begin(out io.Writer) {
	p.lab.t.Helper()
	file, err := os.CreateTemp(p.lab.dir, p.name+"-*.log")
	if err != nil {
		p.lab.t.Fatal(err)
	}
	defer file.Close()
	p.log, p.cmd.Stdout, p.cmd.Stderr = file.Name(), file, file
	if out != nil {
		p.cmd.Stdout = out
	}
	if err := p.cmd.Start(); err != nil {
		p.lab.t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	p.lab.t.Cleanup(func() {
		p.End(2 * time.Second)
		if p.lab.t.Failed() {
			p.lab.t.Logf("%s printed:\n%s", p.name, tail(p.Output(), 4000))
		}
	})
}

// Pid is the process's number in the lab.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Output returns what the process has printed to its log so far.
func (p *Process) Output() string {
	text, _ := os.ReadFile(p.log)
	return string(text)
}

// Ended reports whether the process has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// End asks the process to end, kills it after the limit, and returns its exit code: -1 when it was
// ended by a signal.
func (p *Process) End(limit time.Duration) int {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(limit):
		p.signal(syscall.SIGKILL)
		<-p.done
	}
	return p.cmd.ProcessState.ExitCode()
}

// Stop keeps the process from running until Continue.
func (p *Process) Stop() { need.Stopped(p.lab.t, p.cmd.Process) }

// Continue lets a stopped process run again.
func (p *Process) Continue() { p.signal(syscall.SIGCONT) }

// Kill ends the process at once, as a crash would.
func (p *Process) Kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

func (p *Process) signal(s syscall.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.lab.t.Errorf("%s: %v: %v", p.name, s, err)
	}
}

func tail(text string, n int) string {
	if len(text) > n {
		return "…" + text[len(text)-n:]
	}
	return text
}
