package traffic

import (
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
)

// Connection is a TCP connection over IPv4 between two hosts, as interfaces see it. Its segments have
// no numbers, but Linux gives each packet of a connection the next identification of IPv4, sent again
// or not.
type Connection struct {
	from, to packet.Addr

	mu        sync.Mutex // guards what follows
	followed  probe.Stream
	latest    uint64          // the number of the packet that was seen last, at either end
	handshake []probe.Passage // at the callee, until it is complete
	took      time.Duration   // from SYN-ACK to ACK; 0: not seen
	acked     uint32          // by the callee, as the caller's interface saw it
	underway  int             // bytes that had left and were not acknowledged, at most
	since     probe.Stamp     // from when on that is followed
}

// NewConnection follows what is sent from one host to another, which is called.
func NewConnection(from, to packet.Addr) *Connection { return &Connection{from: from, to: to} }

func (c *Connection) proto() uint8 { return packet.ProtoTCP }

// see takes note of a segment.
func (c *Connection) see(role Role, f *probe.Frame, p *probe.Passage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if role == Coming && c.took == 0 {
		c.shake(p)
	}
	if role == Leaving {
		c.outstanding(f, p)
	}
	switch {
	case f.Src != c.from || (role == Leaving) != p.Out:
	case p.Out:
		c.followed.Left(c.number(f.ID), p.First)
	default:
		c.followed.Came(c.number(f.ID), p.Last, p.Bytes)
	}
}

// outstanding follows how much is under way.
func (c *Connection) outstanding(f *probe.Frame, p *probe.Passage) {
	switch {
	case f.Src != c.from && !p.Out && f.Kind == probe.TCPSynAck || f.Src != c.from && int32(f.Ack-c.acked) > 0:
		c.acked = f.Ack
	case f.Src == c.from && p.Out && f.Kind == probe.TCPSegment && p.First >= c.since:
		c.underway = max(c.underway, int(int32(f.Seq+uint32(f.Digest)-c.acked)))
	}
}

// Begin has Underway begin.
func (c *Connection) Begin(at probe.Stamp) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since, c.underway = at, 0
}

// Underway is how many bytes had left and were not acknowledged, at most, as the caller's interface
// saw them.
func (c *Connection) Underway() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.underway
}

// firstNumber is that of the packet that is seen first, before which some may turn out to have left.
const firstNumber = 1 << 16

// number continues an identification, which has 16 bits, from the one before, which is less than half
// of all away.
func (c *Connection) number(id uint32) uint64 {
	if c.latest == 0 {
		c.latest = firstNumber + uint64(id&0xffff)
	}
	c.latest += uint64(int64(int16(uint16(id) - uint16(c.latest))))
	return c.latest
}

// mostShakes is how many packets of a handshake are kept: the SYN-ACK may be sent again.
const mostShakes = 16

// shake looks for the ACK of a SYN-ACK.
func (c *Connection) shake(p *probe.Passage) {
	if p.Kind != probe.TCPSynAck && p.Kind != probe.TCPAck || len(c.handshake) == mostShakes {
		return
	}
	c.handshake = append(c.handshake, *p)
	slices.SortStableFunc(c.handshake, func(a, b probe.Passage) int { return int(a.First - b.First) })
	if list := probe.Handshakes(c.handshake); len(list) > 0 {
		c.took, c.handshake = list[0], nil
	}
}

// Handshake is the time from the SYN-ACK to its ACK, as the callee's interface saw them: both ways
// and what the caller took; 0 if it was not seen.
func (c *Connection) Handshake() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.took
}

// Outcome is what came of the caller's packets so far. What has left and not come counts as lost, so
// it is asked for when nothing is on its way any more.
func (c *Connection) Outcome() Outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Outcome{Flow: c.followed.Flow(), Unmatched: c.followed.Unmatched()}
}
