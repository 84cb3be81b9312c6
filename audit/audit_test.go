package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/api/client"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, dir string, limits Limits) *Log {
	t.Helper()
	l, err := Open(Config{Dir: dir, Limits: limits, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func record(n int) client.AuditRecord {
	return client.AuditRecord{Time: noon.Add(time.Duration(n) * time.Second), ID: fmt.Sprint(n), Who: "admin",
		What: "POST /v1/config", Result: "done"}
}

// ids are those of all records that are kept.
func ids(t *testing.T, l *Log, since time.Time, limit int) string {
	t.Helper()
	list, err := l.Read(since, limit)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range list {
		all = append(all, r.ID)
	}
	return strings.Join(all, " ")
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Limits{})
	for n := range 5 {
		if err := l.Write(record(n)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		since time.Time
		limit int
		want  string
	}{{time.Time{}, 10, "0 1 2 3 4"}, {time.Time{}, 2, "3 4"}, {noon.Add(3 * time.Second), 10, "3 4"},
		{noon.Add(time.Hour), 10, ""}} {
		if got := ids(t, l, c.since, c.limit); got != c.want {
			t.Errorf("since %v, %d: %q, want %q", c.since, c.limit, got, c.want)
		}
	}
	if err := l.Write(client.AuditRecord{ID: "now"}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir, Limits{})
	list, err := l.Read(time.Time{}, 1)
	if err != nil || len(list) != 1 || !list[0].Time.Equal(noon) {
		t.Errorf("opened again: %+v, %v", list, err)
	}
	if info, err := os.Stat(filepath.Join(dir, File)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestRotation: what is kept is bounded, and it is the newest.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Limits{FileBytes: 1000, Files: 3})
	const records = 100
	for n := range records {
		if err := l.Write(record(n)); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	total := int64(0)
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if len(files) != 3 || total > 3000 || total < 2000 {
		t.Errorf("%d files of %d bytes", len(files), total)
	}
	kept := strings.Fields(ids(t, l, time.Time{}, records))
	if len(kept) < 15 || kept[len(kept)-1] != fmt.Sprint(records-1) {
		t.Errorf("kept: %v", kept)
	}
	for i := range kept {
		if kept[i] != fmt.Sprint(records-len(kept)+i) {
			t.Errorf("kept: %v", kept)
		}
	}
	if got := ids(t, l, time.Time{}, 12); got != strings.Join(kept[len(kept)-12:], " ") {
		t.Errorf("the newest 12 are %s", got)
	}
}

// TestTorn: a record that was cut off stays on a line of its own, hides no other, and is told of.
func TestTorn(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, Limits{})
	l.Write(record(1))
	l.Close()
	path := filepath.Join(dir, File)
	b, _ := os.ReadFile(path)
	for cut := 1; cut < len(b); cut += 7 {
		os.WriteFile(path, append(append([]byte{}, b...), b[:cut]...), 0o600)
		l := open(t, dir, Limits{})
		if err := l.Write(record(2)); err != nil {
			t.Fatal(err)
		}
		list, err := l.Read(time.Time{}, 10)
		if err != nil || len(list) != 3 || list[0].ID != "1" || list[2].ID != "2" {
			t.Fatalf("cut at %d: %v %v", cut, list, err)
		}
		if list[1].Result != "damaged" || list[1].Detail != "lines after this that cannot be read: 1" {
			t.Fatalf("cut at %d: %v", cut, list[1])
		}
		l.Close()
	}
}

// TestFull writes to a full device: each write is refused and told, and as soon as there is room it
// goes on.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	var told []error
	l, err := Open(Config{Dir: dir, Failed: func(err error) { told = append(told, err) }})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Write(record(1)); err == nil || !strings.Contains(err.Error(), path) {
			t.Fatalf("a full disk: %v", err)
		}
	}
	os.Remove(path)
	if err := l.Write(record(2)); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, l, time.Time{}, 10); got != "2" {
		t.Errorf("kept: %q", got)
	}
	if len(told) != 3 || told[0] == nil || told[1] == nil || told[2] != nil {
		t.Errorf("told: %v", told)
	}
	if c := l.Counts(); c != (Counts{Written: 1, Failed: 2, Syncs: 1}) {
		t.Errorf("%+v", c)
	}
	if _, err := Open(Config{Dir: filepath.Join(dir, "nowhere")}); err == nil {
		t.Error("opened in a directory that is not there")
	}
}

