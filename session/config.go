package session

import (
	"cmp"
	"crypto/tls"
	"net"
	"time"

	"github.com/weirnet/weir/openflow"
)

// Config configures sessions, at either end. The zero value of each field means its default of
// limits.go.
type Config struct {
	// Versions are those offered; none means 1.0 and 1.3. The highest common one is used.
	Versions []openflow.Version
	// EchoInterval is the time between echo requests; negative sends none, and a silent peer is
	// then never taken for dead.
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
	// HighWater is how many bytes wait for one peer before it is read slowly: 4 KiB every 50 ms, so
	// that two ends that are both over it cannot wait for each other for ever.
	HighWater int
	// MaxSessions is how many connections a Server holds.
	MaxSessions int
	// MissSendLen is what a controller sets with SET_CONFIG, in bytes; 0xffff (all of a packet) if
	// 0.
	MissSendLen uint16
	// Role, if set, returns the role that a controller requests as its first message after the
	// features reply. It is called on the session's reader and must not block.
	Role func(datapath uint64) (openflow.RoleRequest, bool)
	// MaxHalfOpen and MaxHalfOpenSource are how many connections of a Server may be in their
	// handshake, of all sources and of one: an IPv4 address or an IPv6 network of 64 bits. One too
	// many ends the oldest, of that source or of all, with ErrShed.
	MaxHalfOpen, MaxHalfOpenSource int
	// MaxSource is how many connections of a Server one source may have. One too many ends the
	// source's oldest in its handshake, and is refused with ErrSource where none is.
	MaxSource int
	// MaxHeld bounds the bytes of incomplete input that a Server holds for all peers together:
	// everything of a handshake until it is done, multipart answers until their last part, and the
	// ports of new switches. Above it the session with most of them, ports apart, is ended with
	// ErrHeld.
	MaxHeld int
	// NewSwitch, if set, reports whether a switch has never been seen before. Above FreePorts, each
	// port of such a switch counts as held for NewSwitchTime; a switch without room in half of
	// MaxHeld is refused with ErrNewPorts. It is called on the session's reader and must not block.
	NewSwitch func(datapath uint64) bool
	// MaxPorts is how many ports a switch may have: one with more is refused with ErrPorts.
	MaxPorts int
	// TLS, if set, is spoken on every connection, at either end; its handshake counts as part of
	// ours. A switch's end needs a ServerName in it.
	TLS *tls.Config
	// Admit, if set, decides whether a switch may connect under its datapath id; secure is nil
	// without TLS. Its error goes to Refused, not to the switch. It is called on the session's
	// reader and must not block.
	Admit func(datapath uint64, remote net.Addr, secure *tls.ConnectionState) error
	// Driver, if set, runs the sessions, in place of goroutines and of the clock. There is no TLS
	// then.
	Driver Driver
	// Refused, if set, is called for connections that ended before they were connected. It must not
	// block.
	Refused func(Refusal)
}

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	if len(c.Versions) == 0 {
		c.Versions = []openflow.Version{openflow.V10, openflow.V13}
	}
	c.EchoInterval = cmp.Or(c.EchoInterval, DefaultEchoInterval)
	c.EchoMisses = cmp.Or(c.EchoMisses, DefaultEchoMisses)
	c.HandshakeTimeout = cmp.Or(c.HandshakeTimeout, DefaultHandshakeTimeout)
	c.RequestTimeout = cmp.Or(c.RequestTimeout, DefaultRequestTimeout)
	c.MultipartTimeout = cmp.Or(c.MultipartTimeout, DefaultMultipartTimeout)
	c.MaxQueue = cmp.Or(c.MaxQueue, DefaultMaxQueue)
	c.HighWater = min(cmp.Or(c.HighWater, DefaultHighWater), c.MaxQueue)
	c.MaxSessions = cmp.Or(c.MaxSessions, DefaultMaxSessions)
	c.MaxHalfOpen = cmp.Or(c.MaxHalfOpen, DefaultMaxHalfOpen)
	c.MaxHalfOpenSource = cmp.Or(c.MaxHalfOpenSource, DefaultMaxHalfOpenSource)
	c.MaxSource = cmp.Or(c.MaxSource, DefaultMaxSource)
	c.MaxHeld = cmp.Or(c.MaxHeld, DefaultMaxHeld)
	c.MaxPorts = cmp.Or(c.MaxPorts, DefaultMaxPorts)
	c.MissSendLen = cmp.Or(c.MissSendLen, openflow.ControllerNoCut)
	return c
}
