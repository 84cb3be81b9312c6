package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/intent"
)

var (
	descIntents        = desc("intents", "Intents by state.", "state")
	descIntentRequests = desc("intent_requests_total",
		"Requests for intents by what came of them; overload: not taken, failed: not durable.", "result")
	descIntentChanges = desc("intent_changes_total", "Changes of what switches are to hold, by reason.", "reason")
	descIntentRules   = desc("intent_rules_total",
		"Rules of intents: ordered (installations and removals), refused by switches, lost by switches.", "what")
	descIntentRoutes = desc("intent_routes", "Different ways that intents take, or took lately.")
	descJournalBytes = desc("journal_bytes",
		"Bytes of the records of a journal in the store: all, those that count, and those that wait to be committed.", "journal", "what")
	descJournalCommits = desc("journal_commits_total", "Transactions of a journal.", "journal")
)

// intents shows intents as metrics.
type intents struct{ *Sources }

// Describe implements prometheus.Collector.
func (m intents) Describe(ch chan<- *prometheus.Desc) {
	describe(ch, descIntents, descIntentRequests, descIntentChanges, descIntentRules, descIntentRoutes, descJournalBytes,
		descJournalCommits)
}

// Collect implements prometheus.Collector.
func (m intents) Collect(ch chan<- prometheus.Metric) {
	c := m.Intents.Counts()
	for s := intent.Submitted; s <= intent.Withdrawing; s++ {
		gauge(ch, descIntents, float64(c.ByState[s]), s.String())
	}
	counters(ch, descIntentRequests, map[string]uint64{
		"accepted": c.Accepted, "existing": c.Existing, "conflict": c.Conflicts, "refused": c.Refused,
		"overload": c.Overloads, "failed": c.Failures,
	})
	counters(ch, descIntentChanges, map[string]uint64{
		"new": c.Core.Installs, "failure": c.Core.Reroutes, "planned": c.Core.Moves, "withdrawn": c.Core.Withdrawals,
	})
	counters(ch, descIntentRules,
		map[string]uint64{"ordered": c.Core.Orders, "refused": c.Core.Refusals, "lost": c.Core.Lost})
	gauge(ch, descIntentRoutes, float64(c.Core.Routes))
	for name, j := range m.Journals {
		s := j.Stats()
		gauge(ch, descJournalBytes, float64(s.Bytes), name, "all")
		gauge(ch, descJournalBytes, float64(s.LiveBytes), name, "live")
		gauge(ch, descJournalBytes, float64(s.Waiting), name, "waiting")
		counter(ch, descJournalCommits, s.Commits, name)
	}
}
