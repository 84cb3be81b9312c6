package netlab

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// insideOf names, in the environment, the test whose body runs in this process.
const insideOf = "NETLAB_INSIDE"

// grace is how much earlier than the outer process the inner one gives up, so that its own report
// is seen.
const grace = 10 * time.Second

// Inside runs body in namespaces of its own and reports its outcome as the test's. It starts this
// test binary again, for this one test, as process 1 of a new process namespace; there it calls
// body. Whatever the test does before it calls Inside happens in both processes.
func Inside(t *testing.T, body func(*testing.T, *Lab)) {
	t.Helper()
	need.Root(t)
	if os.Getenv(insideOf) == t.Name() {
		enter(t)
		body(t, &Lab{t: t, dir: t.TempDir()})
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	again := exec.Command(self, innerArguments(t)...)
	again.Env = append(os.Environ(), insideOf+"="+t.Name())
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID,
		Pdeathsig:  syscall.SIGKILL,
	}
	// The death signal is tied to the thread that starts the process, not to this process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	out, err := again.CombinedOutput()
	if ended := again.ProcessState; ended != nil { // with all that it started
		t.Logf("%.1f s of processor", (ended.UserTime() + ended.SystemTime()).Seconds())
	}
	switch {
	case err != nil:
		t.Fatalf("inside: %v\n%s", err, out)
	case !strings.Contains(string(out), "--- PASS: "+t.Name()+" "):
		t.Fatalf("inside: the test did not pass\n%s", out)
	}
	t.Logf("inside:\n%s", out)
}

// innerArguments select this one test, verbosely, with what is left of the time.
func innerArguments(t *testing.T) []string {
	parts := strings.Split(t.Name(), "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	args := []string{"-test.v", "-test.run=" + strings.Join(parts, "/")}
	if deadline, ok := t.Deadline(); ok {
		args = append(args, fmt.Sprintf("-test.timeout=%s", max(time.Until(deadline)-grace, time.Second)))
	}
	return args
}

// enter makes the new namespaces usable: a /proc of their own processes, an empty /run for Open
// vSwitch's sockets and the names of network namespaces, and loopback.
func enter(t *testing.T) {
	t.Helper()
	if os.Getpid() != 1 {
		t.Fatalf("%s is set, but this is process %d and not the first of its namespace", insideOf, os.Getpid())
	}
	mount := func(source, target, kind string, flags uintptr) {
		if err := syscall.Mount(source, target, kind, flags, ""); err != nil {
			t.Fatalf("mount %s on %s: %v", source, target, err)
		}
	}
	mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE)
	mount("proc", "/proc", "proc", 0)
	mount("sysfs", "/sys", "sysfs", 0)
	mount("tmpfs", "/run", "tmpfs", 0)
	for _, dir := range []string{"/run/netns", "/run/openvswitch"} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	command(t, need.Program(t, "ip"), "link", "set", "lo", "up")
}
