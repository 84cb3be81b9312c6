package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what the interface measures of itself. Labels are bounded: a route is a pattern,
// never a path.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  *prometheus.CounterVec
	streams  prometheus.Gauge
	resets   prometheus.Counter
	encoded  prometheus.Counter
	unnoted  prometheus.Counter
	limited  *prometheus.CounterVec
	registry *prometheus.Registry // of these, and of the connections
}

func newMetrics(all *connections) metrics {
	r := prometheus.NewRegistry()
	r.MustRegister(all)
	registered := promauto.With(r)
	return metrics{
		registry: r,
		requests: registered.NewCounterVec(prometheus.CounterOpts{Name: "weir_api_requests_total",
			Help: "Requests answered, by route and HTTP status."}, []string{"method", "route", "code"}),
		seconds: registered.NewHistogramVec(prometheus.HistogramOpts{Name: "weir_api_request_seconds",
			Help:    "Time from a request's header to the end of its answer; event streams are not counted.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 9)}, []string{"route"}),
		refused: registered.NewCounterVec(prometheus.CounterOpts{Name: "weir_api_refused_total",
			Help: "Requests refused before dispatch, by what was wrong: host, origin or token."}, []string{"reason"}),
		streams: registered.NewGauge(prometheus.GaugeOpts{Name: "weir_api_event_streams",
			Help: "Event streams open."}),
		encoded: registered.NewCounter(prometheus.CounterOpts{Name: "weir_api_events_encoded_total",
			Help: "Events made into bytes, once for all streams; and those of streams that go on from an earlier id, once for each."}),
		resets: registered.NewCounter(prometheus.CounterOpts{Name: "weir_api_event_resets_total",
			Help: "Snapshots sent on event streams because the position asked for is not in the log of changes."}),
		limited: registered.NewCounterVec(prometheus.CounterOpts{Name: "weir_api_limited_total",
			Help: "Requests refused because a limit of the configuration was reached, by its field."}, []string{"limit"}),
		unnoted: registered.NewCounter(prometheus.CounterOpts{Name: "weir_api_refused_unlisted_total",
			Help: "Requests refused before dispatch that are not in the audit log because there were too many."}),
	}
}

var (
	descConnections = prometheus.NewDesc("weir_api_connections",
		"Connections open, by whether they have shown a valid token: yes or no.", []string{"token"}, nil)
	descCut = prometheus.NewDesc("weir_api_connections_cut_total",
		"Connections cut or refused because there were too many, by the limit.", []string{"limit"}, nil)
)

// Describe implements prometheus.Collector.
func (a *connections) Describe(ch chan<- *prometheus.Desc) {
	ch <- descConnections
	ch <- descCut
}

// Collect implements prometheus.Collector.
func (a *connections) Collect(ch chan<- prometheus.Metric) {
	authenticated, anonymous, cutAll, cutSource := a.count()
	ch <- prometheus.MustNewConstMetric(descConnections, prometheus.GaugeValue, float64(authenticated), "yes")
	ch <- prometheus.MustNewConstMetric(descConnections, prometheus.GaugeValue, float64(anonymous), "no")
	ch <- prometheus.MustNewConstMetric(descCut, prometheus.CounterValue, float64(cutAll), "connections")
	ch <- prometheus.MustNewConstMetric(descCut, prometheus.CounterValue, float64(cutSource), "connections_per_source")
}

// Describe implements prometheus.Collector.
func (m *metrics) Describe(ch chan<- *prometheus.Desc) { m.registry.Describe(ch) }

// Collect implements prometheus.Collector.
func (m *metrics) Collect(ch chan<- prometheus.Metric) { m.registry.Collect(ch) }

// statusWriter is a ResponseWriter that remembers the status for the metrics.
type statusWriter struct {
	http.ResponseWriter
	metrics *metrics
	route   string
	method  string
	code    int
	now     func() time.Time
	begun   time.Time
}

func (m *metrics) begin(w http.ResponseWriter, route *Route, method string, now func() time.Time) *statusWriter {
	_, path, ok := strings.Cut(route.pattern(), " ")
	if !ok {
		path, method = "none", "none"
	}
	return &statusWriter{ResponseWriter: w, metrics: m, route: path, method: method, code: http.StatusOK, now: now, begun: now()}
}

func (m *statusWriter) end() {
	m.metrics.requests.WithLabelValues(m.method, m.route, strconv.Itoa(m.code)).Inc()
	if m.route != eventsPath {
		m.metrics.seconds.WithLabelValues(m.route).Observe(m.now().Sub(m.begun).Seconds())
	}
}

// WriteHeader notes the status.
func (m *statusWriter) WriteHeader(code int) {
	m.code = code
	m.ResponseWriter.WriteHeader(code)
}

// Unwrap lets http.ResponseController reach the connection.
func (m *statusWriter) Unwrap() http.ResponseWriter { return m.ResponseWriter }

// metricsHandler shows what the instance measures, or, without one, what the interface itself does.
func (s *Server) metricsHandler() http.HandlerFunc {
	g := s.cfg.Gatherer
	if g == nil {
		g = s.metrics.registry
	}
	return promhttp.HandlerFor(g, promhttp.HandlerOpts{MaxRequestsInFlight: 8}).ServeHTTP
}
