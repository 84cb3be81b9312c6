package netlab

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Lab is what one test has built in its namespaces. It belongs to the test's goroutine.
type Lab struct {
	t        testing.TB
	dir      string // temporary, for logs and databases
	hosts    int    // made by AddHost, for their addresses
	switches int    // made by Build, for their names and datapath ids
	ports    int    // given to streams
	tags     uint32 // given to frames by Copies
}

// Run runs a program to its end and returns what it printed; the test fails when the program does.
func (l *Lab) Run(name string, args ...string) string {
	l.t.Helper()
	return command(l.t, name, args...)
}

// Eventually calls ok every 20 ms until it is true; after the limit the test fails and says what
// was awaited. What took more than a second is logged: a test of real networks lasts as long as its waits.
func (l *Lab) Eventually(limit time.Duration, what string, ok func() bool) {
	l.t.Helper()
	begin := time.Now()
	for !ok() {
		if time.Since(begin) > limit {
			l.t.Fatalf("not within %s: %s", limit, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if waited := time.Since(begin); waited > time.Second {
		l.t.Logf("waited %.1f s: %s", waited.Seconds(), what)
	}
}

func command(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// batch gives lines of commands to one ip process.
func (l *Lab) batch(lines []string) {
	l.t.Helper()
	ip := exec.Command("ip", "-batch", "-")
	ip.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	if out, err := ip.CombinedOutput(); err != nil {
		l.t.Fatalf("ip -batch: %v\n%s\n%s", err, out, strings.Join(lines, "\n"))
	}
}