// TestRecovers: a log whose disk was full says that it can be written again though nobody writes,
// and nothing of the tries before that.
func TestRecovers(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var list []error
		l, err := Open(Config{Dir: dir, Failed: func(err error) {
			mu.Lock()
			defer mu.Unlock()
			list = append(list, err)
		}})
		if err != nil {
			t.Fatal(err)
		}
		all := func() []error {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(list)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.Run(ctx) }()
		if err := l.Write(record(1)); err == nil {
			t.Fatal("a full disk took a record")
		}
		time.Sleep(time.Minute) // of this bubble
		synctest.Wait()
		told := all()
		if c := l.Counts(); len(told) != 1 || c.Failed != 1 {
			t.Errorf("while it was full: told %v, %+v", told, c)
		}
		os.Remove(path)
		time.Sleep(2 * probeEvery)
		synctest.Wait()
		if told = all(); len(told) != 2 || told[1] != nil {
			t.Errorf("told %v", told)
		}
		time.Sleep(time.Minute)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if list, err := l.Read(time.Time{}, 10); err != nil || len(list) != 1 || list[0].What != probed {
			t.Errorf("kept: %+v, %v", list, err)
		}
	})
}

// TestNotes: what Note takes is written by Run in batches and by the next Write, bounded, and at
// the end.
func TestNotes(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := open(t, dir, Limits{Waiting: 3})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- l.Run(ctx) }()
		lines := func() int {
			synctest.Wait()
			b, _ := os.ReadFile(filepath.Join(dir, File))
			return strings.Count(string(b), "\n")
		}
		for n := range 3 {
			l.Note(record(n))
		}
		if n := lines(); n != 0 {
			t.Errorf("%d lines before the pause", n)
		}
		time.Sleep(2 * batchPause)
		if n := lines(); n != 3 {
			t.Errorf("%d lines after it, want 3", n)
		}
		for n := range 10 {
			l.Note(record(n))
		}
		if err := l.Write(record(11)); err != nil {
			t.Fatal(err)
		}
		list, err := l.Read(time.Time{}, 100)
		if err != nil || len(list) != 8 || list[6].Result != "lost" ||
			!strings.HasPrefix(list[6].Detail, "7 records") || list[7].ID != "11" {
			t.Errorf("%+v, %v", list, err)
		}
		l.Note(record(12))
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if n := lines(); n != 9 {
			t.Errorf("%d lines at the end, want 9", n)
		}
		if c := l.Counts(); c.Dropped != 7 || c.Written != 9 {
			t.Errorf("%+v", c)
		}
	})
}

// TestMany: writers at one time, while somebody reads.
func TestMany(t *testing.T) {
	l := open(t, t.TempDir(), Limits{FileBytes: 4000, Files: 100})
	var all sync.WaitGroup
	var wrong atomic.Value
	for w := range 4 {
		all.Go(func() {
			for n := range 20 {
				if err := l.Write(record(w*100 + n)); err != nil {
					wrong.Store(err)
				}
				l.Read(noon, 5)
			}
		})
	}
	all.Wait()
	if err := wrong.Load(); err != nil {
		t.Fatal(err)
	}
	if got := len(strings.Fields(ids(t, l, time.Time{}, 1000))); got != 80 {
		t.Errorf("%d records", got)
	}
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
}

// FuzzRead: whatever is in the file, reading ends, and gives at most as many as asked for.
func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"time\":\"2026-11-20T12:00:00Z\",\"who\":\"a\"}\n{\"who\":5}\nnull\n\n{"), 1)
	f.Add([]byte(strings.Repeat("{}\n", 50)), 7)
	f.Add([]byte(strings.Repeat("x", 3<<10)), 1)
	f.Fuzz(func(t *testing.T, b []byte, limit int) {
		if limit < 1 || limit > 1000 {
			return
		}
		list, err := readRecords(strings.NewReader(string(b)), time.Time{}, limit)
		if err != nil || len(list) > limit {
			t.Fatalf("%d records of at most %d, %v", len(list), limit, err)
		}
	})
}
