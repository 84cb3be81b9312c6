package inventory

import "github.com/weirnet/weir/netview"

// Outbox keeps the frames of a transaction until it has ended.
type Outbox struct {
	Bytes  []byte // of all frames; a new one is appended before Add
	frames []Frame
}

// Frame is a probe, or a query to a host, to send out of a port.
type Frame struct {
	At         netview.Point
	Number     uint64 // of the probe
	Periodic   bool   // of the periodic round: counts as missed until heard
	Long       bool   // a long probe, which counts as missed until one is heard
	Try        int    // of the query
	By         Sender
	begin, end int // of its frame
}

// Reset empties it.
func (o *Outbox) Reset() { o.Bytes, o.frames = o.Bytes[:0], o.frames[:0] }

// Sender is who made a frame, and is told whether it was really sent.
type Sender interface {
	// Sent is told of each of its frames.
	Sent(f *Frame, ok bool)
}

// Flush calls send for each frame, in order; it returns whether the frame was sent.
func (o *Outbox) Flush(send func(at netview.Point, frame []byte) bool) {
	for i := range o.frames {
		f := &o.frames[i]
		f.By.Sent(f, send(f.At, o.Bytes[f.begin:f.end]))
	}
}

// Size returns how many frames there are.
func (o *Outbox) Size() int { return len(o.frames) }

// Add adds what was appended to frames since the last call.
func (o *Outbox) Add(s Frame) {
	if n := len(o.frames); n > 0 {
		s.begin = o.frames[n-1].end
	}
	s.end = len(o.Bytes)
	o.frames = append(o.frames, s)
}
