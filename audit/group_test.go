package audit

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestGroupCommit: all records that come while the file is being synchronised share the next
// synchronisation, and none is told before it.
func TestGroupCommit(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l := open(t, dir, Limits{})
		hold := make(chan struct{})
		l.sync = func(f *os.File) error { <-hold; return f.Sync() }
		var told sync.WaitGroup
		write := func(n int) {
			told.Go(func() {
				if err := l.Write(record(n)); err != nil {
					t.Error(err)
				}
			})
		}
		write(0)
		synctest.Wait()
		for n := range 31 {
			write(1 + n)
		}
		synctest.Wait()
		if c := l.Counts(); c.Written != 0 || c.Syncs != 1 {
			t.Errorf("while the first synchronisation goes on: %+v", c)
		}
		close(hold)
		told.Wait()
		if c := l.Counts(); c.Written != 32 || c.Syncs != 2 {
			t.Errorf("32 records, of which 31 came during a synchronisation: %+v, want 2 synchronisations", c)
		}
		l.Close()
	})
}

// TestSlowDisk: a disk that does not answer has each record refused in time and told, and nothing
// is refused when it does again; a synchronisation that fails has the file opened anew.
func TestSlowDisk(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var told []error
		l, err := Open(Config{Dir: dir, Limits: Limits{Answer: time.Second},
			Failed: func(err error) { told = append(told, err) }})
		if err != nil {
			t.Fatal(err)
		}
		hold := make(chan error)
		l.sync = func(f *os.File) error { return errors.Join(<-hold, f.Sync()) }
		began := time.Now()
		if err := l.Write(record(1)); !errors.Is(err, ErrSlow) || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		hold <- nil
		synctest.Wait()
		if len(told) != 2 || told[0] == nil || told[1] != nil {
			t.Errorf("told: %v", told)
		}
		go func() { hold <- errors.New("input/output error") }()
		if err := l.Write(record(2)); err == nil || !strings.Contains(err.Error(), "input/output error") {
			t.Errorf("a synchronisation that failed: %v", err)
		}
		close(hold)
		if err := l.Write(record(3)); err != nil {
			t.Errorf("after it: %v", err)
		}
		if l.Close(); told[len(told)-1] != nil {
			t.Errorf("told: %v", told)
		}
	})
}
