package inventory

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// Silence is since when nothing was heard at a port, and what its switch sends since.
type Silence struct {
	QuietSince     time.Time // since when no link was heard here: it came up, or lost its link
	SilenceNoted   time.Time // QuietSince, when BytesAtSilence was noted
	BytesAtSilence [2]uint64 // bytes received from its switch and from the peer's, when it had been silent for long enough
}

// EdgeTime is how long a port has been an edge, or the end of an unproven link, with carrier all the
// time.
type EdgeTime struct {
	EdgeSince  time.Time     // zero: it is not
	EdgeRounds uint64        // ActiveRounds of its switch, then
	ProvenPeer netview.Point // the other end of the last confirmed cable
}

// Vacancy is what is known of the hosts at a port where probes come in that make no link, because of
// these hosts.
type Vacancy struct {
	JoinedAt  time.Time // when a probe was last heard, here or of it elsewhere, that makes no link
	BlockedAt time.Time // of PortBlocked: when an unexpected probe was last heard
	ProbedAt  time.Time // when such a probe was last heard, here or of it elsewhere, and hosts live here
	QueriedAt time.Time // when its hosts were last queried because of that
	Querying  bool      // that query is still open
	Alive     bool      // one of them has spoken since
	VacatedAt time.Time // when they were found silent
}

// StrayProbe is a probe that came in at a port, or from one, that has a link elsewhere.
type StrayProbe struct {
	From netview.Point
	At   time.Time
}
