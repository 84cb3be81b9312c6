package need

import (
	"os"
	"path/filepath"
	"testing"
)

// Faucet returns the path of the program faucet, a controller of OpenFlow 1.3, in its own Python
// environment. Whoever starts it has its folder on PATH, because it starts programs of os-ken's.
func Faucet(t testing.TB) string {
	t.Helper()
	path := filepath.Join(Repository(t), ".cache", "venv-faucet", "bin", "faucet")
	if _, err := os.Stat(path); err != nil {
		unmet(t, path+" is missing: scripts/setup test makes it")
	}
	return path
}
