package attach

import (
	"bytes"
	"encoding/binary"
	"sync"
	"testing"
)

// TestQueue has frames written as they were put, in their order, while both go on.
func TestQueue(t *testing.T) {
	q := newQueue()
	const frames = 20000
	var put sync.WaitGroup
	put.Go(func() {
		for i := 0; i < frames; {
			frame := bytes.Repeat(binary.BigEndian.AppendUint32(nil, uint32(i)), 1+i%40)
			if q.put(frame) {
				i++
			}
		}
	})
	next := 0
	for got := (packed{}); next < frames; {
		<-q.bell
		got = q.swap(got)
		got.each(func(frame []byte) {
			if want := bytes.Repeat(binary.BigEndian.AppendUint32(nil, uint32(next)), 1+next%40); !bytes.Equal(frame, want) {
				t.Fatalf("frame %d is %x", next, frame)
			}
			next++
		})
	}
	put.Wait()
}

// TestQueueIsBounded in frames and in bytes, and takes again when it was emptied.
func TestQueueIsBounded(t *testing.T) {
	for _, c := range []struct{ size, want int }{{60, maxQueued}, {maxFrame, maxQueuedBytes / maxFrame}} {
		q, taken := newQueue(), 0
		for range 2 * maxQueued {
			if q.put(make([]byte, c.size)) {
				taken++
			}
		}
		if taken != c.want {
			t.Errorf("%d frames of %d bytes were taken, want %d", taken, c.size, c.want)
		}
		got := q.swap(packed{})
		if len(got.ends) != c.want || !q.put(make([]byte, c.size)) {
			t.Errorf("%d frames came out, want %d", len(got.ends), c.want)
		}
	}
}

// TestQueueNeedsNoMemory once it has been as full as it gets.
func TestQueueNeedsNoMemory(t *testing.T) {
	q, got, frame := newQueue(), packed{}, make([]byte, 1514)
	round := func() {
		for range 100 {
			q.put(frame)
		}
		got = q.swap(got)
	}
	round()
	round()
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations for 100 frames", n)
	}
}
