package watch

import (
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
)

// states is an engine of which so many intents have failed, and are wide; it notes alarms.
type states struct {
	failed, wide int
	alarms       []string
}

func (s *states) Counts() (c intent.Counts) {
	c.ByState[intent.Failed] = s.failed
	return c
}

func (s *states) Failed() map[intent.Code]int { return map[intent.Code]int{intent.NoPath: s.failed} }

func (s *states) Wide(int) (int, []string) { return s.wide, []string{"a"} }

func (s *states) Raise(kind netview.AlarmKind, _, _ string) {
	s.alarms = append(s.alarms, string(kind))
}

func (s *states) Clear(kind netview.AlarmKind, _ string) {
	s.alarms = append(s.alarms, "no "+string(kind))
}

// TestAlarms: intents that have been failed for a minute raise an alarm at each look, until none is;
// a shorter failure raises none. Wide ones do so at once.
func TestAlarms(t *testing.T) {
	s := new(states)
	w := &Watch{engine: s, alarms: s}
	now := time.Unix(1000, 0)
	for i, step := range []struct {
		after        time.Duration
		failed, wide int
		want         []string
	}{
		{0, 0, 0, nil},
		{every, 2, 0, nil}, {failedFor - 1, 1, 0, nil}, {every, 0, 0, nil}, // none had failed at the last look
		{every, 1, 0, nil}, {failedFor, 1, 0, []string{"intents"}}, {every, 3, 0, []string{"intents"}},
		{every, 0, 0, []string{"no intents"}}, {every, 0, 0, nil},
		{every, 0, 1, []string{"wide-intents"}}, {every, 0, 0, []string{"no wide-intents"}}, {every, 0, 0, nil},
	} {
		now = now.Add(step.after)
		s.failed, s.wide, s.alarms = step.failed, step.wide, nil
		if w.look(now); !slices.Equal(s.alarms, step.want) {
			t.Errorf("look %d: %v, want %v", i, s.alarms, step.want)
		}
	}
}

// TestFailuresByReason: what the alarm says, with the most frequent reason first.
func TestFailuresByReason(t *testing.T) {
	for _, c := range []struct {
		counts map[intent.Code]int
		want   string
	}{
		{map[intent.Code]int{intent.NoPath: 1},
			"1 intent has failed (1 no-path): weir intent list --state failed says which and why"},
		{map[intent.Code]int{intent.TableFull: 2, intent.Conflicting: 12, intent.NoPath: 2},
			"16 intents have failed (12 conflict, 2 no-path, 2 table-full): weir intent list --state failed says which and why"},
	} {
		if got := failures(c.counts); got != c.want {
			t.Errorf("of %v the alarm says %q", c.counts, got)
		}
	}
}
