package etcd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd/verify"
)

// base is a directory of a member that has ended, with what it acknowledged.
type base struct {
	dir   string
	files []string // relative paths of those that matter
	rev   store.Revision
	want  string // dump at rev
}

// dump is everything at a revision, as text.
func dump(s *Store, rev store.Revision) (string, error) {
	page, err := s.Range(context.Background(), store.Query{Span: store.Prefix(""), Revision: rev})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range page.Pairs {
		fmt.Fprintf(&b, "%q=%q %d %d %d %d\n", p.Key, p.Value, p.Create, p.Mod, p.Version, p.Lease)
	}
	return b.String(), nil
}

// killedBase is a member that was killed while it wrote, compacted and defragmented.
func killedBase(t *testing.T) base {
	b := base{dir: t.TempDir()}
	c := startChild(t, "write and compact", b.dir, nil)
	fmt.Fprintln(c.in, 0)
	for c.out.Scan() {
		if n, err := strconv.Atoi(c.out.Text()); err != nil {
			t.Fatal(c.out.Text(), c.err.String())
		} else if n == 300 {
			break
		}
	}
	c.cmd.Process.Kill()
	c.cmd.Wait()
	return b.learn(t)
}

// closedBase is the same member after it was started and closed again: its database has all of its
// log.
func closedBase(t *testing.T, of base) base {
	b := base{dir: t.TempDir()}
	of.copyTo(t, b.dir)
	s := start(t, Config{Dir: b.dir})
	for i := range 50 {
		if _, err := s.Txn(t.Context(),
			store.Txn{Then: []store.Op{store.Put(fmt.Appendf(nil, "k%d", i%20), make([]byte, 3000))}}); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	return b.learn(t)
}

// learn finds out what was acknowledged: from the mark, which the test of kills holds to what
// children tell.
func (b base) learn(t *testing.T) base {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, MarkFile))
	m, _, ok := readAckMark(data)
	if err != nil || !ok || m.revision == 0 || m.tally.revision == 0 {
		t.Fatalf("%v, %+v", err, m)
	}
	b.rev = store.Revision(m.revision)
	err = filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if name := d.Name(); !d.IsDir() && (name == "db" || name == MarkFile || strings.HasSuffix(name, ".wal")) {
			rel, _ := filepath.Rel(b.dir, path)
			b.files = append(b.files, rel)
		}
		return err
	})
	if err != nil || len(b.files) < 3 {
		t.Fatal(b.files, err)
	}
	whole := t.TempDir()
	b.copyTo(t, whole)
	s := start(t, Config{Dir: whole})
	defer s.Close()
	if b.want, err = dump(s, b.rev); err != nil || b.want == "" {
		t.Fatal(err)
	}
	return b
}

// copyTo copies a base's files, without the holes of the log.
func (b base) copyTo(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(b.dir, path)
		to := filepath.Join(dir, rel)
		if err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(to, 0o700))
		} else if strings.HasSuffix(to, ".tmp") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := os.Create(to)
		if err != nil {
			return err
		}
		for at := 0; at < len(data); at += 4096 {
			part := data[at:min(at+4096, len(data))]
			if strings.Trim(string(part), "\x00") != "" {
				if _, err := f.WriteAt(part, int64(at)); err != nil {
					return err
				}
			}
		}
		return errors.Join(f.Truncate(int64(len(data))), f.Close())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// spoil damages one file of a directory.
func (b base) spoil(t *testing.T, dir, how string, rng *rand.Rand) (file, what string) {
	t.Helper()
	file = b.files[rng.IntN(len(b.files))]
	path := filepath.Join(dir, file)
	if how == "lost" {
		if rng.IntN(4) == 0 { // with all beside it
			path = filepath.Dir(path)
		}
		if path == dir {
			path = filepath.Join(dir, "member")
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(path) == ".wal" {
			path = filepath.Dir(path) // the log is named, not its only file
		}
		return filepath.Base(path), "lost " + path
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	used := info.Size()
	if strings.HasSuffix(file, ".wal") && rng.IntN(10) > 0 {
		if log, err := verify.ReadLog(filepath.Dir(path)); err == nil {
			used = log.End
		}
	}
	at := rng.Int64N(used)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	switch how {
	case "cut":
		err = f.Truncate(at)
	case "zeroed":
		at &^= 4095
		_, err = f.WriteAt(make([]byte, min(4096<<rng.IntN(3), info.Size()-at)), at)
	case "flipped":
		var c [1]byte
		_, err = f.ReadAt(c[:], at)
		c[0] ^= 1 << rng.IntN(8)
		if err == nil {
			_, err = f.WriteAt(c[:], at)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(path), fmt.Sprintf("%s %s at %d", file, how, at)
}

// damages holds that many damages of each kind to the rule: a member starts with all that it ever
// acknowledged, or it refuses and names the file.
func damages(t *testing.T, n int) {
	killed := killedBase(t)
	bases := []base{killed, closedBase(t, killed)}
	var started, refused atomic.Int64
	t.Run("all", func(t *testing.T) {
		for _, how := range []string{"cut", "zeroed", "flipped", "lost"} {
			for i := range n {
				t.Run(fmt.Sprintf("%s %d", how, i), func(t *testing.T) {
					t.Parallel()
					b := bases[i%len(bases)]
					dir := t.TempDir()
					b.copyTo(t, dir)
					file, what := b.spoil(t, dir, how, rand.New(rand.NewPCG(uint64(i), uint64(len(how)))))
					if b.starts(t, dir, file, what) {
						started.Add(1)
					} else {
						refused.Add(1)
					}
				})
			}
		}
	})
	t.Logf("%d starts with everything, %d refused", started.Load(), refused.Load())
	if started.Load() == 0 || refused.Load() == 0 {
		t.Error("all started, or none did")
	}
}

// starts reports whether a damaged member does.
func (b base) starts(t *testing.T, dir, file, what string) bool {
	s, err := Start(context.Background(), Config{Dir: dir})
	if err != nil {
		var d *verify.Damage
		if !errors.As(err, &d) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "weir restore") {
			t.Errorf("%s: %v", what, err)
		}
		return false
	}
	defer s.Close()
	if got, err := dump(s, b.rev); err != nil || got != b.want {
		t.Errorf("%s: it starts without all that was acknowledged up to revision %d (%v):\n%s", what, b.rev, err,
			firstDiff(b.want, got))
	}
	return true
}

func firstDiff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			return fmt.Sprintf("line %d of %d (%d got): want %.200s", i, len(w), len(g), w[i])
		}
	}
	return ""
}

// TestDamagedFiles damages files of a member, twenty in each way.
func TestDamagedFiles(t *testing.T) { damages(t, need.Rounds(20)) }
