package sim

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// bug is one that there was, and how to put it back: in a file of the repository, one text in place
// of another.
type bug struct {
	name, seed, file, is, was string
	cluster                   bool // the seed is one of several instances
}

var bugForm = regexp.MustCompile(`(?s)\nseed (\d+)( cluster)?\nfile (\S+)\n-- is\n(.*)-- was\n(.*)-- end\n$`)

// bugs reads testdata/bugs.
func bugs(t *testing.T) (list []bug) {
	files, err := filepath.Glob("testdata/bugs/*.txt")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d bugs, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m := bugForm.FindStringSubmatch(string(text))
		if m == nil {
			t.Fatalf("%s: not in the form of a bug", name)
		}
		list = append(list, bug{name: strings.TrimSuffix(filepath.Base(name), ".txt"), seed: m[1], cluster: m[2] != "",
			file: m[3], is: strings.TrimSuffix(m[4], "\n"), was: strings.TrimSuffix(m[5], "\n")})
	}
	return list
}

// put writes the file with the bug in it, and an overlay for the go command that has it in place of
// the real one.
func (b *bug) put(dir string) (overlay string, err error) {
	real, err := filepath.Abs(filepath.Join("..", "..", b.file))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(real)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), b.is); n != 1 {
		return "", fmt.Errorf("testdata/bugs/%s.txt: what it replaces is %d times in %s, want once: the code has changed, put the bug into it as it is now", b.name, n, b.file)
	}
	broken := filepath.Join(dir, b.name+".go")
	if err := os.WriteFile(broken, []byte(strings.Replace(string(text), b.is, b.was, 1)), 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {real: broken}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, b.name+".json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}

// Each bug of testdata/bugs can still be put back: who changes the code that a bug replaces changes
// the bug, too.
func TestBugsCanBePutBack(t *testing.T) {
	for _, b := range bugs(t) {
		if _, err := b.put(t.TempDir()); err != nil {
			t.Error(err)
		}
	}
}
