//go:build real

package ethertypes_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestALine: with its line, and the import, in the list of applications every instance has it, and nothing
// else is changed.
func TestALine(t *testing.T) {
	const begin, imports = "var builtin = []listed{\n", "import (\n"
	file, err := filepath.Abs("../../../app/catalog/list.go")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil || strings.Count(string(b), begin) != 1 || strings.Count(string(b), imports) != 1 {
		t.Fatalf("%s has no list: %v", file, err)
	}
	text := strings.Replace(string(b), begin, begin+"\t{Spec: ethertypes.Spec},\n", 1)
	text = strings.Replace(text, imports, imports+"\t\"github.com/weirnet/weir/examples/apps/ethertypes\"\n", 1)
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "list.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{changed: []byte(text), overlay: replace} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, error) {
		out, err := exec.Command("go", append([]string{"test", "-count=1", "-vet=off"}, args...)...).CombinedOutput()
		return string(out), err
	}
	if out, err := run("-overlay="+overlay, "-run=TestInAnInstance", ".", "-args", "-listed"); err != nil {
		t.Errorf("with its line: %v\n%s", err, out)
	}
	if out, err := run("-overlay="+overlay, "../../../app/catalog"); err != nil {
		t.Errorf("with its line the list's own tests fail: %v\n%s", err, out)
	}
}
