package config

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func testState() State {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return State{Text: "name: \"a\"\n# a comment \u2028\n", Source: FromApply, File: "weir.yaml", Sum: Sum([]byte("x")), By: "admin", At: at,
		Drains: []Drain{{DrainSwitch, "0000000000000001", "admin", at}, {DrainLink, "0000000000000001/1<->0000000000000002/2", "", at}}}
}

func TestStore(t *testing.T) {
	s := NewStore(t.TempDir())
	if state, err := s.Load(); err != nil || !reflect.DeepEqual(state, State{}) {
		t.Fatalf("of nothing: %+v, %v", state, err)
	}
	for _, want := range []State{testState(), {Text: "", Source: FromFile}, {Drains: testState().Drains}} {
		if err := s.Save(want); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Load(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
	info, err := os.Stat(s.Path())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(s.Path()), ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestDamaged changes each byte of the file, cuts it everywhere and adds to it: each is refused.
func TestDamaged(t *testing.T) {
	s := NewStore(t.TempDir())
	if err := s.Save(testState()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, b []byte) {
		t.Helper()
		var state State
		if err := decodeState(b, &state); err == nil {
			t.Fatalf("%s is taken: %+v", what, state)
		}
	}
	for i := range whole {
		flipped := append([]byte(nil), whole...)
		flipped[i] ^= 1 << (i % 8)
		refused("a changed byte", flipped)
		refused("a part", whole[:i])
	}
	refused("more", append(whole, 'x'))
	os.WriteFile(s.Path(), whole[:len(whole)-1], 0o600)
	if state, err := s.Load(); err == nil || !strings.Contains(err.Error(), s.Path()) || state.Text != "" {
		t.Errorf("Load: %+v, %v", state, err)
	}
}

// TestNotSaved: where the file cannot be replaced Save says so, the old state stays, and nothing is left behind.
func TestNotSaved(t *testing.T) {
	dir := t.TempDir()
	s := NewStore(dir)
	if err := os.MkdirAll(filepath.Join(s.Path(), "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(testState()); err == nil || !strings.Contains(err.Error(), s.Path()) {
		t.Errorf("Save: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := NewStore(filepath.Join(dir, "nowhere")).Save(testState()); err == nil {
		t.Error("saved into a directory that is not there")
	}
}

// FuzzState: what is taken for a state is written as itself.
func FuzzState(f *testing.F) {
	b, err := encodeState(testState())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[len(stateHead)+65:])
	f.Add([]byte(`{"drains":[{"kind":"switch","object":"x"}]}`))
	f.Add([]byte(`{"text":5}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var state, again State
		if decodeState(append([]byte(stateHead+Sum(body)+"\n"), body...), &state) != nil {
			return
		}
		b, err := encodeState(state)
		if err != nil {
			t.Skip("a time that JSON does not write")
		}
		err = decodeState(b, &again)
		if twice, _ := encodeState(again); err != nil || !bytes.Equal(b, twice) {
			t.Fatalf("%+v is read as %+v, %v", state, again, err)
		}
	})
}
