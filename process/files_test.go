package process

import (
	"testing"

	"github.com/weirnet/weir/session"
)

// TestSessionsFor: never more files than there are, and no fewer connections than the default where
// there are enough.
func TestSessionsFor(t *testing.T) {
	for _, files := range []uint64{0, 256, 512, 543, 544, 1024, 2560, 4096, filesWanted - 1, filesWanted, 1 << 20, 1<<64 - 1} {
		n := sessionsFor(files)
		leaving := min(n, session.MaxLeaving)
		if n > 0 && uint64(n+leaving+filesSpare) > files || n < 0 || n > session.DefaultMaxSessions {
			t.Errorf("%d files: %d sessions", files, n)
		}
		if files >= filesWanted && n != session.DefaultMaxSessions || files == 1024 && n != 256 {
			t.Errorf("%d files: only %d sessions", files, n)
		}
	}
}
