package node

import "github.com/prometheus/client_golang/prometheus"

// tallies shows the counters of one application as a metric with the label kind.
type tallies struct {
	desc *prometheus.Desc
	read func() map[string]uint64
}

var descGuard = desc("guard_total", "What app/guard did, by kind.", "kind")

// Describe implements prometheus.Collector.
func (t tallies) Describe(ch chan<- *prometheus.Desc) { ch <- t.desc }

// Collect implements prometheus.Collector.
func (t tallies) Collect(ch chan<- prometheus.Metric) {
	counters(ch, t.desc, t.read())
}
