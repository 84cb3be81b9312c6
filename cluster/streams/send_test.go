package streams

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		w.whole()
		one, two := w.nodes[1], w.nodes[2]
		for i := range 100 {
			if err := one.Send(2, kindNote, []byte(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
			if err := two.Send(1, kindNote, []byte(fmt.Sprint(-i))); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		for i := range 100 {
			if two.notes[1][i] != fmt.Sprint(i) || one.notes[2][i] != fmt.Sprint(-i) {
				t.Fatalf("%v, %v", two.notes, one.notes)
			}
		}
		if err := one.Send(3, kindNote, nil); !errors.Is(err, ErrNotConnected) {
			t.Error(err)
		}
		if err := one.Send(2, kindNote, make([]byte, MaxPayload+1)); !errors.Is(err, ErrTooLong) {
			t.Error(err)
		}
		if err := one.Send(2, kindNote, make([]byte, MaxPayload)); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := two.notes[1]; len(got) != 101 || len(got[100]) != MaxPayload {
			t.Error("the longest message did not arrive")
		}
	})
}

// TestFull: to a peer that takes nothing a queue fills, is never longer than its limit, and whoever sends is told.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		w.whole()
		one, two := w.nodes[1], w.nodes[2]
		w.cut(1, 2, true)
		taken := 0
		var err error
		for err == nil {
			if err = one.Send(2, kindNote, make([]byte, 10_000)); err == nil {
				taken++
			}
			synctest.Wait()
		}
		if !errors.Is(err, ErrFull) || taken*10_000 > messageQueue+2*262_144 || taken*10_000 < messageQueue {
			t.Errorf("%v after %d messages", err, taken)
		}
		if one.Counts()["messages_refused"] != 1 {
			t.Errorf("%v", one.Counts())
		}
		w.cut(1, 2, false)
		synctest.Wait()
		if n := len(two.notes[1]); n != taken {
			t.Errorf("%d messages were taken, %d arrived", taken, n)
		}
		if err := one.Send(2, kindNote, nil); err != nil {
			t.Error(err)
		}
	})
}

// TestUnknownKinds: what a peer of another version does not know is dropped, refused or stopped, and nothing else happens.
func TestUnknownKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		two := w.start(2, 100, func(cfg *Config) { cfg.Kinds = nil })
		w.whole()
		one := w.nodes[1]
		if err := one.Send(2, kindNote, []byte("x")); err != nil {
			t.Error(err)
		}
		var refused *Refused
		_, err := one.Ask(t.Context(), 2, kindAsk, nil)
		if !errors.As(err, &refused) || refused.Text != "requests of kind 2 are not known here" {
			t.Error(err)
		}
		b, err := one.Begin(2, kindBulk)
		if err != nil {
			t.Fatal(err)
		}
		_ = b.Send([]byte("x"))
		<-b.Done()
		if err := b.Err(); !errors.Is(err, ErrStopped) || !strings.Contains(err.Error(), "kind 3 is not known here") {
			t.Error(err)
		}
		if c := two.Counts(); c["unknown_kinds"] != 1 || c["losses"] != 0 {
			t.Errorf("%v", c)
		}
	})
}

