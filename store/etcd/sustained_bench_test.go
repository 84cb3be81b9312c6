package etcd

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/compactor"
	"github.com/weirnet/weir/store/journal"
)

// BenchmarkSustained installs 50,000 and withdraws 50,000 records a second, any of 200,000 that are
// alive, for WEIR_BENCH_SECONDS (20), and looks at the file, the disk and the processor. An
// operation is the whole of it: -benchtime 1x.
func BenchmarkSustained(b *testing.B) {
	seconds, err := strconv.Atoi(os.Getenv("WEIR_BENCH_SECONDS"))
	if err != nil {
		seconds = 20
	}
	const rate, alive, ticks = 50_000, 200_000, 100
	s, j := benched(b)
	ctx := b.Context()
	go compactor.New(s, nil, nil).Run(ctx)
	feed(b, j, alive, spec)
	live := make([]uint32, alive)
	for i := range live {
		live[i] = uint32(i)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var times []time.Duration
	var size, late, waiting, refused int64
	var told atomic.Int64
	next := uint32(alive)
	before, processor, begun := written(b), spent(b), time.Now()
	took := make(chan time.Duration, 1<<20)
	for tick := range seconds * ticks {
		at := begun.Add(time.Duration(tick) * time.Second / ticks)
		if wait := time.Until(at); wait > 0 {
			time.Sleep(wait)
		} else if -wait > 50*time.Millisecond {
			late++
		}
		for range 5 {
			recs := make([]journal.Record, 0, 2*rate/ticks/5)
			for range rate / ticks / 5 {
				k := rng.IntN(len(live))
				recs = append(recs, spec(int(next)), journal.Record{Number: live[k], Delete: true})
				live[k] = next
				next++
			}
			start := time.Now()
			waiting++
			for err = j.Append(recs, done(b, start, took, &told)); errors.Is(err, journal.ErrOverload); refused++ {
				time.Sleep(time.Millisecond)
				err = j.Append(recs, done(b, start, took, &told))
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		if tick%ticks == 0 {
			if now, err := s.Status(ctx); err == nil {
				size = max(size, now.Size)
			}
		}
	}
	for told.Load() < waiting {
		time.Sleep(time.Millisecond)
	}
	elapsed := time.Since(begun)
	close(took)
	for d := range took {
		times = append(times, d)
	}
	slices.Sort(times)
	stats := j.Stats()
	n := float64(2 * rate * seconds)
	b.ReportMetric(n/elapsed.Seconds(), "records/s")
	b.ReportMetric(float64(size)/(1<<20), "MiB-file")
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "ms-p99")
	b.ReportMetric(float64(spent(b)-processor)/elapsed.Seconds()/1e9, "processors")
	b.ReportMetric(float64(stats.Appended+stats.Merged)/float64(stats.Appended), "written/appended")
	b.ReportMetric(float64(written(b)-before)/elapsed.Seconds()/(1<<20), "MiB/s-disk")
	b.ReportMetric(float64(stats.Bytes)/float64(stats.LiveBytes), "log/alive")
	b.ReportMetric(float64(late), "late-ticks")
	b.ReportMetric(float64(times[len(times)-1].Microseconds())/1000, "ms-max")
	b.ReportMetric(float64(refused), "refused")
}

// done notes when an Append is durable.
func done(b *testing.B, start time.Time, took chan<- time.Duration, told *atomic.Int64) func(store.Revision, error) {
	return func(_ store.Revision, err error) {
		if err != nil {
			b.Error(err)
		}
		took <- time.Since(start)
		told.Add(1)
	}
}

// written is how many bytes this process has had written to the disk.
func written(b *testing.B) int64 {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nwrite_bytes: ")
	var n int64
	if _, err := fmt.Sscan(rest, &n); err != nil {
		b.Fatal(err)
	}
	return n
}

// spent is how long this process has used processors.
func spent(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
