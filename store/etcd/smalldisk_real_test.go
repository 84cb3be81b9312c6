//go:build real

package etcd

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/weirnet/weir/internal/need"
)

// TestFullDisk fills a small disk under a store that is written to: nothing is taken, it is said,
// the process lives, and takes again when there is room.
func TestFullDisk(t *testing.T) {
	need.Root(t)
	c := startChild(t, "small disk", t.TempDir(),
		func(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS} })
	var said []string
	for c.out.Scan() {
		said = append(said, c.out.Text())
	}
	if err := c.cmd.Wait(); err != nil || len(said) != 2 || said[1] != "done" || !strings.Contains(said[0], "MiB free") {
		t.Fatalf("%v: %q\n%s", err, said, c.err.String())
	}
	t.Log(said[0])
}
