package need

import (
	"os/exec"
	"syscall"
	"testing"
)

func TestStoppedWaitsForEachThread(t *testing.T) {
	busy := exec.Command("sh", "-c", "while :; do :; done")
	if err := busy.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { busy.Process.Kill(); busy.Wait() }()
	for range 20 {
		if threadsStopped(busy.Process.Pid) {
			t.Fatal("a process that runs is taken for stopped")
		}
		Stopped(t, busy.Process)
		if !threadsStopped(busy.Process.Pid) {
			t.Fatal("a process runs that was taken for stopped")
		}
		busy.Process.Signal(syscall.SIGCONT)
		for threadsStopped(busy.Process.Pid) {
		}
	}
}
