package liveness

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func sample() Heartbeat {
	return Heartbeat{From: Life{3, 0xabc}, Number: 7, Period: 10 * time.Millisecond, Delay: 1500 * time.Microsecond,
		Hears: []Life{{1, 0x11}, {2, 0x22}}}
}

func TestHeartbeatIsReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Heartbeat{From: Life{ID(rapid.Uint64Min(1).Draw(t, "id")), rapid.Uint64Min(1).Draw(t, "incarnation")},
			Number: rapid.Uint64Min(1).Draw(t, "number"),
			Period: time.Duration(rapid.Int64Range(1, 10_000_000).Draw(t, "period")) * time.Microsecond,
			Delay:  time.Duration(rapid.Int64Range(0, 3_600_000_000).Draw(t, "delay")) * time.Microsecond}
		id := ID(0)
		for range rapid.IntRange(0, MaxMembers).Draw(t, "hears") {
			id += ID(rapid.Uint64Range(1, 1<<56).Draw(t, "step"))
			h.Hears = append(h.Hears, Life{id, rapid.Uint64Min(1).Draw(t, "of")})
		}
		b := h.Append(nil)
		if len(b) > MaxLength {
			t.Fatalf("%d bytes, at most %d", len(b), MaxLength)
		}
		var got Heartbeat
		if err := got.Parse(b); err != nil || !reflect.DeepEqual(got, h) {
			t.Fatalf("%+v, %v, want %+v", got, err, h)
		}
		for n := range b {
			if got.Parse(b[:n]) == nil {
				t.Fatalf("the first %d of %d bytes were taken", n, len(b))
			}
		}
	})
}

func TestBrokenHeartbeats(t *testing.T) {
	for want, spoil := range map[string]func(h *Heartbeat){
		"instance 0":       func(h *Heartbeat) { h.From.ID = 0 },
		"incarnation 0":    func(h *Heartbeat) { h.From.Incarnation = 0 },
		"number 0":         func(h *Heartbeat) { h.Number = 0 },
		"a period of 0s":   func(h *Heartbeat) { h.Period = 0 },
		"a period of 11s":  func(h *Heartbeat) { h.Period = 11 * time.Second },
		"rising numbers":   func(h *Heartbeat) { h.Hears[1].ID = 1 },
		"lists instance 0": func(h *Heartbeat) { h.Hears[0].ID = 0 },
		"lists 65":         func(h *Heartbeat) { h.Hears = make([]Life, MaxMembers+1) },
	} {
		h := sample()
		spoil(&h)
		if err := new(Heartbeat).Parse(h.Append(nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	h := sample()
	if err := new(Heartbeat).Parse(append(h.Append(nil), 0)); err == nil {
		t.Error("a byte too many was taken")
	}
}

// FuzzParse: what is read as a heartbeat is written as it was.
func FuzzParse(f *testing.F) {
	h := sample()
	f.Add(h.Append(nil))
	h.Hears = nil
	f.Add(h.Append(nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		var h Heartbeat
		if h.Parse(b) == nil && !bytes.Equal(h.Append(nil), b) {
			t.Errorf("%x was read as %+v", b, h)
		}
	})
}
