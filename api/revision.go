package api

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/weirnet/weir/netview"
)

// runID names one run of the view. Revisions begin at 0 in each, so that without it one from
// before a restart would be taken for one of now.
type runID string

func newRunID() runID { return runID(hex.EncodeToString(random(4))) }

// position is a place in the view's history: after the first n changes of a revision, or after all
// of it (n is 0); and likewise in that of the intents, if they are looked at.
type position struct {
	revision netview.Revision
	n        int
	intents  uint64
	events   int // of the revision intents, 0 for all
}

// errOtherRun is the error of a revision that is of another instance, or of this one before it
// was restarted.
var errOtherRun = errors.New("not a revision of this run of the instance")

// text returns a position as clients see it, opaque: EPOCH.REVISION or EPOCH.REVISION.N, and
// .iREVISION or .iREVISION-N of the intents.
func (e runID) text(p position) string {
	var room [96]byte
	b := append(append(room[:0], e...), '.')
	b = strconv.AppendUint(b, uint64(p.revision), 10)
	if p.n > 0 {
		b = strconv.AppendInt(append(b, '.'), int64(p.n), 10)
	}
	if p.intents > 0 {
		b = strconv.AppendUint(append(b, ".i"...), p.intents, 10)
	}
	if p.events > 0 {
		b = strconv.AppendInt(append(b, '-'), int64(p.events), 10)
	}
	return string(b)
}

// parse reads what text wrote. The error is errOtherRun where another run wrote it.
func (e runID) parse(s string) (position, error) {
	parts := strings.Split(s, ".")
	var p position
	if last, ok := strings.CutPrefix(parts[len(parts)-1], "i"); ok && len(parts) > 2 {
		whole, part, inPart := strings.Cut(last, "-")
		n, err := strconv.ParseUint(whole, 10, 64)
		if err != nil || n == 0 {
			return position{}, notRevision(s)
		}
		if inPart {
			if p.events, err = strconv.Atoi(part); err != nil || p.events < 1 {
				return position{}, notRevision(s)
			}
		}
		p.intents, parts = n, parts[:len(parts)-1]
	}
	if len(parts) < 2 || len(parts) > 3 {
		return position{}, notRevision(s)
	}
	rev, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil {
		return position{}, notRevision(s)
	}
	p.revision = netview.Revision(rev)
	if len(parts) == 3 {
		if p.n, err = strconv.Atoi(parts[2]); err != nil || p.n < 1 {
			return position{}, notRevision(s)
		}
	}
	if parts[0] != string(e) {
		return position{}, errOtherRun
	}
	return p, nil
}

// position returns where the view and the intents are now.
func (s *Server) position() position {
	p := position{revision: s.cfg.View.Snapshot().Revision()}
	if s.cfg.Intents != nil {
		p.intents = s.cfg.Intents.Revision()
	}
	return p
}

func notRevision(s string) error {
	return fmt.Errorf("%q is not a revision: give one that an answer of this instance had", truncate(s))
}
