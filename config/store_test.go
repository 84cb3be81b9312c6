package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	return State{Text: "domain: 3\n# a comment \u2028\n", Source: FromFile, File: "weir.yaml", Reader: "a",
		By: "admin", At: at, Unclaimed: &Unclaimed{testPart("b"), "b"},
		Drains: []Drain{{DrainSwitch, "0000000000000001", "admin", at},
			{DrainLink, "0000000000000001/1<->0000000000000002/2", "", at}}}
}

// testPart is the part of an instance of a name.
func testPart(name string) Part {
	return Part{Text: "name: " + name + "\n", Source: FromFile, File: "weir.yaml", Sum: Sum([]byte("x")), By: "--config",
		At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Name: name}
}

// wantKept wants a load to find this.
func wantKept(t *testing.T, what string, s *Store, state State, own Part) {
	t.Helper()
	if got, err := s.Load(); err != nil || !reflect.DeepEqual(got.State, state) || !reflect.DeepEqual(got.Own, own) {
		t.Errorf("%s: got %+v, %v; want %+v, %+v", what, got, err, state, own)
	}
}

func TestStore(t *testing.T) {
	s := NewStore(t.TempDir(), store.NewMemory(nil))
	wantKept(t, "nothing", s, State{}, Part{})
	long := State{Text: strings.Repeat("# \u2028\"\n", 1<<20), Source: FromFile}
	for _, want := range []State{testState(), {Text: "", Source: FromFile}, long, {Drains: testState().Drains}} {
		own := testPart(want.By)
		if err := s.Save(want, own); err != nil {
			t.Fatal(err)
		}
		wantKept(t, "what was saved", s, want, own)
	}
}

// unsplit is a state as an earlier version wrote it, of both parts in one text.
func unsplit(t *testing.T) (State, []byte) {
	t.Helper()
	body := []byte(`{"text":"name: a\ndomain: 3\n","source":"apply","file":"weir.yaml","sum":"abc","by":"admin","at":"2026-11-20T12:00:00Z"}`)
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return State{Text: "name: a\ndomain: 3\n", Source: FromApply, File: "weir.yaml", By: "admin", At: at,
			Unsplit: true, Sum: "abc"},
		append([]byte(unsplitHead+Sum(body)+"\n"), body...)
}

