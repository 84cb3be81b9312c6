package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/weirnet/weir/atomicfile"
	"github.com/weirnet/weir/store"
)

// The files of a data directory that a Store knows.
const (
	// StateFile held the state in older versions: it is migrated once.
	StateFile = "configuration"
	// ReplacedFile is the applied configuration that another file replaced, as given.
	ReplacedFile = "configuration.replaced.yaml"
)

// StateKey is the document of the state in the store: a line with its checksum, then JSON.
const StateKey = "config/state"

// The first lines of a state. One of unsplitHead has the parts of network and instance in one text.
const (
	stateHead   = "weir-configuration 2 sha256 "
	unsplitHead = "weir-configuration 1 sha256 "
)

// callLimit is the timeout of reading or writing the state.
const callLimit = 10 * time.Second

// Store persists what is configured: the network's part in a store, and the instance's in a file of its data
// directory. It is for one goroutine.
type Store struct {
	dir      string
	name     string // of the instance
	volatile bool   // the file is neither read nor written
	st       store.Store
	loaded   bool           // what follows is known
	saved    store.Revision // of the state when last loaded or saved here
	marks    []Mark         // of the state
	own      instanceFile   // settled
	open     bool           // the file is not settled
}

// NewStore returns a Store in st. The directory must exist: files of older versions there are
// migrated by the first Save, and replaced configurations are kept there.
func NewStore(dir string, st store.Store) *Store { return &Store{dir: dir, st: st} }

// Volatile has it keep nothing in the directory, where the store keeps nothing either.
func (s *Store) Volatile() { s.volatile = true }

// As names the instance. It is called before anything is saved.
func (s *Store) As(name string) { s.name = name }

// Kept is what is kept.
type Kept struct {
	State State
	Own   Part
	// HasOwn: a file has the instance's part.
	HasOwn bool
	// OfDir: the state is in the data directory, not in the store.
	OfDir bool
	marks []Mark
}

// Read is the sum of the last file that an instance of a name has applied to the state. It is false if the state
// knows of none.
func (k *Kept) Read(name string) (sum string, ok bool) {
	m := markOf(k.marks, name)
	if m == nil {
		return "", false
	}
	return m.Sum, true
}

// Load reads what is kept; zero values where nothing is. What is damaged is an error.
func (s *Store) Load() (Kept, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	b, saved, err := store.LoadDocument(ctx, s.st, StateKey)
	if err != nil {
		return Kept{}, fmt.Errorf("applied configuration: %w", err)
	}
	var kept Kept
	if b == nil && !s.volatile {
		kept, err = loadState(s.dir)
	} else if b != nil {
		kept.State, kept.marks, err = decodeState(b)
	}
	if b != nil && err != nil {
		err = fmt.Errorf("the applied configuration in the store is damaged (%w): restore a backup with weir restore", err)
	}
	if err == nil && !s.volatile {
		s.open, err = kept.loadOwn(s.dir)
	}
	if err != nil {
		return Kept{}, err
	}
	s.loaded, s.saved, s.marks, s.own = true, saved, kept.marks, instanceFile{Held: kept.Own}
	return kept, nil
}

// Settle writes the instance's file as it was loaded, where a change in it was not settled: who reads it without the store
// then finds what holds.
func (s *Store) Settle() error {
	if !s.open {
		return nil
	}
	s.open = false
	return s.own.write(s.dir)
}

// loadOwn reads the instance's file, and says whether a change in it is not settled.
func (k *Kept) loadOwn(dir string) (open bool, err error) {
	f, err := loadInstance(dir)
	if f == nil {
		return false, err
	}
	open = f.Next != nil
	f.settle(k.marks)
	k.Own, k.HasOwn = f.Held, !f.Held.equal(Part{})
	return open, nil
}

// LoadFiles reads what is kept in a data directory: the instance's part, and the state as programs kept it before there
// were stores.
func LoadFiles(dir string) (Kept, error) {
	kept, err := loadState(dir)
	if err == nil {
		_, err = kept.loadOwn(dir)
	}
	return kept, err
}

// loadState reads the state of a data directory as older programs kept it; the zero State if there
// is none.
func loadState(dir string) (kept Kept, err error) {
	path := filepath.Join(dir, StateFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	} else if errors.Is(err, syscall.ENOTDIR) {
		return kept, fmt.Errorf("data directory: %s is not a directory: choose another with --data-dir", dir)
	} else if err != nil {
		return kept, fmt.Errorf("applied configuration in the data directory: %w", err)
	}
	if kept.State, kept.marks, err = decodeState(b); err != nil {
		return Kept{}, fmt.Errorf("applied configuration %s is damaged (%w): restore it from a copy, or move it away and apply the configuration and drains again", path, err)
	}
	kept.OfDir = true
	return kept, nil
}

