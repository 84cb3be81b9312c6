package process

import (
	"fmt"
	"log/slog"
	"syscall"

	"github.com/weirnet/weir/session"
)

// What else than switches' connections has files: clients of the API, the data directory, the
// runtime.
const filesSpare = 512

// sessionsMin is how many switch connections make it worth to start.
const sessionsMin = 16

// filesWanted is how many open files an instance needs for all switches that its limits allow,
// without connections to the API.
const filesWanted = session.DefaultMaxSessions + session.MaxLeaving + filesSpare

// sessionsFor is how many switch connections so many open files allow.
func sessionsFor(files uint64) int {
	left := max(int(min(files, filesWanted))-filesSpare, 0)
	return max(left-session.MaxLeaving, left/2) // of few, those that leave may be as many as those that are there
}

// RaiseFiles raises the limit of open files to what an instance with so many connections to the API
// may need, and returns how many switch connections it may have: those to the API make room for
// others when files run out. Where the system allows less, it says by which command it would allow
// more.
func RaiseFiles(log *slog.Logger, api uint64) (sessions int, err error) {
	want := filesWanted + api
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("limit of open files: %w", err)
	}
	if limit.Cur < want {
		more := syscall.Rlimit{Cur: want, Max: max(limit.Max, want)}
		if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &more) != nil { // without privilege up to Max only
			more = syscall.Rlimit{Cur: min(limit.Max, want), Max: limit.Max}
			if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &more) != nil {
				more.Cur = limit.Cur
			}
		}
		limit = more
	}
	sessions = sessionsFor(limit.Cur)
	how := fmt.Sprintf("run ulimit -n %d before weir, or set LimitNOFILE=%d in its systemd unit", want, want)
	switch {
	case sessions < sessionsMin:
		return 0, fmt.Errorf("limit of open files: %d allow %d switch connections, want at least %d: %s", limit.Cur,
			sessions, sessionsMin, how)
	case sessions < session.DefaultMaxSessions:
		log.Warn("fewer switches can connect than Weir takes: the limit of open files is low", "files", limit.Cur,
			"connections", sessions, "want", want, "raise", how)
	}
	return sessions, nil
}
