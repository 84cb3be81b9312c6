package etcd

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirnet/weir/store"
)

// TestLoadedGivesPagesBack reads all of a store that was started again: what of its file is in
// memory then goes, and can be read again.
func TestLoadedGivesPagesBack(t *testing.T) {
	dir := t.TempDir()
	value := bytes.Repeat([]byte("v"), 64<<10)
	start := func() *Store {
		s, err := Start(t.Context(), Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := start()
	for i := range 256 {
		if _, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put(fmt.Appendf(nil, "k%03d", i), value)}}); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	s = start()
	defer s.Close()
	read := func() {
		if page, err := s.Range(t.Context(), store.Query{Span: store.Prefix("k")}); err != nil || len(page.Pairs) != 256 {
			t.Fatal(len(page.Pairs), err)
		}
	}
	read()
	before := residentKB(t, filepath.Join(dir, "member", "snap", "db"))
	s.PageOut()
	after := residentKB(t, filepath.Join(dir, "member", "snap", "db"))
	if before < 8<<10 || after > before/4 {
		t.Errorf("%d KB are in memory, %d before", after, before)
	}
	read()
}

// residentKB is how much of a file is in this process's memory.
func residentKB(t *testing.T, file string) (kb int) {
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer maps.Close()
	in := false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		line := lines.Text()
		switch n := 0; {
		case strings.HasSuffix(line, " "+file):
			in = true
		case in && strings.HasPrefix(line, "Rss:"):
			if _, err := fmt.Sscanf(line, "Rss: %d kB", &n); err != nil {
				t.Fatal(err)
			}
			kb += n
			in = false
		}
	}
	return kb
}

// TestCompactedGivesPagesBack: etcd reads all of its file to compact and to defragment it, which takes none of
// the process's memory afterwards.
func TestCompactedGivesPagesBack(t *testing.T) {
	dir := t.TempDir()
	s, err := Start(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	value, rev := bytes.Repeat([]byte("v"), 64<<10), store.Revision(0)
	for i := range 256 {
		done, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put(fmt.Appendf(nil, "k%03d", i), value)}})
		if err != nil {
			t.Fatal(err)
		}
		rev = done.Revision
	}
	read := func() {
		if page, err := s.Range(t.Context(), store.Query{Span: store.Prefix("k")}); err != nil || len(page.Pairs) != 256 {
			t.Fatal(len(page.Pairs), err)
		}
	}
	file := filepath.Join(dir, "member", "snap", "db")
	read()
	whole := residentKB(t, file)
	for what, tidy := range map[string]func() error{
		"compacted":    func() error { return s.Compact(t.Context(), rev) },
		"defragmented": func() error { return s.Defragment(t.Context()) },
	} {
		if err := tidy(); err != nil {
			t.Fatal(err)
		}
		if now := residentKB(t, file); whole < 8<<10 || now > whole/4 {
			t.Errorf("%s: %d KB are in memory, %d before", what, now, whole)
		}
		read()
	}
}
