package local

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weirnet/weir/api/client"
)

// Instance is one of a cluster. Its methods may be called by several goroutines, Start, Kill and End by one at a time.
type Instance struct {
	Name                string
	OpenFlow, API, Peer string // addresses
	Dir                 string // its data directory

	program string
	args    []string
	join    string // the peer address of another; empty: it is the first
	joined  atomic.Bool

	mu     sync.Mutex
	cmd    *exec.Cmd     // the process that runs, or ran last; nil: none yet
	ended  chan struct{} // closed when cmd has ended
	client *client.Client
}

// startLimit bounds how long an instance takes until it is a member, and endLimit until it has ended after SIGTERM.
const (
	startLimit = 60 * time.Second
	endLimit   = 5 * time.Second
	// poll is how often it is looked whether an instance has come so far.
	poll = 5 * time.Millisecond
)

// Start starts the process, with the data that it left, and waits until it stands by, or owns the network.
func (i *Instance) Start(ctx context.Context) error {
	if err := i.Begin(); err != nil {
		return err
	}
	return i.Await(ctx)
}

// Begin starts the process.
func (i *Instance) Begin() error {
	if i.Running() {
		return fmt.Errorf("instance %s runs already", i.Name)
	}
	program := i.program
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(i.log()), 0o700); err != nil {
		return err
	}
	log, err := os.OpenFile(i.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	args := []string{"node", "--name", i.Name, "--data-dir", i.Dir, "--openflow", i.OpenFlow, "--api", i.API, "--peer", i.Peer}
	if i.join != "" && !i.joined.Load() {
		args = append(args, "--join", i.join)
	}
	cmd := exec.Command(program, slices.Concat(args, i.args)...)
	if i.program == "" {
		cmd.Args[0] = os.Args[0] // as this process was called
	}
	cmd.Stdout, cmd.Stderr = log, log
	// A group of its own: an interrupt of the terminal is for who started it, which ends it in turn.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("instance %s: %w", i.Name, err)
	}
	ended := make(chan struct{})
	i.mu.Lock()
	i.cmd, i.ended = cmd, ended
	i.mu.Unlock()
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	return nil
}

// Await waits until the instance stands by, or owns the network.
func (i *Instance) Await(ctx context.Context) error {
	began := time.Now()
	for !settled(i.Self(ctx)) {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !i.Running():
			return fmt.Errorf("instance %s has ended: %s", i.Name, i.lastWords())
		case time.Since(began) > startLimit:
			return fmt.Errorf("instance %s does not stand by after %v: %s", i.Name, startLimit, i.lastWords())
		}
		time.Sleep(poll)
	}
	i.joined.Store(true)
	return nil
}

// Self is what the instance says of itself; nil: it does not answer.
func (i *Instance) Self(ctx context.Context) *client.Member {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	page, err := i.Client().Members(ctx)
	if err != nil {
		return nil
	}
	for n := range page.Items {
		if m := &page.Items[n]; m.Name == i.Name {
			return m
		}
	}
	return nil
}

// Client asks the instance, with the token of its directory if there is one.
func (i *Instance) Client() *client.Client {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.client != nil {
		return i.client
	}
	token := client.FindToken("", i.Dir)
	c, err := client.New(client.Config{Address: i.API, Token: token})
	if err != nil {
		panic(err) // the address was taken apart by Config.instance
	}
	if token != "" || slices.Contains(i.args, "--auth=none") {
		i.client = c
	}
	return c
}

// Running reports whether the process runs.
func (i *Instance) Running() bool {
	cmd, ended := i.process()
	if cmd == nil {
		return false
	}
	select {
	case <-ended:
		return false
	default:
		return true
	}
}

// PID is the id of the process; 0: it does not run.
func (i *Instance) PID() int {
	if cmd, _ := i.process(); cmd != nil && i.Running() {
		return cmd.Process.Pid
	}
	return 0
}

// process is the present process.
func (i *Instance) process() (*exec.Cmd, chan struct{}) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.cmd, i.ended
}

// Kill kills the process, as kill -9 does, and waits until the kernel has taken it down. Its data stays.
func (i *Instance) Kill() {
	if cmd, ended := i.process(); cmd != nil {
		_ = cmd.Process.Kill()
		<-ended
	}
}

// Terminate asks the process to end, and returns at once.
func (i *Instance) Terminate() { i.signal(syscall.SIGTERM) }

// Stop stops the process, as kill -STOP does, until Continue: its connections stay, and nobody reads from them.
func (i *Instance) Stop() { i.signal(syscall.SIGSTOP) }

// Continue has a process that was stopped go on.
func (i *Instance) Continue() { i.signal(syscall.SIGCONT) }

func (i *Instance) signal(s syscall.Signal) {
	if cmd, _ := i.process(); cmd != nil && i.Running() {
		_ = cmd.Process.Signal(s)
	}
}

// End has the process end, and waits.
func (i *Instance) End() {
	cmd, ended := i.process()
	if cmd == nil {
		return
	}
	i.Terminate()
	select {
	case <-ended:
	case <-time.After(endLimit):
		i.Kill()
	}
}

func (i *Instance) log() string { return filepath.Join(filepath.Dir(i.Dir), i.Name+".log") }

// maxWords is how much of the end of a log is looked at, in bytes.
const maxWords = 4096

// lastWords is the last line of the log.
func (i *Instance) lastWords() string {
	b, err := os.ReadFile(i.log())
	if err != nil {
		return err.Error()
	}
	text := strings.TrimSpace(string(b[max(len(b)-maxWords, 0):]))
	return cmp.Or(text[strings.LastIndexByte(text, '\n')+1:], "it said nothing")
}
