package api

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/weirnet/weir/netview"
)

// epoch names one life of the view. Revisions begin at 0 in each, so that without it one from before a restart would be
// taken for one of now.
type epoch string

func newEpoch() epoch { return epoch(hex.EncodeToString(random(4))) }

// position is a place in the view's history: after the first n changes of a revision, or after all of it (n is 0).
type position struct {
	revision netview.Revision
	n        int
}

// errOtherEpoch is the error of a revision that is of another instance, or of this one before it was restarted.
var errOtherEpoch = errors.New("not a revision of this run of the instance")

// text is a position as clients see it, opaque: EPOCH.REVISION or EPOCH.REVISION.N.
func (e epoch) text(p position) string {
	s := string(e) + "." + strconv.FormatUint(uint64(p.revision), 10)
	if p.n > 0 {
		s += "." + strconv.Itoa(p.n)
	}
	return s
}

// parse reads what text wrote. The error is errOtherEpoch where another epoch wrote it.
func (e epoch) parse(s string) (position, error) {
	parts := strings.Split(s, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return position{}, notRevision(s)
	}
	rev, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil {
		return position{}, notRevision(s)
	}
	p := position{revision: netview.Revision(rev)}
	if len(parts) == 3 {
		if p.n, err = strconv.Atoi(parts[2]); err != nil || p.n < 1 {
			return position{}, notRevision(s)
		}
	}
	if parts[0] != string(e) {
		return position{}, errOtherEpoch
	}
	return p, nil
}

func notRevision(s string) error {
	return fmt.Errorf("%q is not a revision: give one that an answer of this instance had", clip(s))
}
