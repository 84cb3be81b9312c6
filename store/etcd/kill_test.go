package etcd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/store/journal"
)

// TestKilled kills a process that writes, again and again, at any moment: each turn that was
// acknowledged is there, none is there in part, and nothing that was withdrawn with a later one.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(7, 8))
	next, acked, rounds := uint32(0), 0, need.Rounds(6)
	for range rounds {
		c := startChild(t, "write", dir, nil)
		fmt.Fprintln(c.in, next)
		last, lines := int64(next)-1, 1+rng.IntN(400)
		for range lines {
			if !c.out.Scan() {
				break
			}
			n, err := strconv.ParseUint(c.out.Text(), 10, 32)
			if err != nil || int64(n) != last+1 {
				t.Fatalf("acknowledged %q after %d: %s", c.out.Text(), last, c.err.String())
			}
			last = int64(n)
			acked++
		}
		c.cmd.Process.Kill()
		for c.out.Scan() { // what was acknowledged before the end
			if n, err := strconv.ParseUint(c.out.Text(), 10, 32); err == nil && int64(n) == last+1 {
				last = int64(n)
			}
		}
		c.cmd.Wait()
		next = checkTurns(t, dir, last)
	}
	t.Logf("%d kills, %d acknowledged turns before them, %d in all", rounds, acked, next)
	if acked < rounds*10 {
		t.Errorf("only %d turns were acknowledged in %d rounds", acked, rounds)
	}
}

// checkTurns holds the journal of a directory to what was acknowledged last, and returns the turn
// to go on with.
func checkTurns(t *testing.T, dir string, last int64) uint32 {
	t.Helper()
	s := start(t, Config{Dir: dir})
	defer s.Close()
	j, err := journal.Open(context.Background(), s, journal.Config{Prefix: "j/"})
	if err != nil {
		t.Fatal(err)
	}
	var numbers []uint32
	if err := j.Load(context.Background(), func(r journal.Record) error {
		if want := fmt.Sprintf("turn %d", r.Number/3); string(r.Data) != want {
			t.Errorf("record %d holds %q, want %q", r.Number, r.Data, want)
		}
		numbers = append(numbers, r.Number)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(numbers) == 0 {
		if last >= 0 {
			t.Fatalf("nothing is there of %d turns", last+1)
		}
		return 0
	}
	newest := numbers[len(numbers)-1] / 3
	if int64(newest) < last {
		t.Fatalf("turn %d was acknowledged, and %d is the newest", last, newest)
	}
	first := uint32(0)
	if newest >= kept {
		first = newest - kept + 1
	}
	if want := int(3 * (newest - first + 1)); len(numbers) != want {
		t.Fatalf("%d records, want %d: those of turns %d to %d", len(numbers), want, first, newest)
	}
	for i, n := range numbers {
		if n != 3*first+uint32(i) {
			t.Fatalf("record %d at place %d, want %d", n, i, 3*first+uint32(i))
		}
	}
	return newest + 1
}
