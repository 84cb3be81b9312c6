package metrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

var (
	descMessages = desc("openflow_messages_total", "OpenFlow messages, by direction and type.", "direction", "type")
	descBytes    = desc("openflow_bytes_total", "Bytes of OpenFlow connections, by direction.", "direction")
	descDecode   = desc("openflow_decode_errors_total", "Messages of switches that were answered with an OpenFlow error.")
	descDropped  = desc("openflow_dropped_total", "Messages that were dropped, by reason.", "reason")
	descPaused   = desc("openflow_paused_total",
		"Times at which a switch was not read because it did not take what it was sent.")
	descRefused = desc("openflow_refused_connections_total",
		"Connections that ended before their handshake did, by reason.", "reason")
	descQueue = desc("switch_queue_bytes", "Bytes that wait for a switch.", "dpid")
	descHeld  = desc("openflow_held_bytes",
		"Bytes, about, of incomplete input that are held for switches: of handshakes, and of answers in parts.")
	descTrip      = desc("switch_round_trip_seconds", "Last round trip of an echo.", "dpid")
	descRows      = desc("view_rows", "Rows of the network view, by table.", "table")
	descRevision  = desc("view_revision", "Revision of the network view.")
	descDiscovery = desc("discovery_total", "What discovery saw, by kind.", "kind")
	descPeriod    = desc("discovery_period_seconds",
		"Time between two probes of a port: as configured, or longer where there are too many or they are heard late.")
	descLag = desc("discovery_lag_seconds", "From making a probe for a link to handling it, moving average.")
)

// network shows sessions of switches, the view and discovery.
type network struct{ *Sources }

// Describe implements prometheus.Collector.
func (m network) Describe(ch chan<- *prometheus.Desc) {
	describe(ch, descMessages, descBytes, descDecode, descDropped, descPaused, descRefused, descQueue, descHeld, descTrip,
		descRows, descRevision, descDiscovery, descPeriod, descLag)
}

// Collect implements prometheus.Collector.
func (m network) Collect(ch chan<- prometheus.Metric) {
	m.collectSessions(ch)
	m.collectView(ch)
	m.collectDiscovery(ch)
}

func (m network) collectSessions(ch chan<- prometheus.Metric) {
	sum := m.Server.Totals()
	for i := range sum.In {
		name := strings.ToLower(openflow.Type(i).String())
		counter(ch, descMessages, sum.In[i], "in", name)
		counter(ch, descMessages, sum.Out[i], "out", name)
	}
	counter(ch, descBytes, sum.InBytes, "in")
	counter(ch, descBytes, sum.OutBytes, "out")
	counter(ch, descDecode, sum.Refused)
	counter(ch, descDropped, sum.Full, "queue_full")
	counter(ch, descDropped, sum.Unmatched, "unmatched_answer")
	counter(ch, descDropped, m.Unowned(), "unmatched_error")
	counter(ch, descDropped, sum.Early, "during_handshake")
	counter(ch, descPaused, sum.Paused)
	for _, reason := range session.Reasons() {
		counter(ch, descRefused, sum.Connections[reason], reason)
	}
	for _, s := range m.Server.Sessions() {
		dpid := netview.DPID(s.Features().Datapath).String()
		gauge(ch, descQueue, float64(s.Queue()), dpid)
		gauge(ch, descTrip, s.RoundTrip().Seconds(), dpid)
	}
}

func (m network) collectView(ch chan<- prometheus.Metric) {
	snap := m.View.Snapshot()
	n := snap.Counts()
	gauge(ch, descRevision, float64(snap.Revision()))
	gauge(ch, descRows, float64(n.Switches), "switches")
	gauge(ch, descRows, float64(n.Links), "links")
	gauge(ch, descRows, float64(n.Hosts), "hosts")
	gauge(ch, descRows, float64(n.Rules), "rules")
}

func (m network) collectDiscovery(ch chan<- prometheus.Metric) {
	counts := m.Discovery.Counts()
	counters(ch, descDiscovery, counts.ByKind())
	gauge(ch, descRows, float64(counts.Ports.Load()), "ports")
	gauge(ch, descHeld, float64(m.Server.Held()))
	gauge(ch, descPeriod, time.Duration(counts.Period.Load()).Seconds())
	gauge(ch, descLag, time.Duration(counts.Lag.Load()).Seconds())
}
