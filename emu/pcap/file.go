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

// MaxWaiting is how many bytes of frames wait for the disk, in each file.
const MaxWaiting = 32 << 20

// snapLen is the longest frame that a reader is to expect.
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

	ring chan struct{} // something waits, or the file is closed
	done chan struct{} // all is written
}

// Counts are what became of the frames of a file.
type Counts struct {
	Frames  uint64 // taken
	Dropped uint64 // not taken, because too many waited or the file could not be written
}

// batch is frames that wait, one after the other in memory.
type batch struct {
	bytes []byte
	sizes []int
	times []time.Time
}

// Write begins a capture into out, of which it becomes the owner: Close closes it, or Write itself
// if it fails.
func Write(out io.WriteCloser) (*File, error) {
	f := &File{out: out, buffer: bufio.NewWriterSize(out, 1<<16), ring: make(chan struct{}, 1), done: make(chan struct{})}
	f.pcap = pcapgo.NewWriterNanos(f.buffer)
	if err := f.pcap.WriteFileHeader(snapLen, layers.LinkTypeEthernet); err != nil {
		return nil, fmt.Errorf("beginning a capture: %w", errors.Join(err, out.Close()))
	}
	f.start()
	return f, nil
}

// Frame takes a copy of a frame.
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
	case f.ring <- struct{}{}:
	default: // the writer has been called already
	}
}

// Counts are those of now.
func (f *File) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts
}

// Close writes what waits, and ends the file. The error is that of the first write that failed.
// Another Close does nothing.
func (f *File) Close() error {
	f.mu.Lock()
	if !f.closed {
		f.closed = true
		close(f.ring)
	}
	f.mu.Unlock()
	<-f.done
	return f.err
}

// take exchanges what waits for an empty batch.
func (f *File) take(empty batch) batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	full := f.waiting
	f.waiting = batch{empty.bytes[:0], empty.sizes[:0], empty.times[:0]}
	return full
}

// write writes a batch through to the file.
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
