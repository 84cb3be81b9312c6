package netlab

import (
	"bytes"
	"container/heap"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/probe/nic"
)

// Impairment is what a relay does to frames, either way. Of frames that are lost, doubled or held
// back it is every n-th, counted from one, 0: none.
type Impairment struct {
	There, Back        time.Duration // how long a frame is held at least
	Jitter             time.Duration // how much longer, at most: evenly drawn
	Lose, Double, Hold int
	// Held is how much longer a frame is held back, so that others overtake it.
	Held time.Duration
	// Cut is how long the data of an IPv4 packet may be, a multiple of 8: a router's part of the path cuts
	// longer ones into fragments. 0: none.
	Cut int
	// Only is whose frames are lost, doubled and held back: nil for all.
	Only func(frame []byte) bool
}

// Impaired is a relay between two interfaces of the lab: a switch whose truth is known. It holds a
// frame from the time when the kernel says that it came, and never for less than it is to.
type Impaired struct {
	what  Impairment
	nics  [2]*nic.NIC
	mu    sync.Mutex // guards what follows
	queue frameQueue
	seen  [2]int // frames of Only, each way
	ended bool
	done  sync.WaitGroup
}

// held is a frame that waits.
type held struct {
	due   int64 // ns of the wall clock
	to    *nic.NIC
	frame []byte
}

// Impair starts a relay between two interfaces, until Close.
func (l *Lab) Impair(a, b string, what Impairment) *Impaired {
	l.t.Helper()
	x := &Impaired{what: what}
	for i, name := range []string{a, b} {
		n, err := nic.Open(nic.Config{Interface: name, AsIs: true})
		if err != nil {
			l.t.Fatal(err)
		}
		x.nics[i] = n
	}
	for i, n := range x.nics {
		n.Watch(func(f *nic.Frame) {
			if !f.Out {
				x.take(i, f)
			}
		})
	}
	x.done.Go(x.run)
	return x
}

// take puts a frame that came to an interface into the queue.
func (x *Impaired) take(from int, f *nic.Frame) {
	x.mu.Lock()
	defer x.mu.Unlock()
	due := f.At + int64([]time.Duration{x.what.There, x.what.Back}[from])
	if x.what.Jitter > 0 {
		due += rand.Int64N(int64(x.what.Jitter))
	}
	copies := 1
	if x.what.Only == nil || x.what.Only(f.Bytes) {
		x.seen[from]++
		every := func(n int) bool { return n > 0 && x.seen[from]%n == 0 }
		switch {
		case every(x.what.Lose):
			copies = 0
		case every(x.what.Double):
			copies = 2
		case every(x.what.Hold):
			due += int64(x.what.Held)
		}
	}
	for range copies {
		for _, frame := range cut(f.Bytes, x.what.Cut) {
			heap.Push(&x.queue, held{due: due, to: x.nics[1-from], frame: frame})
		}
	}
}

// cut is a frame as a router leaves it that sends on at most so many bytes of an IPv4 packet's data at once (RFC
// 791, section 3.2): one that is short enough, is no IPv4 or has options stays whole.
func cut(frame []byte, most int) [][]byte {
	const ethernet, header, more = 14, 20, 0x2000
	if most == 0 || len(frame) < ethernet+header || frame[12] != 0x08 || frame[13] != 0 || frame[ethernet] != 0x45 {
		return [][]byte{bytes.Clone(frame)}
	}
	total := int(binary.BigEndian.Uint16(frame[ethernet+2:]))
	data := frame[ethernet+header : min(ethernet+total, len(frame))]
	flags := binary.BigEndian.Uint16(frame[ethernet+6:])
	var list [][]byte
	for at := 0; at < len(data) || at == 0; at += most {
		part := data[at:min(at+most, len(data))]
		b := append(bytes.Clone(frame[:ethernet+header]), part...)
		ip, rest := b[ethernet:ethernet+header], flags+uint16(at/8)
		if at+most < len(data) {
			rest |= more
		}
		binary.BigEndian.PutUint16(ip[2:], uint16(header+len(part)))
		binary.BigEndian.PutUint16(ip[6:], rest)
		binary.BigEndian.PutUint16(ip[10:], 0)
		binary.BigEndian.PutUint16(ip[10:], checksum(ip))
		list = append(list, b)
	}
	return list
}

// early is how long before a frame is due the relay stops sleeping and waits for it.
const early = 100 * time.Microsecond

// idle is how often the queue is looked at: less than early, which it may be late by.
const idle = 50 * time.Microsecond

func (x *Impaired) run() {
	runtime.LockOSThread() // sleeps are of a thread
	defer runtime.UnlockOSThread()
	for {
		x.mu.Lock()
		if x.ended {
			x.mu.Unlock()
			return
		}
		wait, next := early+idle, held{}
		if len(x.queue) > 0 {
			if wait = time.Duration(x.queue[0].due - time.Now().UnixNano()); wait <= 0 {
				next = heap.Pop(&x.queue).(held)
			}
		}
		x.mu.Unlock()
		switch {
		case next.to != nil:
			_ = next.to.Send(next.frame) // or the lab has ended
		case wait > early:
			pause := unix.NsecToTimespec(int64(min(wait-early, idle)))
			_ = unix.Nanosleep(&pause, nil)
		}
	}
}

// Close ends the relay; what waits is lost.
func (x *Impaired) Close() error {
	x.mu.Lock()
	x.ended = true
	x.mu.Unlock()
	x.done.Wait()
	var err error
	for _, n := range x.nics {
		if failed := n.Close(); err == nil {
			err = failed
		}
	}
	return err
}

// frameQueue is a heap of frames by the time when they are due.
type frameQueue []held

func (q frameQueue) Len() int           { return len(q) }
func (q frameQueue) Less(i, j int) bool { return q[i].due < q[j].due }
func (q frameQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *frameQueue) Push(x any) { *q = append(*q, x.(held)) }

// Pop implements heap.Interface.
func (q *frameQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
