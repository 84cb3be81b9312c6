package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The files of a data directory that a Store owns.
const (
	StateFile = "configuration" // the state: a line with its checksum, then JSON
	// ReplacedFile is the configuration that was applied and that another file replaced, as it was given.
	ReplacedFile = "configuration.replaced.yaml"
)

const stateHead = "weir-configuration 1 sha256 "

// Store keeps one State in a data directory. It has one owner; its methods are not for many goroutines.
type Store struct{ dir string }

// NewStore is the store of a directory, which must exist.
func NewStore(dir string) *Store { return &Store{dir} }

// Path is the file of the state.
func (s *Store) Path() string { return filepath.Join(s.dir, StateFile) }

// Load reads the state; the zero State if there is none. A file that is not as Save wrote it is an error.
func (s *Store) Load() (State, error) {
	var state State
	b, err := os.ReadFile(s.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	} else if err != nil {
		return state, fmt.Errorf("applied configuration in the data directory: %w", err)
	}
	if err := decodeState(b, &state); err != nil {
		return State{}, fmt.Errorf("applied configuration %s is damaged (%w): restore it from a copy, or move it away and apply the configuration and drains again", s.Path(), err)
	}
	return state, nil
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
		if err := d.Check(); err != nil {
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

// Save replaces the state. When it returns nil the new one is on the disk; otherwise the old one is still what Load returns,
// or, where only the directory could not be synchronised, either of them.
func (s *Store) Save(state State) error {
	b, err := encodeState(state)
	if err == nil {
		err = WriteFile(s.Path(), b)
	}
	if err != nil {
		return fmt.Errorf("writing the configuration to %s: %w", s.Path(), err)
	}
	return nil
}

// KeepReplaced keeps a configuration that is about to be replaced by a file.
func (s *Store) KeepReplaced(text string) (path string, err error) {
	path = filepath.Join(s.dir, ReplacedFile)
	return path, WriteFile(path, []byte(text))
}

// WriteFile replaces a file whole or not at all, and returns when it is on the disk: written beside it, synchronised, renamed,
// and the directory synchronised. Its mode is 0600.
func WriteFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
