package session

import (
	"crypto/tls"
	"net"
	"time"

	"github.com/weirnet/weir/openflow"
)

// Config says how sessions behave, at either end. The zero value of each field means its default of limits.go.
type Config struct {
	// Versions are those offered; none means 1.0 and 1.3. The highest common one is used.
	Versions []openflow.Version
	// EchoInterval is the time between echo requests; negative sends none, and a silent peer is then never dead.
	EchoInterval time.Duration
	// EchoMisses is how many echo requests a silent peer may leave unanswered.
	EchoMisses int
	// HandshakeTimeout is how long a connection may take until it is connected.
	HandshakeTimeout time.Duration
	// RequestTimeout is how long a request waits for its answer.
	RequestTimeout time.Duration
	// MultipartTimeout is how long a multipart request waits for the last part of its answer.
	MultipartTimeout time.Duration
	// MaxQueue is how many bytes wait for one peer before Send refuses with ErrFull.
	MaxQueue int
	// HighWater is how many bytes wait for one peer before it is read slowly: 4 KiB every 50 ms, so that two ends
	// that are both over it cannot wait for each other for ever.
	HighWater int
	// MaxSessions is how many connections a Server holds.
	MaxSessions int
	// MissSendLen is what a controller sets with SET_CONFIG, in bytes; 0xffff (all of a packet) if 0.
	MissSendLen uint16
	// Role is asked for the role that a controller requests as its first message after the features reply; it may be
	// nil. It is called on the session's reader and must not block.
	Role func(datapath uint64) (openflow.RoleRequest, bool)
	// MaxHalfOpen and MaxHalfOpenSource are how many connections of a Server may be in their handshake, of all sources and
	// of one: an IPv4 address or an IPv6 network of 64 bits. One too many ends the oldest, of that source or of all, with
	// ErrShed.
	MaxHalfOpen, MaxHalfOpenSource int
	// MaxSource is how many connections of a Server one source may have. One too many ends the source's oldest in its
	// handshake, and is refused with ErrSource where none is.
	MaxSource int
	// MaxHeld is how many bytes a Server holds, for all peers together, of what they have not said whole: everything of a
	// handshake until it is done, and answers in parts until the last one. Above it who holds most is ended with ErrHeld.
	MaxHeld int
	// MaxPorts is how many ports a switch may have: one with more is refused with ErrPorts.
	MaxPorts int
	// TLS, if set, is spoken on every connection, at either end; its handshake counts as part of ours. A switch's end needs
	// a ServerName in it.
	TLS *tls.Config
	// Admit, if set, is asked whether a switch may connect under its datapath id, when that is known; secure is nil without
	// TLS. Its error is told to Refused, not to the switch. It is called on the session's reader and must not block.
	Admit func(datapath uint64, remote net.Addr, secure *tls.ConnectionState) error
	// Driver, if set, has the sessions live, in place of goroutines and of the clock. There is no TLS then.
	Driver Driver
	// Refused, if set, is told of connections that ended before they were connected. It must not block.
	Refused func(Refusal)
}

// orDefault is x, or otherwise if x is zero.
func orDefault[T comparable](x, otherwise T) T {
	var zero T
	if x == zero {
		return otherwise
	}
	return x
}

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	if len(c.Versions) == 0 {
		c.Versions = []openflow.Version{openflow.V10, openflow.V13}
	}
	c.EchoInterval = orDefault(c.EchoInterval, DefaultEchoInterval)
	c.EchoMisses = orDefault(c.EchoMisses, DefaultEchoMisses)
	c.HandshakeTimeout = orDefault(c.HandshakeTimeout, DefaultHandshakeTimeout)
	c.RequestTimeout = orDefault(c.RequestTimeout, DefaultRequestTimeout)
	c.MultipartTimeout = orDefault(c.MultipartTimeout, DefaultMultipartTimeout)
	c.MaxQueue = orDefault(c.MaxQueue, DefaultMaxQueue)
	c.HighWater = min(orDefault(c.HighWater, DefaultHighWater), c.MaxQueue)
	c.MaxSessions = orDefault(c.MaxSessions, DefaultMaxSessions)
	c.MaxHalfOpen = orDefault(c.MaxHalfOpen, DefaultMaxHalfOpen)
	c.MaxHalfOpenSource = orDefault(c.MaxHalfOpenSource, DefaultMaxHalfOpenSource)
	c.MaxSource = orDefault(c.MaxSource, DefaultMaxSource)
	c.MaxHeld = orDefault(c.MaxHeld, DefaultMaxHeld)
	c.MaxPorts = orDefault(c.MaxPorts, DefaultMaxPorts)
	c.MissSendLen = orDefault(c.MissSendLen, openflow.ControllerNoCut)
	return c
}
