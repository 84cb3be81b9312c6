package child

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Child is a program that runs.
type Child struct {
	cmd    *exec.Cmd
	output string // file
	done   chan struct{}
}

// Start starts a command, whose start is called by in: on a thread of another network namespace, say.
// What it prints goes to the file output.
func Start(cmd *exec.Cmd, output string, in func(start func() error) error) (*Child, error) {
	c := &Child{cmd: cmd, output: output, done: make(chan struct{})}
	out, err := os.Create(output)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := in(cmd.Start); err != nil {
		return nil, fmt.Errorf("starting %s: %w", c.name(), err)
	}
	c.watch()
	return c, nil
}

func (c *Child) name() string { return filepath.Base(c.cmd.Path) }

// Ended is an error if the program has ended, with what it said last.
func (c *Child) Ended() error {
	select {
	case <-c.done:
		text, _ := os.ReadFile(c.output) // without it the error says less
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		return fmt.Errorf("%s has ended: %s", c.name(), lines[len(lines)-1])
	default:
		return nil
	}
}

// stopping is how long a program may take to end when it is asked to.
const stopping = 3 * time.Second

// Stop ends the program and waits for it.
func (c *Child) Stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // or it has ended
	select {
	case <-c.done:
	case <-time.After(stopping):
		_ = c.cmd.Process.Kill()
		<-c.done
	}
}
