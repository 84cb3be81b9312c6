package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLoadFileOfNoDirectory: a file where the data directory should be is told as that.
func TestLoadFileOfNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadFile(file); err == nil ||
		!strings.Contains(err.Error(), file+" is not a directory: choose another with --data-dir") {
		t.Error(err)
	}
}
