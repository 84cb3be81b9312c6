package node

import (
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// meter exports the engines' counters as metrics. It reads them when it is asked; nothing is
// counted twice.
type meter struct {
	view      *netview.View
	discovery *discovery.Discovery
	flowsync  *flowsync.Loop
	forward   *forward.Forward // nil if disabled
	server    *session.Server

	mu      sync.Mutex
	live    map[netview.DPID]*session.Session
	gone    session.Stats     // of all sessions that have ended
	refused map[string]uint64 // connections that never became a session, by reason
}

func newMeter(view *netview.View) *meter {
	return &meter{view: view, live: make(map[netview.DPID]*session.Session), refused: make(map[string]uint64)}
}

// sessionUp records a new session.
func (m *meter) sessionUp(dpid netview.DPID, s *session.Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live[dpid] = s
}

// sessionDown records the end of a session, and keeps its counts.
func (m *meter) sessionDown(dpid netview.DPID, s *session.Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live[dpid] == s {
		delete(m.live, dpid)
	}
	add(&m.gone, s.Stats())
}

// refuse counts a connection that never became a session.
func (m *meter) refuse(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused[reason]++
}

// add sums counts; the queue is of the living only.
func add(to *session.Stats, s session.Stats) {
	for i := range s.In {
		to.In[i] += s.In[i]
		to.Out[i] += s.Out[i]
	}
	to.InBytes += s.InBytes
	to.OutBytes += s.OutBytes
	to.Refused += s.Refused
	to.Unmatched += s.Unmatched
	to.Early += s.Early
	to.Full += s.Full
	to.Paused += s.Paused
}

// sessions are the living ones and the sum of all.
func (m *meter) sessions() (live map[netview.DPID]*session.Session, sum session.Stats, refused map[string]uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	live = make(map[netview.DPID]*session.Session, len(m.live))
	sum = m.gone
	for dpid, s := range m.live {
		live[dpid] = s
		add(&sum, s.Stats())
	}
	return live, sum, maps.Clone(m.refused)
}

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("weir_"+name, help, labels, nil)
}

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
	descLag      = desc("discovery_lag_seconds", "From making a probe for a link to handling it, moving average.")
	descFlowsync = desc("flowsync_total", "What flowsync did, by kind.", "kind")
	descRules    = desc("flowsync_rules", "Firm rules wanted, by state.", "state")
	descForward  = desc("forward_total", "What app/forward did, by kind.", "kind")
)

// Describe implements prometheus.Collector.
func (m *meter) Describe(ch chan<- *prometheus.Desc) {
	describe(ch, descMessages, descBytes, descDecode, descDropped, descPaused, descRefused, descQueue, descHeld, descTrip,
		descRows, descRevision, descDiscovery, descPeriod, descLag, descFlowsync, descDrift, descSync, descBound,
		descReadCost, descRules, descForward)
}

// Collect implements prometheus.Collector.
func (m *meter) Collect(ch chan<- prometheus.Metric) {
	m.collectSessions(ch)
	m.collectView(ch)
	m.collectEngines(ch)
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

func (m *meter) collectSessions(ch chan<- prometheus.Metric) {
	live, sum, refused := m.sessions()
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
	counter(ch, descDropped, sum.Early, "during_handshake")
	counter(ch, descPaused, sum.Paused)
	for _, reason := range session.Reasons() {
		counter(ch, descRefused, refused[reason], reason)
	}
	for dpid, s := range live {
		gauge(ch, descQueue, float64(s.Queue()), dpid.String())
		gauge(ch, descTrip, s.RoundTrip().Seconds(), dpid.String())
	}
}

func (m *meter) collectView(ch chan<- prometheus.Metric) {
	snap := m.view.Snapshot()
	n := snap.Counts()
	gauge(ch, descRevision, float64(snap.Revision()))
	gauge(ch, descRows, float64(n.Switches), "switches")
	gauge(ch, descRows, float64(n.Links), "links")
	gauge(ch, descRows, float64(n.Hosts), "hosts")
	gauge(ch, descRows, float64(n.Rules), "rules")
}

func (m *meter) collectEngines(ch chan<- prometheus.Metric) {
	counters(ch, descDiscovery, m.discovered())
	counts := m.discovery.Counts()
	gauge(ch, descRows, float64(counts.Ports.Load()), "ports")
	gauge(ch, descHeld, float64(m.server.Held()))
	gauge(ch, descPeriod, time.Duration(counts.Period.Load()).Seconds())
	gauge(ch, descLag, time.Duration(counts.Lag.Load()).Seconds())
	m.flowsync.Ask(func(c *flowsync.Core) {
		collectFlowsync(ch, c)
		collectWatch(ch, c)
	})
	if m.forward != nil {
		counters(ch, descForward, forwardCounts(m.forward.Counts()))
	}
}

func (m *meter) discovered() map[string]uint64 {
	c := m.discovery.Counts()
	return map[string]uint64{
		"probes_sent": c.Sent.Load(), "probes_heard": c.Heard.Load(), "lldp_malformed": c.Malformed.Load(),
		"lldp_foreign": c.Foreign.Load(), "lldp_forged": c.Forged.Load(), "lldp_stale": c.Stale.Load(),
		"lldp_replayed": c.Replayed.Load(), "hosts_learned": c.Learned.Load(), "hosts_moved": c.Moved.Load(),
		"hosts_expelled": c.Expelled.Load(), "hosts_refused": c.Refused.Load(), "lldp_at_host": c.AtHost.Load(),
		"hosts_hijacked": c.Hijacks.Load(), "hosts_asked": c.Asked.Load(), "hosts_expired": c.Expired.Load(),
		"switches_evicted": c.Evicted.Load(), "switches_passed": c.Passed.Load(), "ports_ignored": c.Ignored.Load(),
		"switches_exchanged": c.Replaced.Load(),
		"forgotten":          c.Forgotten.Load(),
		"probes_unsent":      c.Unsent.Load(), "probes_dropped": c.DroppedProbes.Load(), "frames_dropped": c.DroppedFrames.Load(),
	}
}

func collectFlowsync(ch chan<- prometheus.Metric, c *flowsync.Core) {
	n := c.Counters()
	counters(ch, descFlowsync, map[string]uint64{
		"flow_mods": n.FlowMods, "meter_mods": n.MeterMods, "barriers": n.Barriers, "readings": n.Readings,
		"refused": n.Refused, "retries": n.Retries, "repairs": n.Repairs, "queue_full": n.Full, "missed": n.Overflows,
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

func forwardCounts(c *forward.Counts) map[string]uint64 {
	return map[string]uint64{
		"packet_ins": c.PacketIns.Load(), "copies": c.Copies.Load(), "pairs": c.Pairs.Load(),
		"released": c.Released.Load(), "flooded": c.Flooded.Load(),
		"no_path": c.NoPath.Load(), "held_dropped": c.HeldDropped.Load(), "unsent": c.Unsent.Load(), "unruled": c.Unruled.Load(),
		"moved": c.Moved.Load(), "adopted": c.Adopted.Load(), "refused": c.Refused.Load(),
	}
}
