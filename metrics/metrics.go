package metrics

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/audit"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/session"
	"github.com/weirnet/weir/stats"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/journal"
)

// Sources are the parts of an instance that count.
type Sources struct {
	View      *netview.View
	Server    *session.Server
	Discovery *discovery.Discovery
	Flowsync  *flowsync.Loop
	Stats     *stats.Loop
	Intents   *intent.Engine              // nil: there are none
	Journals  map[string]*journal.Journal // by name
	Store     store.Store
	Alarms    *alarm.Board
	Audit     *audit.Log
	// Apps are what applications count, by kind, by the name of the application.
	Apps map[string]func() map[string]uint64
	// Unowned is how many errors of switches were about messages that nobody sent.
	Unowned func() uint64
	// PortSeries is up to how many ports all switches may have together for each to be shown; with
	// more there are sums by switch only.
	PortSeries int
}

// Register has a registry collect them, with those of the process.
func Register(r *prometheus.Registry, from *Sources) {
	for name, read := range from.Apps {
		help := "What application " + strings.TrimPrefix(name, "app_") + " did, by kind."
		r.MustRegister(kinds{desc(strings.ReplaceAll(name, "-", "_")+"_total", help, "kind"), read})
	}
	if from.Intents != nil {
		r.MustRegister(intents{from})
	}
	r.MustRegister(network{from}, rules{from.Flowsync}, keeper{from.Store}, alarms{from.View, from.Alarms},
		kinds{descAudit, func() map[string]uint64 { return auditCounts(from.Audit.Counts()) }},
		switchCounters{view: from.View, read: from.Stats.Board().Switch, counts: from.Stats.Counts(), series: from.PortSeries},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
}

// kinds shows counts as one metric with the label kind.
type kinds struct {
	desc *prometheus.Desc
	read func() map[string]uint64
}

// Describe implements prometheus.Collector.
func (k kinds) Describe(ch chan<- *prometheus.Desc) { ch <- k.desc }

// Collect implements prometheus.Collector.
func (k kinds) Collect(ch chan<- prometheus.Metric) { counters(ch, k.desc, k.read()) }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("weir_"+name, help, labels, nil)
}

func describe(ch chan<- *prometheus.Desc, list ...*prometheus.Desc) {
	for _, d := range list {
		ch <- d
	}
}

// counters shows counts by their one label.
func counters(ch chan<- prometheus.Metric, d *prometheus.Desc, counts map[string]uint64) {
	for label, n := range counts {
		counter(ch, d, n, label)
	}
}

func counter(ch chan<- prometheus.Metric, d *prometheus.Desc, n uint64, labels ...string) {
	ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
}

func gauge(ch chan<- prometheus.Metric, d *prometheus.Desc, x float64, labels ...string) {
	ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, x, labels...)
}
