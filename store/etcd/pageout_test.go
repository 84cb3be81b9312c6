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
