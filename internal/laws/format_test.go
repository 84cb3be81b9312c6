package laws

import (
	"bytes"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestFormat(t *testing.T) {
	for _, s := range sources() {
		text, err := os.ReadFile(filepath.Join(root, s.path))
		if err != nil {
			t.Fatal(err)
		}
		if want, err := format.Source(text); err != nil || !bytes.Equal(want, text) {
			t.Errorf("%s: not formatted: gofmt -w %s (%v)", s.path, s.path, err)
		}
	}
}

func TestModuleIsTidy(t *testing.T) {
	tidy := exec.Command("go", "mod", "tidy", "-diff")
	tidy.Dir = root
	if out, err := tidy.CombinedOutput(); err != nil {
		t.Errorf("go mod tidy -diff: %v\n%s", err, out)
	}
}
