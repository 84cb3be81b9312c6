package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// wantFiles wants a directory to have these entries and no others.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the directory has %q, want %q", got, want)
	}
}

// TestWrite: where a file cannot be replaced nothing is left behind.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "d", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "d"), nil); err == nil {
		t.Error("a directory was replaced")
	}
	if err := Write(filepath.Join(dir, "nowhere", "f"), nil); err == nil {
		t.Error("written into a directory that is not there")
	}
	wantFiles(t, dir, "d", "f")
}

// TestCommit puts a file in its place whole; what is discarded leaves nothing, and what is there
// stays where a new file was wanted.
func TestCommit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, c := range []struct {
		text   string
		end    func(*File) error
		refuse bool
		want   string
	}{
		{"one", (*File).CommitNew, false, "one"},
		{"two", (*File).CommitNew, true, "one"},
		{"three", (*File).Commit, false, "three"},
		{"four", func(f *File) error { f.Discard(); return nil }, false, "three"},
	} {
		f, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(c.text); err != nil {
			t.Fatal(err)
		}
		err = c.end(f)
		f.Discard()
		if c.refuse != errors.Is(err, fs.ErrExist) || !c.refuse && err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != c.want {
			t.Errorf("after %s the file is %q, %v; want %q", c.text, b, err, c.want)
		}
		wantFiles(t, dir, "f")
	}
	if err := Write(path, []byte("five")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "five" {
		t.Errorf("written: %q, %v", b, err)
	}
	wantFiles(t, dir, "f")
}
