package session

import (
	"time"

	"github.com/weirnet/weir/beat"
)

// The limits and times of a session. Those that are defaults of a Config have the same name there.
const (
	// DefaultEchoInterval is the time between echo requests.
	DefaultEchoInterval = 5 * time.Second
	// DefaultEchoMisses is how many echo requests in a row a silent peer may leave unanswered.
	DefaultEchoMisses = 3
	// DefaultHandshakeTimeout is how long a new connection may take until it is connected.
	DefaultHandshakeTimeout = 10 * time.Second
	// DefaultRequestTimeout is how long a request waits for its answer.
	DefaultRequestTimeout = 10 * time.Second
	// DefaultMultipartTimeout is how long a multipart request waits for the last part of its
	// answer.
	DefaultMultipartTimeout = 30 * time.Second
	// DefaultMaxQueue is how many bytes wait for one peer before Send refuses with ErrFull.
	DefaultMaxQueue = 4 << 20
	// DefaultHighWater is how many bytes wait for one peer before it is read slowly.
	DefaultHighWater = 1 << 20
	// DefaultMaxSessions is how many connections a Server holds, those in their handshake included.
	DefaultMaxSessions = 16384
	// DefaultMaxHalfOpen is how many of them may be in their handshake; the oldest goes first.
	DefaultMaxHalfOpen = 4096
	// DefaultMaxHalfOpenSource is how many of them may come from one source (see Config).
	DefaultMaxHalfOpenSource = 2048
	// DefaultMaxSource is how many connections one source may have, those in their handshake
	// included.
	DefaultMaxSource = DefaultMaxSessions
	// DefaultMaxHeld bounds the bytes of incomplete input of a Server (see Config.MaxHeld).
	DefaultMaxHeld = 32 << 20
	// DefaultMaxPorts is how many ports a switch may have.
	DefaultMaxPorts = 8192
	// FreePorts is how many ports of a new switch (Config.NewSwitch) are not counted as held.
	FreePorts = 512
	// NewSwitchTime is how long the further ports of a new switch are counted as held.
	NewSwitchTime = time.Minute
	// MaxLeaving is how many connections, above MaxSessions, may be closing after they were shed;
	// at most as many as MaxSessions.
	MaxLeaving = 1024
	// DuplicateTimeout is how long a switch has to answer when another connection comes for its
	// datapath id.
	DuplicateTimeout = time.Second

	// MaxRequests is how many requests of one session may wait for answers.
	MaxRequests = 4096
	// MaxMultipartParts is how many parts one multipart answer may have.
	MaxMultipartParts = 8192
	// MaxMergedBytes is how long an answer may be whose parts are merged: the longest that is meant
	// is that of the counters of 65,280 ports.
	MaxMergedBytes = 8 << 20
	// MaxMultipartBytes is how long an answer may be whose parts are handed over as they come
	// (Session.MultipartParts).
	MaxMultipartBytes = 64 << 20
	// MaxHeldMessages is how many messages that come during the handshake are kept until the
	// handler is notified of the switch.
	MaxHeldMessages = 256

	minReadBuffer  = 2 << 10          // of an idle session
	maxReadBuffer  = 256 << 10        // of a busy one; at least one longest message, 64 KiB
	duplicateGrace = 2 * tickInterval // for a reader that was delayed

	flushBytes   = 64 << 10 // written in the middle of a batch when so much is queued
	writeChunk   = 64 << 10 // longest single write: progress is seen between two
	portBytes    = 64       // struct ofp_port
	maxFrame     = 64 << 10 // longest message, at most
	freeInput    = 16 << 10 // of a read buffer that do not count as held
	heldPort     = 2 << 10  // held for a port of a new switch: about what the handler keeps of it, garbage included
	heldFactor   = 4        // bytes in memory for each of a message that is kept decoded, about
	keepOutput   = 1 << 10  // larger output buffers are let go when the session is idle
	queueReserve = 64 << 10 // above MaxQueue, for the protocol's own answers
	pausedRead   = 4 << 10  // read at once from a peer over the high-water mark, every pauseLimit
	pauseLimit   = 50 * time.Millisecond
	lingerLimit  = 500 * time.Millisecond // for the last bytes of a session that is closed on purpose
	tickInterval = beat.Every             // resolution of all deadlines
	restTicks    = 50                     // ticks between two looks for sessions that keep large buffers
)
