package watch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
)

// failedFor is how long an intent may be failed before somebody should know.
const failedFor = time.Minute

// Watch looks at the intents of an engine.
type Watch struct {
	engine engine
	alarms alarm.Sink

	failing time.Time // since when an intent has been failed; zero: none is
	alarmed bool      // and it was said
	wide    bool      // some take packets of others, and it was said
}

// engine is what is asked of an intent.Engine.
type engine interface {
	Counts() intent.Counts
	Failed() map[intent.Code]int
	Wide(limit int) (count int, ids []string)
}

// New makes one.
func New(engine *intent.Engine, alarms alarm.Sink) *Watch {
	return &Watch{engine: engine, alarms: alarms}
}

// Part looks every ten seconds; now is the clock.
func (w *Watch) Part(now func() time.Time) *loop.Part {
	return &loop.Part{
		Name: "intents that fail", Bell: loop.NewBell(),
		Turn:  func() time.Time { return time.Time{} },
		Beats: int(every / beat.Every), Beat: func() { w.look(now()) },
	}
}

// look raises alarms, and ends them.
func (w *Watch) look(now time.Time) {
	w.lookForWide()
	failed := w.engine.Counts().ByState[intent.Failed]
	switch {
	case failed == 0:
		if w.alarmed {
			w.alarms.Clear(netview.AlarmIntents, "")
		}
		w.failing, w.alarmed = time.Time{}, false
	case w.failing.IsZero():
		w.failing = now
	case now.Sub(w.failing) >= failedFor:
		if counts := w.engine.Failed(); len(counts) > 0 { // not all of them tried again since they were counted
			w.alarmed = true
			w.alarms.Raise(netview.AlarmIntents, "", failures(counts))
		}
	}
}

// lookForWide raises an alarm as long as intents take packets of others.
func (w *Watch) lookForWide() {
	count, ids := w.engine.Wide(3)
	switch {
	case count > 0:
		w.wide = true
		w.alarms.Raise(netview.AlarmWideIntents, "", wideText(count, ids))
	case w.wide:
		w.wide = false
		w.alarms.Clear(netview.AlarmWideIntents, "")
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
	return fmt.Sprintf("%d %s packets of others than those at the ingress on links between switches, since theirs carry no tags yet (%s): "+
		"weir check lists them", count, take, names)
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

// every is the time between two looks.
const every = 10 * time.Second