func TestBulk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		w.whole()
		one, two := w.nodes[1], w.nodes[2]
		begin := func() *Bulk {
			t.Helper()
			b, err := one.Begin(2, kindBulk)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		send := func(b *Bulk, part string, want error) {
			t.Helper()
			if err := b.Send([]byte(part)); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", part, err, want)
			}
		}
		b := begin()
		send(b, "a", nil)
		send(b, "b", nil)
		b.End()
		b.End()
		send(b, "c", errComplete)
		b = begin()
		send(b, "d", nil)
		synctest.Wait() // d has gone: what waits of a stream that is replaced is not sent
		next := begin()
		send(b, "e", ErrReplaced)
		send(next, "f", nil)
		synctest.Wait()
		next.Abort("no more\nof it")
		send(next, "g", ErrStopped)
		if err := next.Send(make([]byte, MaxPayload+1)); !errors.Is(err, ErrTooLong) {
			t.Error(err)
		}
		b = begin()
		send(b, "h", nil)
		synctest.Wait()
		two.take = func(_ ID, payload []byte) error {
			if string(payload) == "i" {
				return errors.New("i cannot be")
			}
			return nil
		}
		for _, part := range []string{"i", "j", "k"} {
			send(b, part, nil)
		}
		synctest.Wait()
		send(b, "l", ErrStopped)
		if err := b.Err(); err == nil || !strings.Contains(err.Error(), "i cannot be") {
			t.Error(err)
		}
		w.cut(1, 2, true)
		fill := strings.Repeat(" ", 300_000)
		b = begin()
		send(b, fill, nil) // it fills the wire
		synctest.Wait()
		send(b, "o", nil) // it waits, and is not sent when the stream is replaced
		b = begin()
		w.cut(1, 2, false)
		send(b, "m", nil)
		synctest.Wait()
		w.reset(1, 2)
		synctest.Wait()
		send(b, "n", ErrLost)
		<-b.Done()
		want := []string{"began", "a", "b", "ended: <nil>", "began", "d",
			"ended: another stream of the kind was begun", "began", "f",
			"ended: the other end has ended the stream: no more\nof it", "began", "h", "ended: i cannot be", "began", fill,
			"ended: another stream of the kind was begun", "began", "m",
			"ended: connection lost: connection reset by peer"}
		if got := two.received(1); !slices.Equal(got, want) {
			t.Errorf("%q\nwant %q", got, want)
		}
	})
}

// TestOverrun: who sends faster than the receiver takes ends the stream: the receiver has all parts up to a place, and is
// told that it was too slow. A new stream then works, and who sends never waits.
func TestOverrun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		w.whole()
		one, two := w.nodes[1], w.nodes[2]
		open := make(chan struct{})
		two.take = func(ID, []byte) error { <-open; return nil }
		b, err := one.Begin(2, kindBulk)
		if err != nil {
			t.Fatal(err)
		}
		rest := strings.Repeat(".", 10_000)
		sent := 0
		for ; err == nil; sent++ {
			err = b.Send([]byte(fmt.Sprint(sent, rest)))
		}
		if !errors.Is(err, ErrOverrun) || sent*10_000 < bulkQueue*9/10 || sent*10_000 > bulkQueue+1<<20 {
			t.Errorf("%v after %d parts", err, sent)
		}
		<-b.Done()
		time.Sleep(2 * time.Second)
		if !one.Heard(2) || !two.Heard(1) || one.Counts()["suspicions"]+two.Counts()["suspicions"] > 0 {
			t.Error("heartbeats wait behind bulk")
		}
		close(open)
		synctest.Wait()
		got := two.received(1)
		if got[0] != "began" || got[len(got)-1] != "ended: "+ErrOverrun.Error() || len(got) > sent {
			t.Fatalf("%d parts, the last %.40s", len(got), got[len(got)-1])
		}
		for i, part := range got[1 : len(got)-1] {
			if !strings.HasPrefix(part, fmt.Sprint(i, ".")) {
				t.Fatalf("part %d is %.20s", i, part)
			}
		}
		if b, err = one.Begin(2, kindBulk); err != nil {
			t.Fatal(err)
		}
		_ = b.Send([]byte("again"))
		synctest.Wait()
		if got = two.received(1); got[len(got)-1] != "again" || one.Counts()["bulk_overruns"] != 1 {
			t.Errorf("%.60s", got[len(got)-1])
		}
	})
}

// TestStall: a peer that lives, and takes nothing of its bulk, loses its connection for that, and no other.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		w.whole()
		one, two := w.nodes[1], w.nodes[2]
		open := make(chan struct{})
		two.take = func(ID, []byte) error { <-open; return nil }
		b, err := one.Begin(2, kindBulk)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			_ = b.Send(make([]byte, 100_000))
		}
		time.Sleep(4 * time.Second)
		if b.Err() != nil {
			t.Error(b.Err())
		}
		time.Sleep(2 * time.Second)
		if !errors.Is(b.Err(), ErrLost) {
			t.Error(b.Err())
		}
		if c := one.Counts(); c["losses"] != 0 || c["suspicions"] != 0 {
			t.Errorf("%v", c)
		}
		close(open)
		w.whole()
	})
}

