package traffic

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
)

// Config is a stream of datagrams. All fields but VLAN have to be given.
type Config struct {
	FromMAC, ToMAC packet.MAC
	From, To       packet.Addr
	VLAN           uint16 // id of the tag that frames have; 0: none
	Port           uint16 // of both ends
	MTU            int    // bytes of an IP packet
	Size           int    // bytes of a datagram's payload, from MinSize to MaxSize
	Rate           float64
	// Send sends frames, one right behind the other.
	Send func(frames ...[]byte) error
}

// Bounds of a datagram's payload, in bytes.
const (
	MinSize = probe.NumberLen
	MaxSize = 65000
)

// bits are those of a datagram that count: of IP's payload.
func (c *Config) bits() float64 { return float64(packet.UDPLen+c.Size) * 8 }

// each is the time from one datagram to the next, in nanoseconds.
func (c *Config) each() float64 { return c.bits() / c.Rate * 1e9 }

func (c *Config) check() error {
	switch {
	case c.Size < MinSize || c.Size > MaxSize:
		return fmt.Errorf("size %d given, want bytes from %d to %d", c.Size, MinSize, MaxSize)
	case c.Rate <= 0:
		return fmt.Errorf("a rate of %g bit/s given, want more than 0", c.Rate)
	}
	return nil
}

// Datagrams is a stream of numbered datagrams that goes one way.
type Datagrams struct {
	cfg     Config
	offered atomic.Uint64 // datagrams that were handed to the interface
	took    atomic.Int64  // ns from the first one until the last one so far

	mu       sync.Mutex // guards what follows
	followed probe.Stream
	stray    int // of another stream between the same ends, such as the one before
}

// New makes a stream that has not begun.
func New(cfg Config) (*Datagrams, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Datagrams{cfg: cfg}, nil
}

func (d *Datagrams) proto() uint8 { return packet.ProtoUDP }

// see takes note of a datagram that left or came.
func (d *Datagrams) see(role Role, _ *probe.Frame, p *probe.Passage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case (role == Leaving) != p.Out:
	case p.Kind != probe.NumberedUDP || p.DstPort != d.cfg.Port:
		d.stray++
	case p.Out:
		d.followed.Left(uint64(p.Seq), p.First)
	default:
		d.followed.Came(uint64(p.Seq), p.Last, p.Bytes)
	}
}

// Outcome is what came of a stream.
type Outcome struct {
	probe.Flow
	Offered int // datagrams that were handed to the interface
	// Took is the time from the first one's handing over to when one after the last would have been due.
	Took      time.Duration
	Unmatched int // that came and are not in the jitter: it was not known in time when they left
	Stray     int // between the same ends, and not of this stream
}

// Outcome is the present one. What has left and not come counts as lost, so it is asked for when
// nothing is on its way any more.
func (d *Datagrams) Outcome() Outcome {
	d.mu.Lock()
	defer d.mu.Unlock()
	took := time.Duration(float64(d.took.Load()) + d.cfg.each())
	return Outcome{Flow: d.followed.Flow(), Offered: int(d.offered.Load()), Took: took,
		Unmatched: d.followed.Unmatched(), Stray: d.stray}
}

// arrived is how many datagrams came, and one more than the highest number of them.
func (d *Datagrams) arrived() (count, next uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return uint64(d.followed.Flow().Received), d.followed.Next()
}

// Reached is what a stream did for a while.
type Reached struct {
	Wanted, Left, Came float64 // bits of IP's payload a second
	// One is the rate of one datagram in that while: so much less may be a matter of the moments at which
	// it was looked.
	One float64
}

// enough is the share of a rate that has to be reached.
const enough = 0.95

// Check refuses a load that did not leave, or did not come, at its rate. At is the interface that it
// leaves by.
func (r Reached) Check(at string) error {
	if err := r.CheckLeft(at); err != nil || r.Came+r.One >= enough*r.Wanted {
		return err
	}
	return &probe.Refusal{Why: probe.ErrRate, Seen: fmt.Sprintf("of the load from %s %s arrived", at, Shown(r.Came)),
		Want: fmt.Sprintf("%s of %s at least", Shown(enough*r.Wanted), Shown(r.Wanted)),
		Do:   "the path does not carry it: ask for less"}
}

// CheckLeft refuses a stream that did not leave at its rate.
func (r Reached) CheckLeft(at string) error {
	if r.Left+r.One >= enough*r.Wanted {
		return nil
	}
	return &probe.Refusal{Why: probe.ErrRate, Seen: fmt.Sprintf("%s left %s", Shown(r.Left), at),
		Want: fmt.Sprintf("%s of %s at least", Shown(enough*r.Wanted), Shown(r.Wanted)),
		Do:   "ask for less, for longer datagrams, or measure on a faster machine"}
}

// Shown is a rate without digits that say nothing.
func Shown(bitsPerSecond float64) string { return fmt.Sprintf("%.4g Mbit/s", bitsPerSecond/1e6) }

// Left is how fast datagrams were handed to the interface, in bits of IP's payload a second.
func (o *Outcome) Left(size int) float64 {
	return float64(o.Offered*(size+packet.UDPLen)*8) / max(o.Took, 1).Seconds()
}

// rate is that of so many datagrams in a time.
func (d *Datagrams) rate(count uint64, took time.Duration) float64 {
	return float64(count) * d.cfg.bits() / took.Seconds()
}
