package need

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Stopped sends a process SIGSTOP and returns when each of its threads has stopped. The kernel
// hands the signal to one thread, which stops the others when it next runs: on a busy machine they
// go on for some ms after kill(2) has returned, enough to answer a request.
func Stopped(t testing.TB, p *os.Process) {
	t.Helper()
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatalf("process %d: SIGSTOP: %v", p.Pid, err)
	}
	for end := time.Now().Add(10 * time.Second); !threadsStopped(p.Pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d has threads that run 10 s after SIGSTOP", p.Pid)
		}
	}
}

// threadsStopped reports whether every thread of a process is in state T or gone (proc(5),
// /proc/pid/task/tid/stat).
func threadsStopped(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// The name before the state may hold any character, so look for its last parenthesis.
		if _, state, _ := bytes.Cut(text[bytes.LastIndexByte(text, ')'):], []byte(" ")); state[0] != 'T' {
			return false
		}
	}
	return true
}
