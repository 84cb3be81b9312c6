package config

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/store"
)

func testState() State {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return State{Text: "name: \"a\"\n# a comment \u2028\n", Source: FromApply, File: "weir.yaml",
		Sum: Sum([]byte("x")), By: "admin", At: at,
		Drains: []Drain{{DrainSwitch, "0000000000000001", "admin", at},
			{DrainLink, "0000000000000001/1<->0000000000000002/2", "", at}}}
}

func TestStore(t *testing.T) {
	s := NewStore(t.TempDir(), store.NewMemory(nil))
	if state, err := s.Load(); err != nil || !reflect.DeepEqual(state, State{}) {
		t.Fatalf("of nothing: %+v, %v", state, err)
	}
	long := State{Text: strings.Repeat("# \u2028\"\n", 1<<20), Source: FromFile}
	for _, want := range []State{testState(), {Text: "", Source: FromFile}, long, {Drains: testState().Drains}} {
		if err := s.Save(want); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Load(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
}

// TestTakenOver: a state that an older program kept in a file is read, moved into the store, and
// the file is gone.
func TestTakenOver(t *testing.T) {
	dir, st := t.TempDir(), store.NewMemory(nil)
	b, err := encodeState(testState())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, StateFile)
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s := NewStore(dir, st)
	for range 2 {
		state, err := s.Load()
		if err != nil || !reflect.DeepEqual(state, testState()) {
			t.Fatalf("%+v, %v", state, err)
		}
		if err := s.Migrate(state); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); err == nil {
			t.Error("the file is still there")
		}
	}
	if page, err := st.Range(context.Background(), store.Query{Span: store.Key(StateKey)}); err != nil ||
		page.Pairs[0].Version != 1 {
		t.Errorf("%+v, %v: it was taken over twice", page, err)
	}
	os.WriteFile(file, b[:len(b)-1], 0o600)
	if state, err := NewStore(dir, store.NewMemory(nil)).Load(); err == nil ||
		!strings.Contains(err.Error(), file) || state.Text != "" {
		t.Errorf("a damaged one: %+v, %v", state, err)
	}
}

// TestDamaged changes each byte of the state, cuts it everywhere and adds to it: each is refused.
func TestDamaged(t *testing.T) {
	whole, err := encodeState(testState())
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
	st := store.NewMemory(nil)
	if _, err := store.SaveDocument(context.Background(), st, StateKey, 0, whole[:len(whole)-1]); err != nil {
		t.Fatal(err)
	}
	if state, err := NewStore(t.TempDir(), st).Load(); err == nil || !strings.Contains(err.Error(), "damaged") ||
		state.Text != "" {
		t.Errorf("Load: %+v, %v", state, err)
	}
}

// TestNotSaved: where the store takes nothing Save says so, and the old state stays.
func TestNotSaved(t *testing.T) {
	m := store.NewMemory(nil)
	s := NewStore(t.TempDir(), m)
	if err := s.Save(testState()); err != nil {
		t.Fatal(err)
	}
	m.Inject(func(c store.Call) store.Fault {
		if c.Txn != nil {
			return store.Full
		}
		return store.None
	})
	if err := s.Save(State{}); !errors.Is(err, store.ErrFull) {
		t.Errorf("Save: %v", err)
	}
	if state, err := s.Load(); err != nil || !reflect.DeepEqual(state, testState()) {
		t.Errorf("Load: %+v, %v", state, err)
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

// TestAnotherHasSaved: whoever has loaded a state, or saved it, does not write over what another
// instance has saved since; what it saved itself, without being told so, is no hindrance, however
// long it is.
func TestAnotherHasSaved(t *testing.T) {
	for _, size := range []int{10, 3 << 20} {
		memory := store.NewMemory(nil)
		first, second := NewStore(t.TempDir(), memory), NewStore(t.TempDir(), memory)
		state := func(text string) State {
			return State{Text: "# " + text + strings.Repeat("x", size), Source: FromApply}
		}
		for _, s := range []*Store{first, second} {
			if _, err := s.Load(); err != nil {
				t.Fatal(err)
			}
		}
		if err := second.Save(state("b")); err != nil {
			t.Fatal(err)
		}
		if err := first.Save(state("a")); !errors.Is(err, store.ErrChanged) {
			t.Errorf("size %d: what another has saved is written over: %v", size, err)
		}
		memory.Inject(func(c store.Call) store.Fault {
			if c.Name == "Txn" {
				return store.UnknownDone
			}
			return store.None
		})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err := second.SaveWithin(ctx, state("c"))
		cancel()
		memory.Inject(nil)
		if err != nil && !errors.Is(err, store.ErrUnknown) && !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("size %d: %v", size, err)
		}
		for _, text := range []string{"c", "d"} {
			if err := second.Save(state(text)); err != nil {
				t.Errorf("size %d: after a save of unknown outcome: %v", size, err)
			}
		}
		if now, err := NewStore(t.TempDir(), memory).Load(); err != nil || now.Text != state("d").Text {
			t.Errorf("size %d: %d bytes are kept, %v", size, len(now.Text), err)
		}
	}
}
