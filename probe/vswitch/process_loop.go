//go:build linux

package vswitch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// process is a program that runs as long as the switch.
type process struct {
	cmd    *exec.Cmd
	output string // file
	done   chan struct{}
}

// start starts a program in the namespace.
func (s *Switch) start(name string, args ...string) error {
	cmd := s.command(context.Background(), name, args...)
	p := &process{cmd: cmd, output: filepath.Join(s.dir, fmt.Sprintf("output-%d", len(s.processes))), done: make(chan struct{})}
	out, err := os.Create(p.output)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.at.Inside(cmd.Start); err != nil {
		return fmt.Errorf("starting %s: %w", name, err)
	}
	s.processes = append(s.processes, p)
	go func() {
		_ = cmd.Wait()
		close(p.done)
	}()
	return nil
}

// ended is an error if the process has ended, with what it said last.
func (p *process) ended() error {
	select {
	case <-p.done:
		text, _ := os.ReadFile(p.output)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		return fmt.Errorf("%s has ended: %s", filepath.Base(p.cmd.Path), lines[len(lines)-1])
	default:
		return nil
	}
}

// stop ends the process and waits for it.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(3 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}
