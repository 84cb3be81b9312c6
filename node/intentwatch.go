package node

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
)

// failedFor is how long an intent may be failed before somebody should know.
const failedFor = time.Minute

// watchIntents raises alarms when intents have been failed for long, and when some take packets of
// others; it ends them when none does.
func (n *node) watchIntents(now time.Time) {
	in := &n.intents
	n.watchWide()
	failed := in.engine.Counts().ByState[intent.Failed]
	switch {
	case failed == 0:
		if in.alarmed {
			n.alarms.Clear(netview.AlarmIntents, "")
		}
		in.failing, in.alarmed = time.Time{}, false
	case in.failing.IsZero():
		in.failing = now
	case now.Sub(in.failing) >= failedFor:
		if counts := in.engine.Failed(); len(counts) > 0 { // not all of them tried again since they were counted
			in.alarmed = true
			n.alarms.Raise(netview.AlarmIntents, "", failures(counts))
		}
	}
}

// watchWide raises an alarm as long as intents take packets of others.
func (n *node) watchWide() {
	count, ids := n.intents.engine.Wide(3)
	switch {
	case count > 0:
		n.intents.wide = true
		n.alarms.Raise(netview.AlarmWideIntents, "", wideText(count, ids))
	case n.intents.wide:
		n.intents.wide = false
		n.alarms.Clear(netview.AlarmWideIntents, "")
	}
}

func wideText(count int, ids []string) string {
	take := "intents take"
	if count == 1 {
		take = "intent takes"
	}
	names := strings.Join(ids, ", ")
	if count > len(ids) {
		names += ", …"
	}
	return fmt.Sprintf("%d %s packets of others than those at the ingress on links between switches (%s): weir check lists them", count, take, names)
}

// failures is the text with the number of failed intents by reason: the most frequent first.
func failures(counts map[intent.Code]int) string {
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b intent.Code) int {
		return cmp.Or(counts[b]-counts[a], int(a)-int(b))
	})
	all, parts := 0, make([]string, len(reasons))
	for i, code := range reasons {
		all += counts[code]
		parts[i] = fmt.Sprintf("%d %s", counts[code], code)
	}
	have := "intents have"
	if all == 1 {
		have = "intent has"
	}
	return fmt.Sprintf("%d %s failed (%s): weir intent list --state failed says which and why", all, have,
		strings.Join(parts, ", "))
}

// watchIntentsEvery is the time between two looks.
const watchIntentsEvery = 10 * time.Second
