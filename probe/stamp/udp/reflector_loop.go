package udp

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"

	"github.com/weirnet/weir/probe/stamp"
)

const (
	// longest is the longest payload of a datagram, in bytes, and more.
	longest = 65536
	// unknownError is how far a clock may be off of which nothing is known.
	unknownError = 24 * time.Hour
)

// Reflector answers the requests of STAMP senders, without state (RFC 8762, section 4.3).
type Reflector struct {
	Listen    string // HOST:PORT; the host may be empty
	PerSecond int    // replies at most
	Clock     func() stamp.Accuracy
	// Ready, if set, is told where it listens.
	Ready func(netip.AddrPort)

	counts Counts
}

// Counts are datagrams that came to a reflector.
type Counts struct {
	Reflected int
	Short     int // no requests
	Looping   int // from port 862 or its own: another reflector there might answer for ever
	Above     int // more than PerSecond
	Unsent    int // the kernel refused the reply
	// Untimed are requests of which the kernel had no time, as of the first ones after a socket was
	// opened: it begins to take times a moment later. They were reflected, with the time at which they
	// were read.
	Untimed int
}

// Run reflects until the context ends. The error is that of the address.
func (r *Reflector) Run(ctx context.Context) (Counts, error) {
	if r.Clock == nil {
		r.Clock = ownClock
	}
	listening, err := (&net.ListenConfig{}).ListenPacket(ctx, "udp", r.Listen)
	if err != nil {
		return r.counts, err
	}
	conn := listening.(*net.UDPConn)
	defer conn.Close()
	if err := stampReplies(conn); err != nil {
		return r.counts, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	own := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	if r.Ready != nil {
		r.Ready(own)
	}
	room, oob, budget := make([]byte, longest), make([]byte, 512), stamp.Budget{PerSecond: r.PerSecond}
	for {
		n, o, _, from, err := conn.ReadMsgUDPAddrPort(room, oob)
		switch {
		case errors.Is(err, net.ErrClosed):
			return r.counts, nil
		case err != nil: // of a reply that did not arrive
			continue
		}
		r.reflect(conn, room[:n], readControl(oob[:o]), from, own.Port(), &budget)
	}
}

// reflect answers one datagram, or counts why it does not.
func (r *Reflector) reflect(conn *net.UDPConn, b []byte, c control, from netip.AddrPort, own uint16, budget *stamp.Budget) {
	now := time.Now()
	switch {
	case len(b) < stamp.Size:
		r.counts.Short++
	case from.Port() == own || from.Port() == stamp.Port:
		r.counts.Looping++
	case !budget.Take(now):
		r.counts.Above++
	default:
		if c.at.IsZero() {
			c.at = now
			r.counts.Untimed++
		}
		err := stamp.Reflect(b, c.at, time.Now(), c.ttl, r.Clock())
		if err == nil {
			_, _, err = conn.WriteMsgUDPAddrPort(b, c.from, from)
		}
		if err != nil {
			r.counts.Unsent++
			return
		}
		r.counts.Reflected++
	}
}
