package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/weirnet/weir/cli/command"
)

// TestUp starts instance and network as a user does who has a YAML file with a schedule, and reads
// what is said: events, whom nobody can ping, and where captures are.
func TestUp(t *testing.T) {
	dir := t.TempDir()
	lab := filepath.Join(dir, "lab.yaml")
	if err := os.WriteFile(lab, []byte(`
switches: [left, right]
links: [[left, right]]
hosts:
- {name: a, at: left}
- {name: b, at: right}
- {name: lonely, at: right, vlan: 7}
schedule:
- {at: 0s, host: a, ping: b, count: 1}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs said
	ctx, stop := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"up", lab, "--plain", "--auth", "none", "--api", "127.0.0.1:0", "--openflow",
			"127.0.0.1:0", "--emulator-api", "127.0.0.1:0",
			"--capture-dir", dir}, strings.NewReader(""), &out, &errs)
	}()
	url := out.await(t, `  network   (http://[^, ]*)`)[1]
	out.await(t, `event: host a ping b`)
	out.await(t, `all 2 switches, 1 link and 2 hosts have answered after .*; besides: 1 host that nobody can ping`)
	resp, err := http.Post(url+"/v1/captures", "application/json", strings.NewReader(`{"at":"left:1","file":"left.pcap"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if _, err := os.Stat(filepath.Join(dir, "left.pcap")); err != nil {
		t.Errorf("%s: %v", resp.Status, err)
	}
	stop()
	if c := <-code; c != command.ExitDone {
		t.Errorf("exit code %d: %s", c, errs.String())
	}
}

// TestUpKillsItsOwner: of three instances the owner is killed by what is typed, another takes over, no packet over an
// intent is lost, the one that was killed comes back, and nothing is left at the end.
func TestUpKillsItsOwner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	typed, keyboard := io.Pipe()
	var out, errs said
	ctx, stop := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"up", "linear:3,hosts=2", "--plain", "--instances", "3", "--intents", "6", "--data-dir", dir,
			"--api", "127.0.0.1:0", "--openflow", "127.0.0.1:0", "--peer", "127.0.0.1:0", "--emulator-api", "127.0.0.1:0"},
			typed, &out, &errs)
	}()
	defer stop()
	out.await(t, `all 3 switches, 2 links and 6 hosts have answered after .*`)
	out.await(t, `6 intents between hosts are installed .*`)
	fmt.Fprintln(keyboard, "k")
	pid := out.await(t, `event: instance a is killed \(process ([0-9]+)\)`)[1]
	if n, err := strconv.Atoi(pid); err != nil || syscall.Kill(n, 0) != syscall.ESRCH {
		t.Errorf("process %s lives", pid)
	}
	next := out.await(t, `event: instance ([bc]) is the owner now`)[1]
	fmt.Fprintln(keyboard, "king")
	out.await(t, `event: "king" given, want the number of an instance, 1 to 3, or k for the owner`)
	fmt.Fprintln(keyboard, "1")
	out.await(t, `event: instance a is started again`)
	out.await(t, `.* lost 0; instances: 1 a standby.*`+next+` owner of 3 switches.*`)
	stop()
	if c := <-code; c != command.ExitDone {
		t.Errorf("exit code %d: %s", c, errs.String())
	}
	out.await(t, `instances were killed 1 time; .* and 0 packets of [1-9][0-9,]* over intents`)
	if _, err := os.Stat(filepath.Join(dir, "c.log")); err != nil {
		t.Error(err)
	}
}

// TestUpEndsWithItsReader: it ends in order when nobody reads its output any more. A connection of its own that is broken, of
// which the same signal tells, does not end it.
func TestUpEndsWithItsReader(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	code := make(chan int, 1)
	go func() {
		defer writer.Close() // so that who reads hears of its end
		code <- run(t.Context(), []string{"up", "single:2", "--plain", "--auth", "none", "--api", "127.0.0.1:0", "--openflow",
			"127.0.0.1:0", "--emulator-api", "127.0.0.1:0", "--data-dir", t.TempDir()}, strings.NewReader(""), writer, io.Discard)
	}()
	lines := bufio.NewScanner(reader)
	await := func(text string) {
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return
			}
		}
		t.Fatalf("it ends before it says %q", text)
	}
	await("network")
	if err := syscall.Kill(os.Getpid(), syscall.SIGPIPE); err != nil { // as of a connection
		t.Fatal(err)
	}
	await("have answered")
	select {
	case c := <-code:
		t.Fatalf("it has ended, with exit code %d", c)
	default:
	}
	reader.Close()
	if c := <-code; c != command.ExitDone {
		t.Errorf("when nobody reads its output it ends with exit code %d", c)
	}
}
