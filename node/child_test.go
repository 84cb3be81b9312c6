package node_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/node"
)

// Tests that kill an instance run it as a child: this binary with WEIR_NODE_CHILD set to its data directory, and WEIR_NODE_OPENFLOW to where
// switches find it. It ends with its standard input.
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
	cfg.OpenFlow, cfg.API, cfg.DataDir = os.Getenv("WEIR_NODE_OPENFLOW"), "127.0.0.1:0", dir
	cfg.Ready = func(at node.Addresses) { fmt.Println(at.API) }
	if err := node.Run(ctx, cfg); err != nil {
		fmt.Println("error:", err)
	}
}

// child is an instance in a process of its own.
type child struct {
	dir, openflow string
	cmd           *exec.Cmd
	api           *client.Client
}

// start begins a life, and returns when the instance serves.
func (c *child) start(t *testing.T) {
	t.Helper()
	c.cmd = exec.Command(os.Args[0])
	c.cmd.Env = append(os.Environ(), "WEIR_NODE_CHILD="+c.dir, "WEIR_NODE_OPENFLOW="+c.openflow)
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
	lines := bufio.NewScanner(out)
	if !lines.Scan() || strings.HasPrefix(lines.Text(), "error:") {
		t.Fatalf("the instance does not start: %s", lines.Text())
	}
	token, err := os.ReadFile(filepath.Join(c.dir, api.AdminTokenFile))
	if err != nil {
		t.Fatal(err)
	}
	if c.api, err = client.New(client.Config{Address: lines.Text(), Token: strings.TrimSpace(string(token))}); err != nil {
		t.Fatal(err)
	}
}

// kill ends the life with SIGKILL.
func (c *child) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
	c.api.Close()
}
