package etcd

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
)

// benched is a journal on a member, on the disk that WEIR_BENCH_DIR is on, else that of temporary
// files.
func benched(b *testing.B) (*Store, *journal.Journal) {
	b.Helper()
	dir, err := os.MkdirTemp(os.Getenv("WEIR_BENCH_DIR"), "journal")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	s, err := Start(context.Background(), Config{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	j, err := journal.Open(context.Background(), s, journal.Config{Prefix: "bench/"})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); j.Run(ctx) }()
	b.Cleanup(func() { cancel(); <-ended })
	return s, j
}

// feed appends records from many callers at once, a hundred an Append, and waits until all are
// durable.
func feed(b *testing.B, j *journal.Journal, n int, record func(i int) journal.Record) {
	b.Helper()
	const each, callers = 100, 64
	var all sync.WaitGroup
	var next, mu = 0, sync.Mutex{}
	for range callers {
		all.Go(func() {
			recs := make([]journal.Record, 0, each)
			done := make(chan error, 1)
			for {
				mu.Lock()
				from := next
				next += each
				mu.Unlock()
				recs = recs[:0]
				for i := from; i < min(from+each, n); i++ {
					recs = append(recs, record(i))
				}
				if len(recs) == 0 {
					return
				}
				if err := j.Append(recs, func(_ store.Revision, err error) { done <- err }); err != nil {
					b.Error(err)
					return
				}
				if err := <-done; err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func spec(i int) journal.Record {
	data := make([]byte, 80)
	binary.BigEndian.PutUint64(data[72:], uint64(i))
	return journal.Record{Number: uint32(i), Data: data}
}

// BenchmarkInstalls: an operation is a record of 80 bytes, durable.
func BenchmarkInstalls(b *testing.B) {
	_, j := benched(b)
	b.ResetTimer()
	feed(b, j, b.N, spec)
	b.StopTimer()
	report(b, j)
}

// BenchmarkChurn: an operation is an install or a withdrawal, with 200,000 records alive.
func BenchmarkChurn(b *testing.B) {
	const alive = 200_000
	s, j := benched(b)
	feed(b, j, alive, spec)
	b.ResetTimer()
	feed(b, j, b.N, func(i int) journal.Record {
		if i%2 == 0 {
			return spec(alive + i/2)
		}
		return journal.Record{Number: uint32(i / 2), Delete: true}
	})
	b.StopTimer()
	report(b, j)
	now, err := s.Status(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(now.Size)/(1<<20), "MiB-file")
}

// BenchmarkLone: an operation is one record by itself.
func BenchmarkLone(b *testing.B) {
	_, j := benched(b)
	times := make([]time.Duration, 0, b.N)
	done := make(chan error, 1)
	for i := range b.N {
		start := time.Now()
		if err := j.Append([]journal.Record{spec(i)}, func(_ store.Revision, err error) { done <- err }); err != nil {
			b.Fatal(err)
		}
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-median")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
}

func report(b *testing.B, j *journal.Journal) {
	s := j.Stats()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(s.Appended)/float64(s.Commits), "B/commit")
	b.ReportMetric(float64(s.Appended+s.Merged)/float64(s.Appended), "written/appended")
	b.ReportMetric(float64(s.Bytes)/float64(max(s.LiveBytes, 1)), "log/alive")
}

// BenchmarkStart: an operation is a start of a member in a directory that has been used.
func BenchmarkStart(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "store")
	for range b.N {
		s, err := Start(context.Background(), Config{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Txn(context.Background(),
			store.Txn{Then: []store.Op{store.Put([]byte("k"), fmt.Append(nil, b.N))}}); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}
