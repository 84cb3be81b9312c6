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
	stream stream
	role   Role
}

// stream is told of its frames.
type stream interface {
	// proto is the protocol of its packets.
	proto() uint8
	// see takes note of a packet, whose last part is given, at an interface.
	see(role Role, f *probe.Frame, p *probe.Passage)
}

// NewTap makes one for an interface with an MTU.
func NewTap(mtu int) *Tap {
	return &Tap{streams: map[ends]follower{}, parts: probe.NewAssembler(mtu)}
}

// Follow has a stream be told of what the interface sees of it, in place of one before with the same
// addresses.
func (t *Tap) Follow(d *Datagrams, role Role) {
	t.follow(ends{d.cfg.From, d.cfg.To}, follower{d, role})
}

// FollowConnection does the same for a connection, in both of its directions.
func (t *Tap) FollowConnection(c *Connection, role Role) {
	t.follow(ends{c.from, c.to}, follower{c, role})
	t.follow(ends{c.to, c.from}, follower{c, role})
}

func (t *Tap) follow(e ends, f follower) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams[e] = f
}

// See takes a frame, and reports whether it is of a stream. Nobody else should count it then.
func (t *Tap) See(f *nic.Frame) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.streams) == 0 {
		return false
	}
	p, ok := probe.Parse(f.Bytes)
	if !ok {
		return false
	}
	s, ok := t.streams[ends{p.Src, p.Dst}]
	if !ok || p.Proto != s.stream.proto() {
		return false
	}
	if t.parts.AddFrame(probe.Stamp(f.At), f.Out, f.Length, &p) {
		if passage := t.parts.Pop(); s.role != Passing {
			s.stream.see(s.role, &p, &passage)
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
