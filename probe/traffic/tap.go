package traffic

import (
	"sync"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// Role is what an interface is to a stream.
type Role int

// The roles.
const (
	// Passing: frames of the stream may be seen, and tell nothing.
	Passing Role = iota
	Leaving
	Coming
)

// Tap picks the frames of streams out of what one interface sees.
type Tap struct {
	mu      sync.Mutex // guards what follows
	streams map[ends]follower
	parts   *probe.Assembler
}

// ends are those of a stream; fragments have them, too.
type ends struct{ from, to packet.Addr }

type follower struct {
	stream *Datagrams
	role   Role
}

// NewTap makes one for an interface with an MTU.
func NewTap(mtu int) *Tap {
	return &Tap{streams: map[ends]follower{}, parts: probe.NewAssembler(mtu)}
}

// Follow has a stream be told of what the interface sees of it, in place of one before with the same
// addresses.
func (t *Tap) Follow(d *Datagrams, role Role) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams[ends{d.cfg.From, d.cfg.To}] = follower{d, role}
}

// See takes a frame, and reports whether it is of a stream. Nobody else should count it then.
func (t *Tap) See(f *nic.Frame) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.streams) == 0 {
		return false
	}
	p, ok := probe.Parse(f.Bytes)
	if !ok || p.Proto != packet.ProtoUDP {
		return false
	}
	s, ok := t.streams[ends{p.Src, p.Dst}]
	if !ok {
		return false
	}
	if t.parts.AddFrame(probe.Stamp(f.At), f.Out, f.Length, &p) {
		if passage := t.parts.Pop(); s.role == Leaving && f.Out || s.role == Coming && !f.Out {
			s.stream.see(&passage)
		}
	}
	return true
}

// Counts are those of the frames of streams.
func (t *Tap) Counts() probe.Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.parts.Counts()
}
