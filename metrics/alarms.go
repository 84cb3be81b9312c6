package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/audit"
	"github.com/weirnet/weir/netview"
)

var (
	descAlarmsActive  = desc("alarms_active", "Alarms that are active.", "kind", "severity")
	descAlarmsTotal   = desc("alarms_total", "Alarms raised, repetitions included.", "kind")
	descAlarmsDropped = desc("alarms_dropped_total", "Alarms that were not kept because there were too many.")
	descAudit         = desc("audit_total",
		"Records of the audit log: written; dropped because too many waited; failed, writes that the disk refused; and syncs, synchronisations of the file, which records share.", "kind")
)

// alarms shows alarms as metrics.
type alarms struct {
	view  *netview.View
	board *alarm.Board
}

// Describe implements prometheus.Collector.
func (m alarms) Describe(ch chan<- *prometheus.Desc) {
	describe(ch, descAlarmsActive, descAlarmsTotal, descAlarmsDropped)
}

// Collect implements prometheus.Collector.
func (m alarms) Collect(ch chan<- prometheus.Metric) {
	active := map[netview.AlarmKind]int{}
	for a := range m.view.Snapshot().Alarms() {
		if a.Active {
			active[a.Kind]++
		}
	}
	for kind, n := range m.board.Totals() {
		counter(ch, descAlarmsTotal, n, string(kind))
		gauge(ch, descAlarmsActive, float64(active[kind]), string(kind), string(kind.Severity()))
	}
	counter(ch, descAlarmsDropped, m.board.Dropped())
}

// auditCounts is what the audit log counts.
func auditCounts(c audit.Counts) map[string]uint64 {
	return map[string]uint64{"written": c.Written, "dropped": c.Dropped, "failed": c.Failed, "syncs": c.Syncs}
}