func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		w.whole()
		one, two := w.nodes[1], w.nodes[2]
		done := make(chan error, 1)
		two.answer = func(ctx context.Context, from ID, payload []byte) ([]byte, error) {
			switch string(payload) {
			case "refuse":
				return nil, errors.New("not here")
			case "wait":
				<-ctx.Done()
				done <- ctx.Err()
				return nil, ctx.Err()
			case "long":
				return make([]byte, MaxPayload+1), nil
			case "end":
				w.reset(1, 2)
				<-ctx.Done()
			}
			return append([]byte("answer to "), payload...), nil
		}
		ask := func(what string) (string, error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			b, err := one.Ask(ctx, 2, kindAsk, []byte(what))
			return string(b), err
		}
		if got, err := ask("x"); got != "answer to x" || err != nil {
			t.Error(got, err)
		}
		var refused *Refused
		if _, err := ask("refuse"); !errors.As(err, &refused) || refused.Text != "not here" {
			t.Error(err)
		}
		if _, err := ask("long"); !errors.As(err, &refused) || !strings.Contains(refused.Text, "1048577 bytes") {
			t.Error(err)
		}
		if _, err := ask("wait"); !errors.Is(err, ErrUnknown) || !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
			t.Error("who answers does not know how long it is waited for:", err)
		}
		synctest.Wait()
		if len(one.conn(2, messages).asked) != 0 {
			t.Error("requests are kept")
		}
		if _, err := ask("end"); !errors.Is(err, ErrUnknown) || !errors.Is(err, ErrLost) {
			t.Error(err)
		}
		synctest.Wait()
		if _, err := one.Ask(t.Context(), 3, kindAsk, nil); err != ErrNotConnected {
			t.Error(err)
		}
		if _, err := one.Ask(t.Context(), 2, kindAsk, make([]byte, MaxPayload)); !errors.Is(err, ErrTooLong) {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := one.Ask(ctx, 2, kindAsk, nil); err != context.Canceled {
			t.Error(err)
		}
		w.whole()
		if got, err := ask("again"); got != "answer to again" || err != nil {
			t.Error(got, err)
		}
	})
}

// TestManyRequests: only so many are answered at a time; answers come in any order, each to its request.
func TestManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2)
		w.whole()
		one, two := w.nodes[1], w.nodes[2]
		open := make(chan struct{})
		two.answer = func(_ context.Context, _ ID, payload []byte) ([]byte, error) {
			<-open
			return payload, nil
		}
		type result struct {
			i   int
			got string
			err error
		}
		results := make(chan result, 2*maxAnswering)
		for i := range maxAnswering + 10 {
			go func() {
				b, err := one.Ask(t.Context(), 2, kindAsk, []byte(fmt.Sprint(i)))
				results <- result{i, string(b), err}
			}()
		}
		synctest.Wait()
		if len(results) != 10 {
			t.Errorf("%d requests have an answer, want 10", len(results))
		}
		close(open)
		refusals := 0
		for range maxAnswering + 10 {
			r := <-results
			switch {
			case r.err != nil && r.err.Error() == errBusy.Error():
				refusals++
			case r.err != nil || r.got != fmt.Sprint(r.i):
				t.Errorf("%d: %q, %v", r.i, r.got, r.err)
			}
		}
		if refusals != 10 {
			t.Errorf("%d refusals", refusals)
		}
		synctest.Wait()
		if n := two.conn(1, messages).answering.Load(); n != 0 {
			t.Errorf("%d are still answered", n)
		}
	})
}

func TestKindsAreChecked(t *testing.T) {
	note := func(ID, []byte) {}
	for name, kinds := range map[string][]Kind{"no number": {{Message: note}},
		"twice":   {{Number: 1, Message: note}, {Number: 1, Message: note}},
		"nothing": {{Number: 1}}, "two things": {{Number: 1, Message: note, Bulk: &Receiver{}}}} {
		cfg := Config{Name: "x", Kinds: kinds}
		cfg.Self.ID, cfg.Self.Incarnation = 1, 1
		if _, err := Start(cfg); err == nil {
			t.Error(name)
		}
	}
	if _, err := Start(Config{}); err == nil {
		t.Error("an instance without a number")
	}
}