// HasOldFile reports whether the directory has a state that is not in the store yet.
func (s *Store) HasOldFile() bool {
	_, err := os.Lstat(filepath.Join(s.dir, StateFile))
	return err == nil && !s.volatile
}

// document is a state as it is written.
type document struct {
	State
	Instances []Mark `json:"instances,omitempty"`
	Sum       string `json:"sum,omitempty"` // of unsplitHead
}

// checkedBody is what follows the first line, which has its checksum after one of some heads.
func checkedBody(b []byte, head string) ([]byte, error) {
	first, body, ok := bytes.Cut(b, []byte("\n"))
	sum, known := bytes.CutPrefix(first, []byte(head))
	switch {
	case !ok || !known:
		return nil, fmt.Errorf("it does not begin with %q", head)
	case string(sum) != Sum(body):
		return nil, errors.New("its checksum is wrong")
	}
	return body, nil
}

func decodeState(b []byte) (State, []Mark, error) {
	head := stateHead
	unsplit := bytes.HasPrefix(b, []byte(unsplitHead))
	if unsplit {
		head = unsplitHead
	}
	body, err := checkedBody(b, head)
	if err != nil {
		return State{}, nil, err
	}
	var d document
	if err := json.Unmarshal(body, &d); err != nil {
		return State{}, nil, err
	}
	for _, drain := range d.Drains {
		if _, err := drain.Ends(); err != nil {
			return State{}, nil, err
		}
	}
	if unsplit {
		d.State.Unsplit, d.State.Sum = true, d.Sum
	}
	return d.State, d.Instances, nil
}

func encodeState(state State, marks []Mark) ([]byte, error) {
	body, err := json.MarshalIndent(document{State: state, Instances: marks}, "", " ")
	if err != nil {
		return nil, err
	}
	return append([]byte(stateHead+Sum(body)+"\n"), body...), nil
}

// Save replaces both parts, which must be split. When it returns nil the new ones are durable; otherwise the old ones
// are still what Load returns, or, where the store does not answer (store.ErrUnknown), either: never one of each.
func (s *Store) Save(state State, own Part) error {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	return s.SaveWithin(ctx, state, own)
}

// SaveWithin is Save within the time of a context: when that is over the error wraps
// store.ErrUnknown or store.ErrUnavailable. Where another instance has saved a state since this
// one's was loaded or saved it is store.ErrChanged: that stays. After an error the same call can be repeated.
//
// Where the instance's part changes, the file gets it first, beside the one before and with the name of the change; then
// the state, whose mark names that change, is written to the store: this decides for both. The file is settled after that,
// now or when it is loaded.
func (s *Store) SaveWithin(ctx context.Context, state State, own Part) error {
	if !s.loaded {
		if _, err := s.Load(); err != nil {
			return err
		}
	}
	marks, next := s.marks, instanceFile{Held: s.own.Held}
	changed := !s.volatile && !own.equal(s.own.Held)
	mark := Mark{Name: s.name, Sum: own.Sum}
	if was := markOf(s.marks, s.name); was != nil {
		mark.Change = was.Change
	}
	if changed {
		b, err := json.Marshal([]any{state, own, s.saved})
		if err != nil {
			return err
		}
		mark.Change, next.Next = Sum(b), &own
		next.Change = mark.Change
		if err := next.write(s.dir); err != nil {
			return err
		}
	}
	if was := markOf(s.marks, s.name); was == nil && mark.Sum+mark.Change != "" || was != nil && *was != mark {
		marks = withMark(s.marks, mark)
	}
	b, err := encodeState(state, marks)
	if err == nil {
		var saved store.Revision
		if saved, err = store.SaveDocument(ctx, s.st, StateKey, s.saved, b); err == nil {
			s.saved, s.marks, s.own.Held = saved, marks, own
		}
	}
	if err != nil {
		return fmt.Errorf("keeping the configuration in the store: %w", err)
	}
	if changed { // if that fails, Load does it
		_ = s.own.write(s.dir)
	}
	if s.volatile {
		return nil
	}
	// What an older program kept has been taken over.
	if err := os.Remove(filepath.Join(s.dir, StateFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the configuration that was taken over: %w", err)
	}
	return nil
}

// KeepReplaced keeps a configuration that is about to be replaced by a file.
func (s *Store) KeepReplaced(text string) (path string, err error) {
	path = filepath.Join(s.dir, ReplacedFile)
	return path, atomicfile.Write(path, []byte(text))
}
