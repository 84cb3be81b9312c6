//go:build real

package faultdisk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "none"
	}
	must(t, err)
	return fmt.Sprintf("%d %x", len(b), bytes.TrimRight(b, "\x00"))
}

// TestLose: what was synchronised is there after a power cut, and nothing else.
func TestLose(t *testing.T) {
	d := Mount(t, filepath.Join(t.TempDir(), "disk"))
	at := func(name string) string { return filepath.Join(d.Dir, name) }
	must(t, os.Mkdir(at("folder"), 0o700))
	f, err := os.Create(at("folder/a"))
	must(t, err)
	g, err := os.Create(at("b"))
	must(t, err)
	write := func(f *os.File, off int64, b ...byte) {
		_, err := f.WriteAt(b, off)
		must(t, err)
	}
	write(f, 0, 1, 2, 3)
	write(g, 0, 4)
	must(t, f.Sync())
	write(f, 1, 9)    // lost
	write(f, 9000, 9) // with its length
	must(t, os.Rename(at("b"), at("c")), os.WriteFile(at("d"), []byte{5}, 0o600), f.Close(), g.Close())
	must(t, d.Lose(nil))
	for name, want := range map[string]string{"folder/a": "3 010203", "b": "1 ", "c": "none", "d": "none"} {
		if got := content(t, at(name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	must(t, os.Rename(at("b"), at("c")), os.Remove(at("folder/a")))
	dir, err := os.Open(d.Dir)
	must(t, err, dir.Sync(), dir.Close())
	must(t, d.Lose(nil))
	for name, want := range map[string]string{"folder/a": "none", "b": "none", "c": "1 "} {
		if got := content(t, at(name)); got != want {
			t.Errorf("after a change that was synchronised: %s is %q, want %q", name, got, want)
		}
	}
}

// TestLoseByChance: of what was not synchronised some blocks are there, and some are not.
func TestLoseByChance(t *testing.T) {
	d := Mount(t, filepath.Join(t.TempDir(), "disk"))
	name := filepath.Join(d.Dir, "a")
	must(t, os.WriteFile(name, bytes.Repeat([]byte{7}, 100*block), 0o600))
	must(t, d.Lose(rand.New(rand.NewPCG(1, 2))))
	b, err := os.ReadFile(name)
	must(t, err)
	kept := 0
	for i := 0; i < len(b); i += block {
		switch n := bytes.Count(b[i:i+block], []byte{7}); n {
		case block:
			kept++
		case 0:
		default:
			t.Errorf("%d bytes of the block at %d", n, i)
		}
	}
	if len(b) != 100*block || kept < 20 || kept > 80 {
		t.Errorf("%d bytes, %d of 100 blocks", len(b), kept)
	}
}

// TestStall: synchronisations take as long as they are to, and hang while they are to.
func TestStall(t *testing.T) {
	d := Mount(t, filepath.Join(t.TempDir(), "disk"))
	f, err := os.Create(filepath.Join(d.Dir, "a"))
	must(t, err)
	defer f.Close()
	took := func() time.Duration {
		began := time.Now()
		must(t, f.Sync())
		return time.Since(began)
	}
	d.Delay(100 * time.Millisecond)
	if d := took(); d < 100*time.Millisecond {
		t.Errorf("slow by 100 ms, it took %v", d)
	}
	d.Delay(0)
	d.Stall(true)
	before, ended := d.Synchronisations(), make(chan error, 1)
	go func() { ended <- f.Sync() }()
	time.Sleep(100 * time.Millisecond)
	if len(ended) > 0 || d.Synchronisations() != before {
		t.Error("it does not hang")
	}
	d.Stall(false)
	must(t, <-ended)
}
