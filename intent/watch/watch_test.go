package watch

import (
	"testing"

	"github.com/weirnet/weir/intent"
)

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
