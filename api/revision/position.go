package revision

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/netview"
)

// Run names one run of the view. Revisions begin at 0 in each, so that without it one from
// before a restart would be taken for one of now.
type Run string

func newRun() Run {
	b := make([]byte, 4)
	rand.Read(b)
	return Run(hex.EncodeToString(b))
}

// Position is a place in the view's history: after the first n changes of a revision, or after all
// of it (n is 0); and likewise in that of the intents, if they are looked at.
type Position struct {
	Revision netview.Revision
	N        int
	Intents  uint64
	Events   int // of the revision intents, 0 for all
}

// errOtherRun is the error of a revision that is of another instance, or of this one before it
// was restarted.
var errOtherRun = errors.New("not a revision of this run of the instance")

// Text returns a position as clients see it, opaque: EPOCH.REVISION or EPOCH.REVISION.N, and
// .iREVISION or .iREVISION-N of the intents.
func (e Run) Text(p Position) string {
	var room [96]byte
	b := append(append(room[:0], e...), '.')
	b = strconv.AppendUint(b, uint64(p.Revision), 10)
	if p.N > 0 {
		b = strconv.AppendInt(append(b, '.'), int64(p.N), 10)
	}
	if p.Intents > 0 {
		b = strconv.AppendUint(append(b, ".i"...), p.Intents, 10)
	}
	if p.Events > 0 {
		b = strconv.AppendInt(append(b, '-'), int64(p.Events), 10)
	}
	return string(b)
}

// Parse reads what text wrote. The error is errOtherRun where another run wrote it.
func (e Run) Parse(s string) (Position, error) {
	parts := strings.Split(s, ".")
	var p Position
	if last, ok := strings.CutPrefix(parts[len(parts)-1], "i"); ok && len(parts) > 2 {
		whole, part, inPart := strings.Cut(last, "-")
		n, err := strconv.ParseUint(whole, 10, 64)
		if err != nil || n == 0 {
			return Position{}, notRevision(s)
		}
		if inPart {
			if p.Events, err = strconv.Atoi(part); err != nil || p.Events < 1 {
				return Position{}, notRevision(s)
			}
		}
		p.Intents, parts = n, parts[:len(parts)-1]
	}
	if len(parts) < 2 || len(parts) > 3 {
		return Position{}, notRevision(s)
	}
	rev, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil {
		return Position{}, notRevision(s)
	}
	p.Revision = netview.Revision(rev)
	if len(parts) == 3 {
		if p.N, err = strconv.Atoi(parts[2]); err != nil || p.N < 1 {
			return Position{}, notRevision(s)
		}
	}
	if parts[0] != string(e) {
		return Position{}, errOtherRun
	}
	return p, nil
}

func notRevision(s string) error {
	return fmt.Errorf("%q is not a revision: give one that an answer of this instance had", rest.Truncate(s))
}
