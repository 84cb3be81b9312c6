package etcd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/etcd/verify"
)

// write is a member with some keys in a directory, which has ended. It returns the log's file and
// where its last record ends.
func write(t *testing.T, dir string, keys int) (file string, end int64) {
	t.Helper()
	s := start(t, Config{Dir: dir})
	for i := range keys {
		if _, err := s.Txn(t.Context(),
			store.Txn{Then: []store.Op{store.Put([]byte{byte(i)}, bytes.Repeat([]byte{1}, 2000))}}); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	log, err := verify.ReadLog(s.member.cfg.logDir())
	if err != nil {
		t.Fatal(err)
	}
	return log.Files[0], log.End
}

func change(t *testing.T, path string, f func(*os.File) error) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f(file), file.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestUnsynchronisedTail: a record that was being written when the process or the machine ended,
// and that nobody was told of, is no reason not to start.
func TestUnsynchronisedTail(t *testing.T) {
	for name, tail := range map[string]func(record []byte) []byte{
		"the first half":              func(b []byte) []byte { return b[:len(b)/2&^7] },
		"without its first page":      func(b []byte) []byte { return append(make([]byte, 1024), b[1024:]...) },
		"with a hole in the middle":   func(b []byte) []byte { clear(b[1000:1600]); return b },
		"a length without a record":   func(b []byte) []byte { return b[:8] },
		"what the disk had elsewhere": func(b []byte) []byte { return []byte(strings.Repeat("something else ", 100)) },
	} {
		dir := t.TempDir()
		file, end := write(t, dir, 3)
		change(t, file, func(f *os.File) error {
			record := make([]byte, 2008) // what a record of the log looks like: one that is there, again, with a wrong checksum
			if _, err := f.ReadAt(record, end/2&^7); err != nil {
				return err
			}
			_, err := f.WriteAt(tail(record), end)
			return err
		})
		for range 2 { // the second start finds nothing of it
			s, err := Start(context.Background(), Config{Dir: dir})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			if page, err := s.Range(t.Context(), store.Query{Span: store.Prefix("")}); err != nil || len(page.Pairs) != 3 {
				t.Errorf("%s: %d pairs, %v", name, len(page.Pairs), err)
			}
			s.Close()
		}
	}
}

// TestPowerCut: a mark that is older than the log, as a power cut leaves it, is no reason not to
// start; and damage is found all the same where the log itself tells of it.
func TestPowerCut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, 3)
	path := filepath.Join(dir, MarkFile)
	older, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, end := write(t, dir, 30)
	back := func() {
		if err := os.WriteFile(path, older, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	back()
	s := start(t, Config{Dir: dir})
	if page, err := s.Range(t.Context(), store.Query{Span: store.Prefix("")}); err != nil || len(page.Pairs) != 30 {
		t.Errorf("%d pairs, %v", len(page.Pairs), err)
	}
	s.Close()
	back()
	change(t, file, func(f *os.File) error { _, err := f.WriteAt(make([]byte, 4096), end-5*4096); return err })
	var d *verify.Damage
	if _, err := Start(context.Background(), Config{Dir: dir}); !errors.As(err, &d) || d.File != file {
		t.Errorf("a page of zeros: %v", err)
	}
}

// TestMarkIsTorn: of its two places one may be torn.
func TestMarkIsTorn(t *testing.T) {
	b := make([]byte, markSize)
	older, newer := ackMark{index: 7, revision: 5, tally: digest{4, 2, 99}},
		ackMark{index: 9, revision: 6, tally: digest{6, 3, 7}}
	older.append(b[:0], 8)
	newer.append(b[markPlace:markPlace], 9)
	for place, want := range map[int]ackMark{-1: newer, 10: newer, markPlace + 10: older} {
		torn := bytes.Clone(b)
		if place >= 0 {
			clear(torn[place : place+markBytes])
		}
		if got, _, ok := readAckMark(torn); !ok || got != want {
			t.Errorf("torn at %d: %+v, %v", place, got, ok)
		}
	}
	for i := range markBytes - 4 { // behind is room
		torn := bytes.Clone(b[:markBytes])
		torn[i] ^= 1
		if _, _, ok := readAckMark(torn); ok {
			t.Errorf("byte %d is changed, and nobody sees it", i)
		}
	}
}

// FuzzMark: any bytes are read without a panic, and what is whole is written back the same.
func FuzzMark(f *testing.F) {
	f.Add((&ackMark{index: 1, revision: 2, tally: digest{2, 3, 4}}).append(nil, 5))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, turn, ok := parseAckMark(b); ok && !bytes.Equal(m.append(nil, turn)[:markBytes-4], b[:markBytes-4]) {
			t.Errorf("%+v", m)
		}
		readAckMark(b)
	})
}

// TestKnown: where a member has run nothing is begun anew.
func TestKnown(t *testing.T) {
	for _, lost := range []string{"", MarkFile, "member", "member/wal", "member/snap"} {
		dir := filepath.Join(t.TempDir(), "store")
		write(t, dir, 1)
		if err := os.RemoveAll(filepath.Join(dir, lost)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			var d *verify.Damage
			if _, err := Start(context.Background(), Config{Dir: dir, MustExist: true}); !errors.As(err, &d) ||
				!strings.Contains(d.File, lost) {
				t.Errorf("without %q: %v", lost, err)
			}
		}
	}
}

// TestOneProcess: a second member in the same directory is refused at once.
func TestOneProcess(t *testing.T) {
	s := start(t, Config{})
	for _, lost := range []string{"no such file", MarkFile} {
		os.Remove(filepath.Join(s.member.cfg.Dir, lost))
		if _, err := Start(context.Background(), Config{Dir: s.member.cfg.Dir}); err == nil ||
			!strings.Contains(err.Error(), "in use by another process") {
			t.Error(err)
		}
	}
}

// TestDeletedFiles: when files of a running member are deleted nothing is acknowledged any more,
// and it is said.
func TestDeletedFiles(t *testing.T) {
	for _, lost := range []string{"", MarkFile, "member", "member/wal", "member/snap/db"} {
		said := make(chan string, 10)
		dir := filepath.Join(t.TempDir(), "store")
		s := start(t, Config{Dir: dir, Full: func(why string) { said <- why }})
		put := func() error {
			_, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put([]byte("k"), nil)}})
			return err
		}
		if err := put(); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(dir, lost)); err != nil {
			t.Fatal(err)
		}
		if lost == "member/snap/db" { // it is looked for twice a second
			<-said
		}
		if err := put(); !errors.Is(err, store.ErrGone) {
			t.Errorf("without %q: %v", lost, err)
		}
		if lost != "member/snap/db" {
			<-said
		}
		if _, err := s.Range(t.Context(), store.Query{Span: store.Key("k")}); err != nil {
			t.Errorf("reading: %v", err)
		}
		s.Close()
	}
}
