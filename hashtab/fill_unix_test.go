//go:build unix

package hashtab

import (
	"runtime/debug"
	"syscall"
	"testing"
)

// BenchmarkFill is what an entry costs that comes to a table that grows to a million, in memory that the
// process has not used before; faults are those of pages.
func BenchmarkFill(b *testing.B) {
	const entries = 1 << 20
	var before, after syscall.Rusage
	faults := int64(0)
	for b.Loop() {
		b.StopTimer()
		debug.FreeOSMemory()
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
		b.StartTimer()
		var table Table[[2]uint64, [3]uint32]
		for key := range uint64(entries) {
			table.Put(key*0x9e3779b97f4a7c15>>3*0xbf58476d1ce4e5b9, [2]uint64{key}, [3]uint32{})
		}
		b.StopTimer()
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
		faults += int64(after.Minflt - before.Minflt)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/entries, "ns/entry")
	b.ReportMetric(float64(faults)/float64(b.N), "faults/op")
}
