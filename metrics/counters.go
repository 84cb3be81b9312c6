package metrics

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/stats"
)

// switchCounters shows what switches count as metrics. It reads the copy that package stats keeps,
// and asks nobody.
type switchCounters struct {
	view   *netview.View
	read   func(netview.DPID) *stats.Switch
	counts *stats.Counts
	series int // ports of all switches for which each port is shown
}

// ofPorts are the metrics of a port's counters, and those of the sums over a switch's ports.
var ofPorts, ofSums = counterDescs("port_", "of a port", "dpid", "port"),
	counterDescs("switch_ports_", "of a switch's ports together, since the instance knows it", "dpid")

func counterDescs(prefix, of string, labels ...string) (d [stats.Counters]*prometheus.Desc) {
	for c, name := range [stats.Counters][2]string{
		stats.RxPackets: {"receive_packets_total", "Packets received"},
		stats.TxPackets: {"transmit_packets_total", "Packets transmitted"},
		stats.RxBytes:   {"receive_bytes_total", "Bytes received"}, stats.TxBytes: {"transmit_bytes_total", "Bytes transmitted"},
		stats.RxDropped: {"receive_dropped_total", "Packets dropped on receipt"},
		stats.TxDropped: {"transmit_dropped_total", "Packets dropped before transmission"},
		stats.RxErrors:  {"receive_errors_total", "Errors on receipt"},
		stats.TxErrors:  {"transmit_errors_total", "Errors on transmission"},
	} {
		d[c] = desc(prefix+name[0], name[1]+", "+of+".", labels...)
	}
	return d
}

var (
	descAsked       = desc("stats_questions_total", "Questions to switches for their counters, by kind.", "kind")
	descAnswered    = desc("stats_answers_total", "Answers to them, by kind.", "kind")
	descFailed      = desc("stats_failures_total", "Questions without an answer, by reason.", "reason")
	descHeldBack    = desc("stats_held_total", "Times at which switches were due to be asked and the budget was spent.")
	descAnswerBytes = desc("stats_answer_bytes_total", "Bytes of answers, about.")
	descAsOf        = desc("switch_ports_as_of_seconds", "When a switch last told its port counters, Unix time.", "dpid")
	descLookups     = desc("table_lookups_total", "Packets looked up in a flow table.", "dpid", "table")
	descMatched     = desc("table_matched_total", "Packets that an entry of a flow table matched.", "dpid", "table")
	descEntries     = desc("table_entries", "Flow entries of a table, anybody's.", "dpid", "table")
	descLeftOut     = desc("port_series_left_out", "Ports that have counters and are not shown here, because there are too many.")
)

// Describe implements prometheus.Collector.
func (m switchCounters) Describe(ch chan<- *prometheus.Desc) {
	describe(ch, ofPorts[:]...)
	describe(ch, ofSums[:]...)
	describe(ch, descAsked, descAnswered, descFailed, descHeldBack, descAnswerBytes, descAsOf, descLookups, descMatched,
		descEntries, descLeftOut)
}

// Collect implements prometheus.Collector.
func (m switchCounters) Collect(ch chan<- prometheus.Metric) {
	var switches []*stats.Switch
	ports := 0
	for sw := range m.view.Snapshot().Switches() {
		if s := m.read(sw.DPID); s != nil {
			switches = append(switches, s)
			if s.Ports != nil {
				ports += len(s.Ports.List)
			}
		}
	}
	each := ports <= m.series
	for _, s := range switches {
		m.collectSwitch(ch, s, each)
	}
	leftOut := 0
	if !each {
		leftOut = ports
	}
	gauge(ch, descLeftOut, float64(leftOut))
	m.collectCounts(ch)
}

func (m switchCounters) collectSwitch(ch chan<- prometheus.Metric, s *stats.Switch, each bool) {
	dpid := s.DPID.String()
	if p := s.Ports; p != nil {
		gauge(ch, descAsOf, float64(p.AsOf.UnixMilli())/1000, dpid)
		for c, d := range ofSums {
			counter(ch, d, p.Sum[c], dpid)
		}
		for i := range p.List {
			if each {
				collectPort(ch, dpid, &p.List[i])
			}
		}
	}
	if s.Tables == nil {
		return
	}
	for i := range s.Tables.List {
		t := &s.Tables.List[i]
		number := strconv.Itoa(int(t.Number))
		gauge(ch, descEntries, float64(t.Entries), dpid, number)
		if t.Lookups != stats.NotCounted {
			counter(ch, descLookups, t.Lookups, dpid, number)
		}
		if t.Matched != stats.NotCounted {
			counter(ch, descMatched, t.Matched, dpid, number)
		}
	}
}

func collectPort(ch chan<- prometheus.Metric, dpid string, p *stats.Port) {
	port := strconv.FormatUint(uint64(p.Number), 10)
	for c, d := range ofPorts {
		if n, ok := p.Count(stats.Counter(c)); ok {
			counter(ch, d, n, dpid, port)
		}
	}
}

func (m switchCounters) collectCounts(ch chan<- prometheus.Metric) {
	for _, k := range stats.Kinds() {
		counter(ch, descAsked, m.counts.Asked[k].Load(), k.String())
		counter(ch, descAnswered, m.counts.Answered[k].Load(), k.String())
	}
	counter(ch, descFailed, m.counts.Refused.Load(), "refused")
	counter(ch, descFailed, m.counts.Unanswered.Load(), "unanswered")
	counter(ch, descFailed, m.counts.Busy.Load(), "busy")
	counter(ch, descHeldBack, m.counts.Held.Load())
	counter(ch, descAnswerBytes, m.counts.Bytes.Load())
}
