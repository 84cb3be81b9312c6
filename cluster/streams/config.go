package streams

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/cluster/liveness"
)

// ID is the number of an instance in its cluster.
type ID = liveness.ID

// MaxPayload is the length of the longest payload of a message, a request, an answer or a part of a bulk stream.
const MaxPayload = 1 << 20

// Queue limits where a Kind gives none: bytes that may wait for one peer.
const (
	messageQueue = 1 << 20
	bulkQueue    = 16 << 20
)

// Peer is an instance as the cluster's list of members has it.
type Peer struct {
	ID   ID
	Name string // empty if it is not known yet
	Addr string // HOST:PORT of its peer port
}

// String is how people know a peer.
func (p Peer) String() string { return instance(p.Name, p.ID) }

// instance names an instance, for people.
func instance(name string, id ID) string {
	if name == "" {
		return fmt.Sprintf("instance %x", uint64(id))
	}
	return fmt.Sprintf("instance %s (%x)", name, uint64(id))
}

// Kind is a kind of what instances send each other: messages, requests or bulk streams, by which one of Message, Request
// and Bulk it has. All instances have the same kinds; one that a peer does not know, being of another version, is dropped,
// refused or stopped there.
//
// What is sent of one kind to one peer arrives in order. The functions are called by the goroutine that reads from the
// peer, and payloads are valid until they return; Request is called by a goroutine of each request, and its payload is
// its own.
type Kind struct {
	Number uint16 // not 0
	Name   string // for people and counts
	Queue  int    // bytes that may wait for one peer; 0: 1 MiB, and 16 MiB of bulk

	// Message takes a message. It must not wait: all other messages and requests of the peer wait behind it.
	Message func(from ID, payload []byte)
	// Request answers a request. The context ends when the peer does not wait any more.
	Request func(ctx context.Context, from ID, payload []byte) ([]byte, error)
	// Bulk takes bulk streams.
	Bulk *Receiver
}

// Receiver takes the bulk streams of a kind, of which each peer sends one at a time. Its functions may wait: the bulk
// streams of that peer wait behind them, and its queues fill.
type Receiver struct {
	// Began says that a peer begins a stream.
	Began func(from ID)
	// Take takes the next part: none is missing, none comes twice. With an error the stream ends, at both ends.
	Take func(from ID, payload []byte) error
	// Ended says that a stream has ended: nil if the sender said that it is complete, and else why.
	Ended func(from ID, err error)
}

// Config is what an instance needs for its streams. Durations that are 0 have the default.
type Config struct {
	Cluster uint64 // number of the cluster
	Self    liveness.Life
	Name    string
	// TLS are the files for mutual TLS; nil: none is spoken. The port of Handler is then to be served with TLS.Server().
	TLS *cert.PeerFiles
	// Dial opens a connection to an address; nil: by TCP. TLS is spoken on it by this package.
	Dial func(ctx context.Context, addr string) (net.Conn, error)
	// Kinds are what is sent. Their numbers are different.
	Kinds []Kind
	// Changed is called after who is heard, suspected or connected has changed. It must not wait, nor call Close.
	Changed func()
	Log     *slog.Logger
	// Liveness has times of heartbeats; its Self is not used.
	Liveness liveness.Config

	// ConnectTimeout is how long a connection may take: 200 ms. Instances are near each other.
	ConnectTimeout time.Duration
	// HandshakeTimeout is how long TLS and the handshake may take: 1 s.
	HandshakeTimeout time.Duration
	// Silence is how long a suspected peer is silent before its connections are closed, and made anew: 500 ms. Bulk
	// streams outlive shorter stops.
	Silence time.Duration
	// Stall is how long a peer may take nothing of what is written to it: 5 s.
	Stall time.Duration
	// Retry is the longest time between two tries to connect: 100 ms.
	Retry time.Duration
}

// firstRetry is how long the second try to connect waits; the first does not.
const firstRetry = 10 * time.Millisecond

// withDefaults checks a configuration and fills it in.
func (cfg Config) withDefaults() (Config, error) {
	if cfg.Self.ID == 0 || cfg.Self.Incarnation == 0 || cfg.Name == "" {
		return cfg, errors.New("streams of an instance without a number, an incarnation or a name")
	}
	cfg.ConnectTimeout = cmp.Or(cfg.ConnectTimeout, 200*time.Millisecond)
	cfg.HandshakeTimeout = cmp.Or(cfg.HandshakeTimeout, time.Second)
	cfg.Silence = cmp.Or(cfg.Silence, 500*time.Millisecond)
	cfg.Stall = cmp.Or(cfg.Stall, 5*time.Second)
	cfg.Retry = cmp.Or(cfg.Retry, 100*time.Millisecond)
	cfg.Liveness.Every = cmp.Or(cfg.Liveness.Every, 10*time.Millisecond)
	cfg.Liveness.Self = cfg.Self
	if cfg.Dial == nil {
		var d net.Dialer
		cfg.Dial = func(ctx context.Context, addr string) (net.Conn, error) { return d.DialContext(ctx, "tcp", addr) }
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	seen := map[uint16]bool{}
	kinds := make([]Kind, len(cfg.Kinds))
	for i, k := range cfg.Kinds {
		purposes := 0
		for _, is := range []bool{k.Message != nil, k.Request != nil, k.Bulk != nil} {
			if is {
				purposes++
			}
		}
		if k.Number == 0 || seen[k.Number] || purposes != 1 {
			return cfg, fmt.Errorf("kind %q (%d) of streams: want a number of its own, not 0, and one of messages, requests and bulk", k.Name, k.Number)
		}
		seen[k.Number] = true
		if k.Queue == 0 {
			k.Queue = messageQueue
			if k.Bulk != nil {
				k.Queue = bulkQueue
			}
		}
		kinds[i] = k
	}
	cfg.Kinds = kinds
	return cfg, nil
}
