package paper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/weirnet/weir/atomicfile"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
)

// Format is the number of the form of a store's file, which from then on only grows.
const Format = 1

// FileName is the name of the file within the directory of a store.
const FileName = "campaign.json"

// Campaign is what was asked for, and what has been measured of it.
type Campaign struct {
	Format     int            `json:"format"`
	Parameters Parameters     `json:"parameters"`
	Switch     string         `json:"switch"` // what it says that it is; empty: nobody has asked it
	Machine    report.Machine `json:"machine"`
	Build      string         `json:"build"`
	Command    string         `json:"command"`
	Points     []*Kept        `json:"points"` // in the order in which they were begun
}

// Kept is what has been measured of a point: all, or a part of its runs.
type Kept struct {
	Point  string         `json:"point"`
	Runs   int            `json:"runs"`
	Date   string         `json:"date"` // of the last run, RFC 3339
	Result *report.Result `json:"result"`
}

// Limits of a file.
const maxFile = 64 << 20 // bytes

// errStore is of a file that is none of a store.
var errStore = errors.New("no results of weir probe paper")

// errUnsound is of a run whose figures cannot be.
var errUnsound = errors.New("impossible figures")

// Decode reads the file of a store.
func Decode(b []byte) (*Campaign, error) {
	bad := func(format string, args ...any) (*Campaign, error) {
		return nil, fmt.Errorf("%w: %w", errStore, fmt.Errorf(format, args...))
	}
	if len(b) > maxFile {
		return bad("longer than %d bytes", maxFile)
	}
	c := &Campaign{}
	if err := json.Unmarshal(b, c); err != nil {
		return bad("%w", err)
	}
	if c.Format != Format {
		return bad("format %d given, want %d: read it with the version of weir that wrote it", c.Format, Format)
	}
	if err := c.Parameters.Check(); err != nil {
		return bad("%w", err)
	}
	plan := map[string]Point{}
	for _, p := range c.Parameters.Plan() {
		plan[p.String()] = p
	}
	for _, k := range c.Points {
		if k == nil {
			return bad("an empty point")
		}
		p, ok := plan[k.Point]
		if !ok {
			return bad("point %q given twice, or none of this campaign", k.Point)
		}
		delete(plan, k.Point)
		if k.Runs < 1 || k.Runs > c.Parameters.runs(p.Kind) || k.Result == nil {
			return bad("%s: %d runs given, want 1 to %d and their result", k.Point, k.Runs, c.Parameters.runs(p.Kind))
		}
		if err := k.Result.Sound(); err != nil {
			return bad("%s: %w", k.Point, err)
		}
	}
	return c, nil
}

// of is what was measured of a point; nil for nothing.
func (c *Campaign) of(p Point) *Kept {
	if i := slices.IndexFunc(c.Points, func(k *Kept) bool { return k.Point == p.String() }); i >= 0 {
		return c.Points[i]
	}
	return nil
}

// over reports whether a point is measured, or refused.
func (c *Campaign) over(p Point) bool {
	k := c.of(p)
	return k != nil && (k.Result.Refused != "" || k.Runs == c.Parameters.runs(p.Kind))
}

// take adds a run of a point. What could not be read again is refused.
func (c *Campaign) take(p Point, x *report.Result, date string) *Kept {
	x.Subject = p.Subject()
	if err := x.Sound(); err != nil {
		x.Refuse(&probe.Refusal{Why: errUnsound, Seen: err.Error(), Want: "figures that a report can hold",
			Do: "measure the point again with --again"})
	}
	k := c.of(p)
	if c.Parameters.runs(p.Kind) > 1 {
		run := 1
		if k != nil {
			run += k.Runs
		}
		for i, note := range x.Notes {
			x.Notes[i] = fmt.Sprintf("run %d: %s", run, note)
		}
		if x.Refused != "" {
			x.Refused = fmt.Sprintf("run %d: %s", run, x.Refused)
		}
	}
	if k == nil {
		k = &Kept{Point: p.String(), Result: x}
		c.Points = append(c.Points, k)
	} else {
		k.Result.Join(x)
	}
	k.Runs, k.Date = k.Runs+1, date
	return k
}

// forget has a point be measured anew.
func (c *Campaign) forget(p Point) {
	c.Points = slices.DeleteFunc(c.Points, func(k *Kept) bool { return k.Point == p.String() })
}

// Store is a directory with the results of a campaign.
type Store struct {
	dir  string
	lock *os.File
	*Campaign
}

// Read reads the results that a directory has, as they are now; another process may be adding to
// them.
func Read(dir string) (*Campaign, error) {
	f, err := os.Open(filepath.Join(dir, FileName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	c, err := Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return c, nil
}

// Open makes a directory the store of a campaign, or goes on with the one that was begun there, and
// takes its lock. The error wraps ErrOther where that one has other parameters or another switch.
func Open(dir string, asked Campaign) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, lock: lock}
	if err := s.begin(asked); err != nil {
		lock.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) begin(asked Campaign) error {
	if err := syscall.Flock(int(s.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("%s is in use by another process: wait for it, or choose another --state", s.dir)
	} else if err != nil {
		return fmt.Errorf("%s: %w", s.dir, err)
	}
	begun, err := Read(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		asked.Format = Format
		s.Campaign = &asked
		return s.save()
	} else if err != nil {
		return err
	}
	err = begun.Parameters.same(&asked.Parameters)
	if err == nil && begun.Switch != asked.Switch {
		err = fmt.Errorf("%w: of the switch %q, and there is %q", ErrOther, begun.Switch, asked.Switch)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: choose another --state, or give the flags of %q", s.dir, err, begun.Command)
	}
	s.Campaign = begun
	return nil
}

// save replaces the file.
func (s *Store) save() error {
	b, err := json.MarshalIndent(s.Campaign, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(s.dir, FileName), append(b, '\n'))
}

// Close gives the directory's lock up.
func (s *Store) Close() error { return s.lock.Close() }
