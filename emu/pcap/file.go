package pcap

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// MaxWaiting is how many bytes of frames are buffered for a file.
const MaxWaiting = 32 << 20

// snapLen is the length of the longest frame in a file, in bytes.
const snapLen = 1 << 18

// File is a capture that is being written. Its methods may be called from any goroutine.
type File struct {
	out    io.Closer
	buffer *bufio.Writer
	pcap   *pcapgo.Writer

	mu      sync.Mutex
	waiting batch
	closed  bool
	counts  Counts
	err     error // of the first write that failed

	wakeup chan struct{} // has one token while frames are waiting; closed with the file
	done   chan struct{} // closed when everything is written
}

// Counts are the numbers of frames of a file.
type Counts struct {
	Frames  uint64 // accepted
	Dropped uint64 // because the buffer was full, or the file could not be written
}

// batch is a buffer of frames, contiguous in memory.
type batch struct {
	bytes []byte
	sizes []int
	times []time.Time
}

// Write starts a capture into out, which it owns: Close closes it, or Write itself if it fails.
func Write(out io.WriteCloser) (*File, error) {
	f := &File{out: out, buffer: bufio.NewWriterSize(out, 1<<16), wakeup: make(chan struct{}, 1), done: make(chan struct{})}
	f.pcap = pcapgo.NewWriterNanos(f.buffer)
	if err := f.pcap.WriteFileHeader(snapLen, layers.LinkTypeEthernet); err != nil {
		return nil, fmt.Errorf("beginning a capture: %w", errors.Join(err, out.Close()))
	}
	f.start()
	return f, nil
}

// Frame buffers a copy of a frame.
func (f *File) Frame(at time.Time, frame []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.err != nil || len(f.waiting.bytes)+len(frame) > MaxWaiting {
		f.counts.Dropped++
		return
	}
	f.counts.Frames++
	f.waiting.bytes = append(f.waiting.bytes, frame...)
	f.waiting.sizes = append(f.waiting.sizes, len(frame))
	f.waiting.times = append(f.waiting.times, at)
	select { // under the lock, so that the channel is not closed yet
	case f.wakeup <- struct{}{}:
	default:
	}
}

// Counts are the numbers so far.
func (f *File) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts
}

// Close writes the buffer and closes the file. The error is that of the first write that failed,
// also for further calls.
func (f *File) Close() error {
	f.mu.Lock()
	if !f.closed {
		f.closed = true
		close(f.wakeup)
	}
	f.mu.Unlock()
	<-f.done
	return f.err
}

// take swaps the waiting frames for an empty batch.
func (f *File) take(empty batch) batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	full := f.waiting
	f.waiting = batch{empty.bytes[:0], empty.sizes[:0], empty.times[:0]}
	return full
}

// write writes a batch and flushes the buffer.
func (f *File) write(b *batch) error {
	at := 0
	for i, size := range b.sizes {
		frame := b.bytes[at : at+size]
		at += size
		ci := gopacket.CaptureInfo{Timestamp: b.times[i], CaptureLength: size, Length: size}
		if err := f.pcap.WritePacket(ci, frame); err != nil {
			return err
		}
	}
	return f.buffer.Flush()
}
