package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLoadFilesOfNoDirectory: a file where the data directory should be is told as that.
func TestLoadFilesOfNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadFiles(file); err == nil ||
		!strings.Contains(err.Error(), file+" is not a directory: choose another with --data-dir") {
		t.Error(err)
	}
}
