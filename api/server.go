package api

import (
	"net/http"
	"sync/atomic"
)

// Server is the interface of one instance. It is an http.Handler and a prometheus.Collector of what
// it measures of itself.
type Server struct {
	*Stack
	cfg      Config
	run      runID
	pages    pages
	refusals refusalLimiter
	watchers atomic.Int64
	feed     *feed
	tokens   tokenStreams
	// intentStreams are the open streams of requests about intents.
	intentStreams atomic.Int64
	totals        *trafficTable
	metrics
}

// New makes the interface. It starts nothing and owns no goroutine.
func New(cfg Config) *Server {
	cfg = cfg.orDefaults()
	s := &Server{
		cfg:    cfg,
		run:    newRunID(),
		pages:  newPages(cfg.Limits, cfg.Now),
		tokens: tokenStreams{open: make(map[string]int)},
		totals: newTrafficTable(),
	}
	s.feed = newFeed(s)
	s.Stack = NewStack(cfg.StackConfig, "Weir",
		"The network as one Weir instance sees it. Every route but /healthz and /readyz needs a token. "+
			"Numbers of 64 bits (counters, cookies) are hexadecimal strings, such as \"0x1a\": "+
			"the numbers of JSON lose their low bits.")
	s.metrics = newMetrics(s.all)
	s.Add(s.routes())
	s.describeIntentEnds()
	s.describeIntentFields()
	return s
}

// ServeHTTP checks who asks, and how, before anything else happens; then it dispatches. What
// changes something is in the audit log before it is done, and what became of it before it is
// answered.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, by := s.router.find(r), Actor{From: r.RemoteAddr}
	m := s.metrics.begin(w, route, r.Method, s.cfg.Now)
	defer m.end()
	w = m

	if no := s.admit(w, r, route, &by); no != nil {
		if no.reason != "" {
			s.metrics.refused.WithLabelValues(no.reason).Inc()
		}
		s.noteRefused(r, route, by, no)
		no.write(w)
		return
	}
	switch mediaType := streamType(r); {
	case route == nil || !route.changes(r):
		s.dispatch(w, r, route, by)
	case route.Stream != nil && mediaType != "":
		route.Stream(w, r, by, mediaType)
	default:
		s.audited(w, r, route, by)
	}
}
