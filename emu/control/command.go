package control

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
)

// MaxCommands bounds the commands that are kept.
const MaxCommands = 1000

// ErrBusy refuses a command or capture while the maximum number is running.
var ErrBusy = errors.New("too many are running")

// Command is traffic that a host was told to send.
type Command struct {
	Number  int // unique among commands and captures, from 1
	From    *emu.Host
	To      netip.Addr
	Traffic topo.Traffic

	receiver *emu.Host // that has the address To; nil if none has
	ping     *host.Ping
	flow     *host.Flow
	stream   *host.Stream

	mu   sync.Mutex // guards what was seen last: hosts forget
	sink *host.SinkReport
	peer *host.StreamReport
}

// Outcome is the result of a command so far; what its kind does not have is nil.
type Outcome struct {
	Done bool // no more will be sent, and all that was sent has arrived or timed out
	Ping *host.PingReport
	UDP  *host.FlowReport
	Sink *host.SinkReport // what arrived of udp, at the host that has the address; nil before anything did
	TCP  *host.StreamReport
	Peer *host.StreamReport // the other end of tcp, at the host that has the address; nil before there was one
}

// Begin has a host send to an address.
func (d *Operator) Begin(from *emu.Host, to netip.Addr, t topo.Traffic) (*Command, error) {
	c := &Command{From: from, To: to, Traffic: t, receiver: d.names.withAddress(to)}
	if err := d.makeRoom(); err != nil {
		return nil, err
	}
	var err error
	from.Do(func(h *host.Host, now time.Duration, _ host.Output) { err = c.begin(h, now) })
	if err != nil {
		return nil, fmt.Errorf("host %s: %s: %w", from.Spec().Name, t.Kind, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	c.Number = d.last
	d.commands = append(d.commands, c)
	return c, nil
}

// begin is called with the host's lock.
func (c *Command) begin(h *host.Host, now time.Duration) (err error) {
	t := &c.Traffic
	switch t.Kind {
	case "ping":
		c.ping, err = h.Ping(host.PingSpec{Dst: c.To, Count: t.Count, Interval: t.Interval, Size: t.Size}, now)
	case "udp":
		var pattern host.Pattern
		if t.Pattern != "" {
			if pattern, err = host.ParsePattern(t.Pattern); err != nil {
				return err
			}
		}
		c.flow, err = h.UDP(host.FlowSpec{Dst: c.To, Port: t.Port, Rate: t.Rate, Size: t.Size, Pattern: pattern,
			On: t.On, Off: t.Off,
			Count: uint64(t.Count), Duration: t.Duration}, now)
	case "tcp":
		c.stream, err = h.TCP(host.StreamSpec{Dst: c.To, Port: t.Port, Bytes: t.Bytes, Duration: t.Duration,
			Rate: uint64(t.Rate)}, now)
	default:
		err = fmt.Errorf("kind %q given, want ping, udp or tcp", t.Kind)
	}
	return err
}

// makeRoom removes the oldest finished commands, if there are too many.
func (d *Operator) makeRoom() error {
	d.mu.Lock()
	list := slices.Clone(d.commands)
	d.mu.Unlock()
	if len(list) < MaxCommands {
		return nil
	}
	i := slices.IndexFunc(list, func(c *Command) bool { return c.Outcome().Done })
	if i < 0 {
		return fmt.Errorf("%d commands: %w", len(list), ErrBusy)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.commands = slices.DeleteFunc(d.commands, func(c *Command) bool { return c == list[i] })
	return nil
}

// Commands returns the commands that are kept, the oldest first.
func (d *Operator) Commands() []*Command {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.commands)
}

// Command returns a command by its number; nil if it is not kept.
func (d *Operator) Command(number int) *Command {
	for _, c := range d.Commands() {
		if c.Number == number {
			return c
		}
	}
	return nil
}

// Outcome returns the result so far.
func (c *Command) Outcome() (o Outcome) {
	var at time.Duration
	c.From.Do(func(h *host.Host, now time.Duration, _ host.Output) {
		at = now
		switch {
		case c.ping != nil:
			r := c.ping.Report()
			o.Ping, o.Done = &r, r.Done
		case c.flow != nil:
			r := c.flow.Report()
			o.UDP, o.Done = &r, r.Done
		case c.stream != nil:
			r := c.stream.Report()
			o.TCP, o.Done = &r, r.Done
		}
	})
	if c.receiver != nil && c.ping == nil {
		c.receiver.Do(func(h *host.Host, _ time.Duration, _ host.Output) { c.arrived(h, &o) })
		if o.UDP != nil {
			o.Done = o.Done && settled(o.UDP, o.Sink, at)
		}
	}
	return o
}

// arrived adds the receiver's counts of a flow or stream.
func (c *Command) arrived(h *host.Host, o *Outcome) {
	src := c.From.Spec().IPv4.Addr()
	if c.To.Is6() {
		src = c.From.Spec().IPv6.Addr()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.UDP != nil {
		if s := h.Sink(src, o.UDP.SrcPort, c.To, o.UDP.DstPort); s != nil {
			r := s.Report()
			c.sink = &r
		}
		o.Sink = c.sink
		return
	}
	if s := h.AcceptedFrom(src, o.TCP.Port, o.TCP.PeerPort); s != nil {
		r := s.Report()
		c.peer = &r
	}
	o.Peer = c.peer
}

// Stop has the host send no more.
func (c *Command) Stop() {
	c.From.Do(func(h *host.Host, now time.Duration, _ host.Output) {
		switch {
		case c.ping != nil:
			c.ping.Stop(now)
		case c.flow != nil:
			c.flow.Stop(now)
		case c.stream != nil:
			c.stream.Stop(now)
		}
	})
}

// Address is the one of a host that traffic goes to: that of IPv4 if it has one and IPv6 was not
// asked for.
func Address(h *emu.Host, ipv6 bool) (netip.Addr, error) {
	spec := h.Spec()
	switch {
	case ipv6 && spec.IPv6.IsValid(), !ipv6 && !spec.IPv4.IsValid() && spec.IPv6.IsValid():
		return spec.IPv6.Addr(), nil
	case !ipv6 && spec.IPv4.IsValid():
		return spec.IPv4.Addr(), nil
	}
	return netip.Addr{}, fmt.Errorf("host %s has no such address", spec.Name)
}

// send starts the traffic of an event.
func (d *Operator) send(a topo.TrafficAction) error {
	list := d.net.Hosts()
	if a.From < 0 || a.To < 0 || a.From >= len(list) || a.To >= len(list) {
		return fmt.Errorf("hosts number %d and %d: %w", a.From, a.To, ErrUnknown)
	}
	to, err := Address(list[a.To], a.Traffic.IPv6)
	if err == nil {
		_, err = d.Begin(list[a.From], to, a.Traffic)
	}
	return err
}
