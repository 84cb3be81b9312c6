package api

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/api/intents"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
)

// Server is the interface of one instance. It is an http.Handler and a prometheus.Collector of what
// it measures of itself.
type Server struct {
	*rest.Stack
	*reader
	events  *eventStreams
	intents *intents.Resource
}

// New makes the interface. It starts nothing and owns no goroutine.
func New(cfg Config) *Server {
	cfg = cfg.orDefaults()
	cfg.Changes = &rest.Changes{Audit: cfg.Audit, Now: cfg.Now, BodyHint: intents.BodyHint}
	revisions := revision.New(cfg.View, cfg.Intents, cfg.Limits.AtLeastWait)
	s := &Server{
		Stack: rest.NewStack(cfg.StackConfig, "Weir",
			"The network as one Weir instance sees it. Every route but /healthz and /readyz needs a token. "+
				"Numbers of 64 bits (counters, cookies) are hexadecimal strings, such as \"0x1a\": "+
				"the numbers of JSON lose their low bits."),
		reader: &reader{revisions, newPages(cfg.Limits, cfg.Now)},
	}
	measured := newEventMetrics(s.Metrics())
	s.events = newEventStreams(&source{cfg.Instance, cfg.View, cfg.Intents, cfg.Members, revisions, measured.encoded}, cfg.Limits,
		measured, s.Limited)
	s.intents = intents.New(intents.Config{Engine: cfg.Intents, Flows: cfg.IntentFlows, Revisions: revisions, Audit: cfg.Audit,
		Limits: cfg.Limits, Limited: s.Limited, Now: cfg.Now})
	s.Add(s.routes(&cfg))
	intents.Describe(s.OpenAPI())
	describeTokens(s.OpenAPI())
	return s
}

// Describe implements prometheus.Collector.
func (s *Server) Describe(ch chan<- *prometheus.Desc) { s.Metrics().Describe(ch) }

// Collect implements prometheus.Collector.
func (s *Server) Collect(ch chan<- prometheus.Metric) { s.Metrics().Collect(ch) }
