package host

import (
	"cmp"
	"slices"
)

// span is the bytes from and before to of a stream.
type span struct{ from, to int64 }

// spans are the parts of a stream that came out of order, sorted and not touching each other. Their
// bytes were checked and dropped.
type spans []span

// maxSpans is how many are kept; a segment that would add one more is dropped as if it were lost.
const maxSpans = 128

// add merges a span. fresh is false if all of it was there; ok is false if there was no room.
func (q *spans) add(n span) (fresh, ok bool) {
	first, _ := slices.BinarySearchFunc(*q, n.from, func(s span, from int64) int { return cmp.Compare(s.to, from) })
	last := first // of those that n touches, first to last-1
	for last < len(*q) && (*q)[last].from <= n.to {
		last++
	}
	if first == last {
		if len(*q) == maxSpans {
			return true, false
		}
		*q = slices.Insert(*q, first, n)
		return true, true
	}
	if s := (*q)[first]; s.from <= n.from && n.to <= s.to {
		return false, true
	}
	n.from, n.to = min(n.from, (*q)[first].from), max(n.to, (*q)[last-1].to)
	*q = slices.Replace(*q, first, last, n)
	return true, true
}

// take removes the spans that begin at or before at, and returns up to where the stream is
// complete.
func (q *spans) take(at int64) int64 {
	n := 0
	for n < len(*q) && (*q)[n].from <= at {
		at = max(at, (*q)[n].to)
		n++
	}
	*q = slices.Delete(*q, 0, n)
	return at
}
