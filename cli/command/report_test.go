package command

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReportFilesAreTried wants files as they were, before there is a report.
func TestReportFilesAreTried(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "fresh")
	if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (&ReportFiles{JSON: old, HTML: fresh}).Check(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(old); err != nil || string(b) != "old" {
		t.Errorf("the old report is %q now: %v", b, err)
	}
	if _, err := os.Stat(fresh); !os.IsNotExist(err) {
		t.Errorf("a file is left behind before there is a report: %v", err)
	}
}
