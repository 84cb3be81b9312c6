package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/flowsync"
)

var (
	descFlowsync = desc("flowsync_total", "What flowsync did, by kind.", "kind")
	descRules    = desc("flowsync_rules", "Firm rules wanted, by state.", "state")
	descDrift    = desc("flowsync_drift_total",
		"Rules that were lost or changed behind our back and put back, by how it was noticed.", "noticed")
	descSync = desc("flowsync_switches",
		"Switches with a session: compared with what is wanted; by how they are watched; by what is wrong with them.", "state")
	descBound = desc("flowsync_drift_bound_seconds",
		"How long a drift that a switch does not tell of can stay unnoticed.", "dpid")
	descReadCost = desc("flowsync_reading_share", "Share of one processor that reading switches again costs, as measured.")
)

// rules shows what flowsync counts.
type rules struct{ *flowsync.Loop }

// Describe implements prometheus.Collector.
func (m rules) Describe(ch chan<- *prometheus.Desc) {
	describe(ch, descFlowsync, descRules, descDrift, descSync, descBound, descReadCost)
}

// Collect implements prometheus.Collector.
func (m rules) Collect(ch chan<- prometheus.Metric) {
	m.Ask(func(c *flowsync.Core) {
		collectRules(ch, c)
		collectWatch(ch, c)
	})
}

// collectRules shows what flowsync did, and what is wanted.
func collectRules(ch chan<- prometheus.Metric, c *flowsync.Core) {
	n := c.Counters()
	counters(ch, descFlowsync, map[string]uint64{
		"flow_mods": n.FlowMods, "group_mods": n.GroupMods, "meter_mods": n.MeterMods, "barriers": n.Barriers,
		"readings": n.Readings, "refused": n.Refused, "retries": n.Retries, "repairs": n.Repairs, "queue_full": n.Full,
		"missed": n.Overflows,
	})
	var sum flowsync.SwitchStatus
	for _, s := range c.Statuses() {
		sum.Installed += s.Installed
		sum.Pending += s.Pending
		sum.Failed += s.Failed
		sum.Foreign += s.Foreign
		sum.Leftover += s.Leftover
	}
	gauge(ch, descRules, float64(sum.Installed), "installed")
	gauge(ch, descRules, float64(sum.Pending), "pending")
	gauge(ch, descRules, float64(sum.Failed), "failed")
	gauge(ch, descRules, float64(sum.Foreign), "foreign")
	gauge(ch, descRules, float64(sum.Leftover), "adopted")
}

// collectWatch shows how switches are watched.
func collectWatch(ch chan<- prometheus.Metric, c *flowsync.Core) {
	drift := c.Counters().Drift
	for s := range drift {
		counter(ch, descDrift, drift[s], flowsync.Source(s).String())
	}
	states := map[string]int{"compared": 0, "monitor": 0, "reading": 0, "asked": 0, "paused": 0, "stuck": 0, "lying": 0}
	share := 0.0
	for _, s := range c.Statuses() {
		if !s.Connected {
			continue
		}
		states[s.Watch.String()]++
		if s.Compared {
			states["compared"]++
		}
		if s.Stuck {
			states["stuck"]++
		}
		if s.Lying {
			states["lying"]++
		}
		if s.Watch == flowsync.WatchReading && s.DriftBound > 0 {
			share += s.ReadCost.Seconds() / s.DriftBound.Seconds()
		}
		if s.DriftBound >= 0 {
			gauge(ch, descBound, s.DriftBound.Seconds(), s.DPID.String())
		}
	}
	for state, n := range states {
		gauge(ch, descSync, float64(n), state)
	}
	gauge(ch, descReadCost, share)
}