// TestTakenOver: a state that an older program kept in a file is read, the next save moves it into the store, and
// the file is gone.
func TestTakenOver(t *testing.T) {
	dir, st := t.TempDir(), store.NewMemory(nil)
	old, b := unsplit(t)
	file := filepath.Join(dir, StateFile)
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s := NewStore(dir, st)
	wantKept(t, "an old file", s, old, Part{})
	if !s.HasOldFile() {
		t.Error("there is no old file")
	}
	if err := s.Save(testState(), testPart("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err == nil || s.HasOldFile() {
		t.Error("the file is still there")
	}
	wantKept(t, "taken over", s, testState(), testPart("a"))
	os.WriteFile(file, b[:len(b)-1], 0o600)
	if kept, err := NewStore(dir, store.NewMemory(nil)).Load(); err == nil ||
		!strings.Contains(err.Error(), file) || kept.State.Text != "" {
		t.Errorf("a damaged one: %+v, %v", kept, err)
	}
}

// TestUnsplit: a state of an earlier version in the store is told apart, and read.
func TestUnsplit(t *testing.T) {
	st := store.NewMemory(nil)
	old, b := unsplit(t)
	if _, err := store.SaveDocument(t.Context(), st, StateKey, 0, b); err != nil {
		t.Fatal(err)
	}
	wantKept(t, "an old state", NewStore(t.TempDir(), st), old, Part{})
}

// TestDamaged changes each byte of the state and of the instance's file, cuts them everywhere and adds to them: each is
// refused.
func TestDamaged(t *testing.T) {
	state, err := encodeState(testState(), []Mark{{"a", "x", "y"}})
	if err != nil {
		t.Fatal(err)
	}
	part := testPart("b")
	own, err := (&instanceFile{Held: testPart("a"), Next: &part, Change: "y"}).encode()
	if err != nil {
		t.Fatal(err)
	}
	_, old := unsplit(t)
	for what, decode := range map[string]struct {
		whole []byte
		read  func([]byte) error
	}{
		"state":     {state, func(b []byte) error { _, _, err := decodeState(b); return err }},
		"old state": {old, func(b []byte) error { _, _, err := decodeState(b); return err }},
		"file":      {own, func(b []byte) error { _, err := decodeInstance(b); return err }},
	} {
		if err := decode.read(decode.whole); err != nil {
			t.Fatal(err)
		}
		refused := func(how string, b []byte) {
			t.Helper()
			if decode.read(b) == nil {
				t.Fatalf("%s: %s is taken", what, how)
			}
		}
		for i := range decode.whole {
			flipped := append([]byte(nil), decode.whole...)
			flipped[i] ^= 1 << (i % 8)
			refused("a changed byte", flipped)
			refused("a part", decode.whole[:i])
		}
		refused("more", append(decode.whole, 'x'))
	}
	st, dir := store.NewMemory(nil), t.TempDir()
	if _, err := store.SaveDocument(context.Background(), st, StateKey, 0, state[:len(state)-1]); err != nil {
		t.Fatal(err)
	}
	if kept, err := NewStore(dir, st).Load(); err == nil || !strings.Contains(err.Error(), "damaged") || kept.State.Text != "" {
		t.Errorf("Load: %+v, %v", kept, err)
	}
	file := filepath.Join(dir, InstanceFile)
	for _, b := range [][]byte{nil, own[:len(own)-1], []byte("name: a\n")} {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		kept, err := NewStore(dir, store.NewMemory(nil)).Load()
		if err == nil || !strings.Contains(err.Error(), file+" is damaged") || kept.HasOwn {
			t.Errorf("%q: %+v, %v", b, kept, err)
		}
	}
}

// TestNotSaved: where the store takes nothing, or the directory, Save says so, and both old parts stay.
func TestNotSaved(t *testing.T) {
	m, dir := store.NewMemory(nil), t.TempDir()
	s := NewStore(dir, m)
	s.As("a")
	if err := s.Save(testState(), testPart("a")); err != nil {
		t.Fatal(err)
	}
	m.Inject(func(c store.Call) store.Fault {
		if c.Txn != nil {
			return store.Full
		}
		return store.None
	})
	if err := s.Save(State{}, testPart("b")); !errors.Is(err, store.ErrFull) {
		t.Errorf("Save: %v", err)
	}
	wantKept(t, "a full store", NewStore(dir, m), testState(), testPart("a"))
	m.Inject(nil)
	inTheWay := filepath.Join(dir, InstanceFile+".new")
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(State{}, testPart("b")); err == nil {
		t.Error("saved without the instance's file")
	}
	wantKept(t, "a directory that takes nothing", NewStore(dir, m), testState(), testPart("a"))
	if err := s.Save(State{Text: "domain: 4"}, testPart("a")); err != nil {
		t.Errorf("the network's part alone needs no file: %v", err)
	}
	os.Remove(inTheWay)
	if err := s.Save(State{}, testPart("b")); err != nil {
		t.Error(err)
	}
	wantKept(t, "saved at last", NewStore(dir, m), State{}, testPart("b"))
}

// cutStore ends all calls after some.
type cutStore struct {
	store.Store
	left int
	done bool // the last transaction is done all the same
	file string
	was  []byte // the file, when the store was asked last
}

func (c *cutStore) Txn(ctx context.Context, t store.Txn) (store.Result, error) {
	c.was, _ = os.ReadFile(c.file)
	if c.left--; c.left < 0 {
		if c.done && c.left == -1 {
			c.Store.Txn(ctx, t)
		}
		return store.Result{}, fmt.Errorf("%w: it was killed", store.ErrUnavailable)
	}
	return c.Store.Txn(ctx, t)
}

// TestKilledBetween: whenever a save is ended, and whatever a third instance does before the next life, both parts are the
// old ones, or both are the new.
func TestKilledBetween(t *testing.T) {
	for _, size := range []int{0, 1<<20 + 100} { // a long state is many transactions
		for left := range 6 {
			for _, done := range []bool{false, true} {
				for _, unsettled := range []bool{false, true} {
					m, dir := store.NewMemory(nil), t.TempDir()
					state := func(n int) State {
						return State{Text: fmt.Sprintf("domain: %d #%s\n", n, strings.Repeat("x", size))}
					}
					first := NewStore(dir, m)
					first.As("a")
					if err := first.Save(state(1), testPart("a1")); err != nil {
						t.Fatal(err)
					}
					file := filepath.Join(dir, InstanceFile)
					dying := &cutStore{Store: m, left: left, done: done, file: file}
					cut := NewStore(dir, dying)
					cut.As("a")
					if _, err := cut.Load(); err != nil {
						t.Fatal(err)
					}
					err := cut.Save(state(2), testPart("a2"))
					if unsettled { // it was killed before it wrote the file once more
						if err := os.WriteFile(file, dying.was, 0o600); err != nil {
							t.Fatal(err)
						}
					}
					other := NewStore(t.TempDir(), m)
					other.As("b")
					between, err2 := other.Load()
					if err2 != nil {
						t.Fatal(err2)
					}
					between.State.Drains = testState().Drains
					if err2 := other.Save(between.State, testPart("b")); err2 != nil {
						t.Fatal(err2)
					}
					kept, err2 := NewStore(dir, m).Load()
					if err2 != nil {
						t.Fatal(err2)
					}
					now := map[string]string{"domain: 1": "a1", "domain: 2": "a2"}[kept.State.Text[:9]]
					if kept.Own.Name != now || len(kept.State.Drains) == 0 {
						t.Errorf("size %d, ended after %d transactions: the network's part is %q, the instance's %q", size, left,
							kept.State.Text[:9], kept.Own.Name)
					}
					if err == nil && now != "a2" || err != nil && !done && left == 0 && now != "a1" {
						t.Errorf("size %d, after %d transactions: %v, and %s is kept", size, left, err, now)
					}
				}
			}
		}
	}
}

// TestMarks: the state knows what each instance's last file was, and forgets the longest silent ones.
func TestMarks(t *testing.T) {
	m := store.NewMemory(nil)
	dirs := t.TempDir()
	for i := range marksMax + 2 {
		s := NewStore(dirs, m)
		s.Volatile()
		s.As(fmt.Sprint(i))
		kept, err := s.Load()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Save(kept.State, Part{Sum: fmt.Sprint("sum", i)}); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := NewStore(dirs, m).Load()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]bool{0: false, 1: false, 2: true, marksMax + 1: true} {
		if sum, ok := kept.Read(fmt.Sprint(i)); ok != want || ok && sum != fmt.Sprint("sum", i) {
			t.Errorf("instance %d: %q, %v", i, sum, ok)
		}
	}
	if kept.HasOwn {
		t.Error("what keeps nothing in the directory has made a file")
	}
}

// FuzzState: what is taken for a state is written as itself.
func FuzzState(f *testing.F) {
	b, err := encodeState(testState(), []Mark{{"a", "x", "y"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[len(stateHead)+65:])
	f.Add([]byte(`{"drains":[{"kind":"switch","object":"x"}]}`))
	f.Add([]byte(`{"text":5}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		state, marks, err := decodeState(append([]byte(stateHead+Sum(body)+"\n"), body...))
		if err != nil {
			return
		}
		b, err := encodeState(state, marks)
		if err != nil {
			t.Skip("a time that JSON does not write")
		}
		again, marks, err := decodeState(b)
		if twice, _ := encodeState(again, marks); err != nil || !bytes.Equal(b, twice) {
			t.Fatalf("%+v is read as %+v, %v", state, again, err)
		}
	})
}

// FuzzInstance: what is taken for the file of an instance is written as itself.
func FuzzInstance(f *testing.F) {
	part := testPart("b")
	b, err := (&instanceFile{Held: testPart("a"), Next: &part, Change: "y"}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b[len(instanceHead)+65:])
	f.Add([]byte(`{"held":{"text":5}}`))
	f.Add([]byte(`{"change":"x"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		file, err := decodeInstance(append([]byte(instanceHead+Sum(body)+"\n"), body...))
		if err != nil {
			return
		}
		b, err := file.encode()
		if err != nil {
			t.Skip("a time that JSON does not write")
		}
		again, err := decodeInstance(b)
		if err != nil {
			t.Fatal(err)
		}
		if twice, _ := again.encode(); !bytes.Equal(b, twice) {
			t.Fatalf("%+v is read as %+v", file, again)
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
		if err := second.Save(state("b"), Part{}); err != nil {
			t.Fatal(err)
		}
		if err := first.Save(state("a"), Part{}); !errors.Is(err, store.ErrChanged) {
			t.Errorf("size %d: what another has saved is written over: %v", size, err)
		}
		memory.Inject(func(c store.Call) store.Fault {
			if c.Name == "Txn" {
				return store.UnknownDone
			}
			return store.None
		})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		err := second.SaveWithin(ctx, state("c"), testPart("c"))
		cancel()
		memory.Inject(nil)
		if err != nil && !errors.Is(err, store.ErrUnknown) && !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("size %d: %v", size, err)
		}
		for _, text := range []string{"c", "d"} {
			if err := second.Save(state(text), testPart(text)); err != nil {
				t.Errorf("size %d: after a save of unknown outcome: %v", size, err)
			}
		}
		if now, err := NewStore(t.TempDir(), memory).Load(); err != nil || now.State.Text != state("d").Text {
			t.Errorf("size %d: %d bytes are kept, %v", size, len(now.State.Text), err)
		}
	}
}
