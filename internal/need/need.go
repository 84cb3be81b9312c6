package need

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// sbin is where Debian keeps what an ordinary user's PATH lacks.
var sbin = []string{"/usr/local/sbin", "/usr/sbin", "/sbin"}

// Program returns the path of the program name, from PATH or the system's sbin folders.
func Program(t testing.TB, name string) string {
	t.Helper()
	if path, ok := find(name); ok {
		return path
	}
	unmet(t, "program "+name+" is missing: scripts/setup test installs it")
	return ""
}

// Root returns when the test runs as root.
func Root(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		unmet(t, "root is needed to make network namespaces")
	}
}

// OSKen returns the path of the Python interpreter whose environment has os-ken, the independent
// OpenFlow decoder.
func OSKen(t testing.TB) string {
	t.Helper()
	return cached(t, "venv-osken/bin/python")
}

// Faucet returns the path of the program faucet, a controller of OpenFlow 1.3, in its own Python
// environment. It starts programs of os-ken's: its folder must be on the PATH of the caller.
func Faucet(t testing.TB) string {
	t.Helper()
	return cached(t, "venv-faucet/bin/faucet")
}

// cached returns the path of a file that the setup script makes in the repository's cache.
func cached(t testing.TB, file string) string {
	t.Helper()
	path := filepath.Join(Repository(t), ".cache", file)
	if _, err := os.Stat(path); err != nil {
		unmet(t, path+" is missing: scripts/setup test makes it")
	}
	return path
}

// NoRace returns when the race detector is off. With it, allocation counts mean nothing. A test
// that calls it has Budget in its name: `make test` runs those a second time without the race
// detector.
func NoRace(t testing.TB) {
	t.Helper()
	if race {
		t.Skip("allocations are not counted under the race detector")
	}
}

// Rounds is how many of n rounds a long random test does: a third under the race detector, under
// which they take ten times as long, and all of them without. `make test` runs the packages that
// call it both ways.
func Rounds(n int) int {
	if race {
		return (n + 2) / 3
	}
	return n
}

// Repository returns the folder of go.mod, found upwards from the test's own.
func Repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod in this folder or above it")
		}
		dir = up
	}
}

func find(name string) (string, bool) {
	if path, err := exec.LookPath(name); err == nil {
		return path, true
	}
	for _, dir := range sbin {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, true
		}
	}
	return "", false
}

func unmet(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
		return
	}
	t.Skip(reason)
}

// Device returns when a device can be opened.
func Device(t testing.TB, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		unmet(t, path+" is needed: "+err.Error())
		return
	}
	f.Close()
}
