package etcd

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// TestOtherUsersAreRefused: a process of another user is not served at a peer port without TLS, those of root and of the
// same user are.
func TestOtherUsersAreRefused(t *testing.T) {
	need.Root(t)
	var log bytes.Buffer
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		inner, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		l := &ownUsers{Listener: inner, log: slog.New(slog.NewTextHandler(&log, nil))}
		var serving sync.WaitGroup
		serving.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(c, "served")
				c.Close()
			}
		})
		for uid, want := range map[uint32]string{0: "served", 65534: ""} {
			host, port, _ := net.SplitHostPort(inner.Addr().String())
			cmd := exec.Command("/bin/bash", "-c", "exec 3<>/dev/tcp/"+host+"/"+port+"; cat <&3")
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
			cmd.Dir = "/"
			out, _ := cmd.Output() // a connection that is reset
			if string(out) != want {
				t.Errorf("%s, user %d: %q, want %q", address, uid, out, want)
			}
		}
		inner.Close()
		serving.Wait()
	}
	if n := strings.Count(log.String(), "uid=65534"); n != 2 || os.Geteuid() != 0 {
		t.Errorf("%d refusals are logged, want one at each port: %s", n, &log)
	}
}

// TestOtherUserThatHasGone: a process of another user that has sent its request and closed its socket before the
// connection is accepted is refused too: the kernel says of such a socket that it is of root, or has none any more.
func TestOtherUserThatHasGone(t *testing.T) {
	need.Root(t)
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	host, port, _ := net.SplitHostPort(inner.Addr().String())
	cmd := exec.Command("/bin/bash", "-c", "exec 3<>/dev/tcp/"+host+"/"+port+"; echo forged >&3")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	cmd.Dir = "/"
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond) // the goroutine that accepts is busy with others
	got := make(chan string, 1)
	go func() {
		c, err := (&ownUsers{Listener: inner, log: slog.Default()}).Accept()
		if err != nil {
			got <- ""
			return
		}
		b, _ := io.ReadAll(c)
		got <- string(b)
	}()
	select {
	case s := <-got:
		t.Errorf("user 65534 is let in, and its request is read: %q", s)
	case <-time.After(time.Second):
	}
}
