package node_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/node"
)

// Tests that kill an instance run it as a child: this binary with WEIR_NODE_CHILD set to its data
// directory, and WEIR_NODE_OPENFLOW to where switches find it; WEIR_NODE_STORE and WEIR_NODE_API
// may say more. It ends with its standard input.
func TestMain(m *testing.M) {
	dir := os.Getenv("WEIR_NODE_CHILD")
	if dir == "" {
		os.Exit(m.Run())
	}
	ctx, end := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		end()
	}()
	cfg := node.Defaults()
	cfg.Peer.Listen = "none"
	cfg.OpenFlow.Listen, cfg.API.Listen, cfg.DataDir = os.Getenv("WEIR_NODE_OPENFLOW"), "127.0.0.1:0", dir
	if at := os.Getenv("WEIR_NODE_API"); at != "" {
		cfg.API.Listen, cfg.Name, cfg.Store = at, filepath.Base(dir), os.Getenv("WEIR_NODE_STORE")
		cfg.Limits.StoreAnswer = time.Second
	}
	cfg.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	cfg.Ready = func(at node.Addresses) { fmt.Println(at.API) }
	if err := node.Run(ctx, cfg); err != nil {
		fmt.Println("error:", err)
	}
}

// child is an instance in a process of its own.
type child struct {
	dir, openflow string
	more          []string // of its environment
	within        []string // a command that starts it, before its own
	root          string   // where this process sees its files; empty: where it does
	log           logs
	cmd           *exec.Cmd
	lines         *bufio.Scanner // what it prints: one line, when it serves
	api           *client.Client
}

// begin begins a life.
func (c *child) begin(t *testing.T) {
	t.Helper()
	command := append(c.within[:len(c.within):len(c.within)], os.Args[0])
	c.cmd = exec.Command(command[0], command[1:]...)
	c.cmd.Env = append(append(os.Environ(), "WEIR_NODE_CHILD="+c.dir, "WEIR_NODE_OPENFLOW="+c.openflow), c.more...)
	c.cmd.Stderr = &c.log
	if _, err := c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	process := c.cmd
	t.Cleanup(func() { process.Process.Kill(); process.Wait() })
	c.lines = bufio.NewScanner(out)
}

// serves waits until the instance does.
func (c *child) serves(t *testing.T) {
	t.Helper()
	if !c.lines.Scan() || strings.HasPrefix(c.lines.Text(), "error:") {
		t.Fatalf("the instance does not start: %s\n%s", c.lines.Text(), tail(c.log.String(), 20))
	}
	c.connect(t, c.lines.Text())
}

// connect has its API at an address asked.
func (c *child) connect(t *testing.T, address string) {
	t.Helper()
	token, err := os.ReadFile(filepath.Join(c.root, c.dir, rest.AdminTokenFile))
	if err != nil {
		t.Fatal(err)
	}
	if c.api, err = client.New(client.Config{Address: address, Token: strings.TrimSpace(string(token))}); err != nil {
		t.Fatal(err)
	}
}

// start begins a life, and returns when the instance serves.
func (c *child) start(t *testing.T) {
	t.Helper()
	c.begin(t)
	c.serves(t)
}

// kill ends the life with SIGKILL.
func (c *child) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
	c.api.Close()
}
