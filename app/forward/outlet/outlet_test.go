package outlet

import (
	"errors"
	"testing"

	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// sent is a switch that notes what it is sent.
type sent struct {
	mods    []openflow.FlowMod
	outs    []openflow.PacketOut
	full    error
	flushes int
}

func (s *sent) FlowMod(m *openflow.FlowMod) error     { s.mods = append(s.mods, *m); return s.full }
func (s *sent) PacketOut(m *openflow.PacketOut) error { s.outs = append(s.outs, *m); return s.full }
func (s *sent) Barrier(func(error)) error             { return s.full }
func (s *sent) Flush()                                { s.flushes++ }

// TestRules: time-outs grow along a path, the ingress's rule says when it is gone, and deletions mean one rule.
func TestRules(t *testing.T) {
	pr := pairs.Of(1, 2, 0)
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		var count Counts
		s := &sent{}
		w, out := NewWriter(&count), NewConn(s, v, 254)
		for hop, want := range map[int]uint16{0: IdleTimeout, 1: IdleTimeout + IdleStep, 500: IdleMax} {
			s.mods = nil
			if !w.Rule(out, pr, 77, 5, hop, 9) {
				t.Fatal("not sent")
			}
			m := s.mods[0]
			if m.Command != openflow.FlowAdd || m.IdleTimeout != want || m.Cookie != 77 || m.Buffer != 9 ||
				m.Table != out.Table || m.Priority != plan.PriorityPair || m.Instructions[0].Actions[0].Port != 5 ||
				(m.Flags != 0) != (hop == 0) {
				t.Errorf("OpenFlow %s, hop %d: %+v", v, hop, m)
			}
			if got, ok := pairs.OfMatch(m.Match); !ok || got != pr {
				t.Errorf("OpenFlow %s: it matches %s", v, m.Match)
			}
		}
		s.mods = nil
		w.Delete(out, pr, 77, 5)
		m := s.mods[0]
		if m.Command != openflow.FlowDeleteStrict || m.OutPort != 5 || m.Cookie != 77 || m.Instructions != nil || m.Flags != 0 ||
			(m.CookieMask == plan.ExactMask) != (v == openflow.V13) {
			t.Errorf("OpenFlow %s: %+v", v, m)
		}
		if out.Single != (v == openflow.V10) {
			t.Errorf("OpenFlow %s: one table %v", v, out.Single)
		}
	}
}

// TestRelease: a packet is sent as the switch's or as bytes, back out of its port as such, or not at all.
func TestRelease(t *testing.T) {
	var count Counts
	s := &sent{}
	w, out := NewWriter(&count), NewConn(s, openflow.V13, 254)
	w.Release(out, openflow.NoBuffer, 3, 4, nil)
	if len(s.outs) != 0 {
		t.Fatal("nothing is released")
	}
	w.Release(out, openflow.NoBuffer, 3, 3, []byte{1})
	w.Release(out, 8, 3, 4, nil)
	if a, b := s.outs[0], s.outs[1]; len(a.Data) != 1 || a.Buffer != openflow.NoBuffer || b.Buffer != 8 || len(b.Data) != 0 {
		t.Errorf("%+v, %+v", a, b)
	}
	s.full = errors.New("full")
	w.Release(out, 8, 3, 4, nil)
	if w.Rule(out, pairs.Of(1, 2, 0), 0, 1, 0, openflow.NoBuffer) || w.Delete(out, pairs.Of(1, 2, 0), 0, 1) {
		t.Error("a full queue took a message")
	}
	if r, u := count.Released.Load(), count.Unsent.Load(); r != 2 || u != 3 {
		t.Errorf("%d released, %d not sent, want 2, 3", r, u)
	}
	short := &openflow.PacketIn{Buffer: openflow.NoBuffer, TotalLen: 9, Data: []byte{1}}
	if Frame(short) != nil || Whole(short) != nil {
		t.Error("a truncated packet is sent on")
	}
	if short.Buffer = 5; Frame(short) == nil || Whole(short) != nil {
		t.Error("of a packet that its switch has the bytes are given, or not those that came")
	}
}

func TestWritten(t *testing.T) {
	a, b := &sent{}, &sent{}
	var w Written
	ca, cb := NewConn(a, openflow.V13, 1), NewConn(b, openflow.V13, 1)
	w.Add(ca)
	w.Add(cb)
	w.Add(ca)
	if w.Flush(); a.flushes != 1 || b.flushes != 1 {
		t.Errorf("flushed %d and %d times", a.flushes, b.flushes)
	}
}
