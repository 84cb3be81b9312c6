package stamp

import (
	"testing"
	"time"
)

// TestSession: of replies only those that fit a request are samples, and all others are counted as
// what they are.
func TestSession(t *testing.T) {
	s := Session{ID: 9}
	reply := func(seq uint32, edit func(*Reply)) []byte {
		r := Reply{Seq: seq, Session: 9, Request: s.asked[seq].request, TTL: 255}
		r.Received, r.Sent = r.Request.Sent.Add(time.Hour), r.Request.Sent.Add(time.Hour+30*time.Microsecond)
		if edit != nil {
			edit(&r)
		}
		return r.AppendTo(nil, Size)
	}
	for i := range 5 {
		r := s.Next(sent.Add(time.Duration(i)*time.Second), Accuracy{Synchronised: true})
		if r.Seq != uint32(i) || r.Session != 9 {
			t.Fatalf("%+v", r)
		}
	}
	came := func(i int) time.Time { return sent.Add(time.Duration(i)*time.Second + 100*time.Microsecond) }
	s.Left(0, sent.Add(-1)) // before it was asked for
	s.Left(0, sent.Add(10*time.Microsecond))
	s.Left(0, sent.Add(90*time.Microsecond)) // of a fragment
	s.Left(77, sent)
	s.Came(reply(0, nil), came(0))
	s.Came(reply(0, nil), came(1)) // replayed
	// 1: of a reflector without sessions.
	s.Came(reply(1, func(r *Reply) { r.Session = 0 }), came(1))
	// 2 and 4: impossible.
	s.Came(reply(2, func(r *Reply) { r.Sent = r.Received.Add(-1) }), came(2))
	s.Came(reply(4, func(r *Reply) { r.Sent = r.Received.Add(101 * time.Microsecond) }), came(4))
	// 3: foreign, unasked, forged, which is unasked too, and short.
	s.Came(reply(3, func(r *Reply) { r.Session = 8 }), came(3))
	s.Came(reply(3, func(r *Reply) { r.Request.Seq = 5 }), came(3))
	s.Came(reply(3, func(r *Reply) { r.Request.Sent = r.Request.Sent.Add(time.Nanosecond) }), came(3))
	s.Came(make([]byte, Size-1), came(4))
	o := s.Outcome()
	if want := (Bad{Short: 1, Foreign: 1, Unasked: 2, Replayed: 1, Impossible: 2}); o.Bad != want || o.Bad.Sum() != 7 {
		t.Errorf("bad %+v, want %+v", o.Bad, want)
	}
	if o.Sent != 5 || o.Lost != 1 || o.Unstamped != 1 || len(o.Samples) != 2 || s.Answered() != 4 {
		t.Fatalf("%+v", o)
	}
	for i, want := range []time.Duration{60 * time.Microsecond, 70 * time.Microsecond} {
		x := o.Samples[i]
		if x.Seq != uint32(i) || x.Path != want || x.Residence != 30*time.Microsecond || x.TTL != 255 || x.Synchronised {
			t.Errorf("%+v, want a path of %v", x, want)
		}
	}
}

// TestLeftOutOfStep: after a request that could not be sent, a time that is another request's by the
// kernel's numbers is not believed, whether the kernel has counted that request or not. Without one, a
// request may leave after the next one was made: it waited in a queue.
func TestLeftOutOfStep(t *testing.T) {
	at := func(i int) time.Time { return sent.Add(time.Duration(i) * time.Second) }
	for name, c := range map[string]struct {
		unsent  bool
		ahead   int // of the request that left, what the kernel has as its number
		stamped int
	}{
		"in step": {false, 0, 5}, "queued": {false, -1, 4}, "one unsent, and in step": {true, 0, 5},
		"one not counted": {true, -1, 0}, "one counted": {true, 1, 0},
	} {
		s := Session{ID: 9}
		for i := range 5 {
			s.Next(at(i), Accuracy{})
		}
		if c.unsent {
			s.Unsent()
		}
		for i := range 5 {
			s.Left(uint32(i+c.ahead), at(i).Add(time.Microsecond))
		}
		stamped := 0
		for _, e := range s.asked {
			if !e.left.IsZero() {
				stamped++
			}
		}
		if stamped != c.stamped {
			t.Errorf("%s: %d are stamped, want %d", name, stamped, c.stamped)
		}
	}
}

// TestBudget: no second has more than its replies, and a quiet time saves up a tenth of one's.
func TestBudget(t *testing.T) {
	b := Budget{PerSecond: 100}
	at, n := sent, 0
	for range 10_000 { // for ten seconds
		if b.Take(at) {
			n++
		}
		at = at.Add(time.Millisecond)
	}
	if n < 1000 || n > 1010 {
		t.Errorf("%d in ten seconds, want 1000 and ten at the beginning", n)
	}
	at = at.Add(time.Hour)
	for n = 0; b.Take(at); n++ {
	}
	if n != 10 {
		t.Errorf("%d at once after an hour, want 10", n)
	}
	if one := (&Budget{PerSecond: 1}); !one.Take(at) || one.Take(at.Add(time.Second/2)) || !one.Take(at.Add(time.Second)) {
		t.Error("one a second is not one a second")
	}
}

// FuzzSession wants no datagram to be believed that is no answer, whatever it holds.
func FuzzSession(f *testing.F) {
	first := Session{ID: 9}
	r := Reply{Session: 9, Request: first.Next(sent, Accuracy{}), Received: received, Sent: returned}
	f.Add(r.AppendTo(nil, Size))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := Session{ID: 9}
		s.Next(sent, Accuracy{})
		s.Came(b, sent.Add(time.Millisecond))
		s.Came(b, sent.Add(time.Millisecond))
		o := s.Outcome()
		if len(o.Samples)+o.Lost+o.Bad.Impossible != 1 || len(o.Samples)+o.Bad.Sum() != 2 {
			t.Errorf("%x: %+v", b, o)
		}
		for _, x := range o.Samples {
			if x.Path < 0 || x.Path > time.Millisecond || x.Residence < 0 {
				t.Errorf("%x: %+v", b, x)
			}
		}
	})
}
