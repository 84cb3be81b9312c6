package rest

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are what the interface measures of itself. Labels are bounded: a route is a pattern,
// never a path.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  *prometheus.CounterVec
	unnoted  prometheus.Counter
	limited  *prometheus.CounterVec
	registry *prometheus.Registry // of these, and of the connections
	now      func() time.Time
}

func newMetrics(all *connections, now func() time.Time) *metrics {
	r := prometheus.NewRegistry()
	r.MustRegister(all)
	registered := promauto.With(r)
	return &metrics{
		registry: r,
		now:      now,
		requests: registered.NewCounterVec(prometheus.CounterOpts{Name: "weir_api_requests_total",
			Help: "Requests answered, by route and HTTP status."}, []string{"method", "route", "code"}),
		seconds: registered.NewHistogramVec(prometheus.HistogramOpts{Name: "weir_api_request_seconds",
			Help:    "Time from a request's header to the end of its answer; event streams are not counted.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 9)}, []string{"route"}),
		refused: registered.NewCounterVec(prometheus.CounterOpts{Name: "weir_api_refused_total",
			Help: "Requests refused before dispatch, by what was wrong: host, origin or token."}, []string{"reason"}),
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

// statusWriter is a ResponseWriter that remembers the status for the metrics.
type statusWriter struct {
	http.ResponseWriter
	metrics *metrics
	route   string
	method  string
	endless bool // an answer without end: it has no duration
	code    int
	begun   time.Time
}

func (m *metrics) begin(w http.ResponseWriter, route *Route, method string) *statusWriter {
	_, path, ok := strings.Cut(route.pattern(), " ")
	if !ok {
		path, method = "none", "none"
	}
	return &statusWriter{ResponseWriter: w, metrics: m, route: path, method: method,
		endless: route != nil && route.Endless, code: http.StatusOK, begun: m.now()}
}

func (m *statusWriter) end() {
	m.metrics.requests.WithLabelValues(m.method, m.route, strconv.Itoa(m.code)).Inc()
	if !m.endless {
		m.metrics.seconds.WithLabelValues(m.route).Observe(m.metrics.now().Sub(m.begun).Seconds())
	}
}

// WriteHeader notes the status.
func (m *statusWriter) WriteHeader(code int) {
	m.code = code
	m.ResponseWriter.WriteHeader(code)
}

// Unwrap lets http.ResponseController reach the connection.
func (m *statusWriter) Unwrap() http.ResponseWriter { return m.ResponseWriter }
