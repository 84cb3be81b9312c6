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

const stateHead = "weir-configuration 1 sha256 "

// callLimit is the timeout of reading or writing the state.
const callLimit = 10 * time.Second

// Store persists one State in a store. It is for one goroutine.
type Store struct {
	dir    string
	st     store.Store
	loaded bool           // saved is
	saved  store.Revision // revision of the state when last loaded or saved here
}

// NewStore returns a Store in st. The directory must exist: files of older versions there are
// migrated by the first Save, and replaced configurations are kept there.
func NewStore(dir string, st store.Store) *Store { return &Store{dir: dir, st: st} }

// Load reads the state; the zero State if there is none. A damaged one is an error.
func (s *Store) Load() (State, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	b, saved, err := store.LoadDocument(ctx, s.st, StateKey)
	if err != nil {
		return State{}, fmt.Errorf("applied configuration: %w", err)
	}
	s.loaded, s.saved = true, saved
	if b == nil {
		return LoadFile(s.dir)
	}
	var state State
	if err := decodeState(b, &state); err != nil {
		return State{},
			fmt.Errorf("the applied configuration in the store is damaged (%w): restore a backup with weir restore", err)
	}
	return state, nil
}

// LoadFile reads the state of a data directory as older programs kept it; the zero State if there
// is none.
func LoadFile(dir string) (State, error) {
	var state State
	path := filepath.Join(dir, StateFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	} else if errors.Is(err, syscall.ENOTDIR) {
		return state, fmt.Errorf("data directory: %s is not a directory: choose another with --data-dir", dir)
	} else if err != nil {
		return state, fmt.Errorf("applied configuration in the data directory: %w", err)
	}
	if err := decodeState(b, &state); err != nil {
		return State{}, fmt.Errorf("applied configuration %s is damaged (%w): restore it from a copy, or move it away and apply the configuration and drains again", path, err)
	}
	return state, nil
}

// Migrate moves what LoadFile read into the store, once.
func (s *Store) Migrate(state State) error {
	if _, err := os.Lstat(filepath.Join(s.dir, StateFile)); err != nil {
		return nil
	}
	return s.Save(state)
}

func decodeState(b []byte, state *State) error {
	head, body, ok := bytes.Cut(b, []byte("\n"))
	sum, known := bytes.CutPrefix(head, []byte(stateHead))
	switch {
	case !ok || !known:
		return fmt.Errorf("it does not begin with %q", stateHead)
	case string(sum) != Sum(body):
		return errors.New("its checksum is wrong")
	}
	if err := json.Unmarshal(body, state); err != nil {
		return err
	}
	for _, d := range state.Drains {
		if _, err := d.Ends(); err != nil {
			return err
		}
	}
	return nil
}

func encodeState(state State) ([]byte, error) {
	body, err := json.MarshalIndent(state, "", " ")
	if err != nil {
		return nil, err
	}
	return append([]byte(stateHead+Sum(body)+"\n"), body...), nil
}

// Save replaces the state. When it returns nil the new one is durable; otherwise the old one is
// still what Load returns, or, where the store does not answer (store.ErrUnknown), either of them.
func (s *Store) Save(state State) error {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	return s.SaveWithin(ctx, state)
}

// SaveWithin is Save within the time of a context: when that is over the error wraps
// store.ErrUnknown or store.ErrUnavailable. Where another instance has saved a state since this
// one's was loaded or saved it is store.ErrChanged: that stays.
func (s *Store) SaveWithin(ctx context.Context, state State) error {
	b, err := encodeState(state)
	if err == nil && !s.loaded {
		var page store.Page
		if page, err = s.st.Range(ctx, store.Query{Span: store.Key(StateKey), KeysOnly: true}); err == nil &&
			len(page.Pairs) > 0 {
			s.saved = page.Pairs[0].Mod
		}
		s.loaded = err == nil
	}
	if err == nil {
		var saved store.Revision
		if saved, err = store.SaveDocument(ctx, s.st, StateKey, s.saved, b); err == nil {
			s.saved = saved
		}
	}
	if err != nil {
		return fmt.Errorf("keeping the configuration in the store: %w", err)
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
