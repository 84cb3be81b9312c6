package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/weirnet/weir/config"
)

// Server is the interface of one instance. It is an http.Handler and a prometheus.Collector of what
// it measures of itself.
type Server struct {
	cfg Config
	gate
	all      *connections
	epoch    runID
	router   *router
	huma     huma.API
	pages    pages
	refusals refusalLimiter
	watchers atomic.Int64
	feed     *feed
	tokens   tokenStreams
	// intentStreams are the open streams of requests about intents.
	intentStreams atomic.Int64
	carriers      *trafficTable
	metrics
}

// New makes the interface. It starts nothing and owns no goroutine.
func New(cfg Config) *Server {
	cfg = cfg.orDefaults()
	cfg.Access.Names = append(certificateNames(cfg.TLS), cfg.Access.Names...)
	all := newConnections(cfg.Limits, cfg.LimitReached)
	s := &Server{
		cfg:      cfg,
		gate:     newGate(cfg.Access),
		all:      all,
		epoch:    newRunID(),
		router:   newRouter(),
		pages:    newPages(cfg.Limits, cfg.Now),
		metrics:  newMetrics(all),
		carriers: newTrafficTable(),
	}
	s.feed = newFeed(s)
	s.huma = humago.New(jsonRoutes{s.router},
		openAPI("Weir", cfg.Version,
			"The network as one Weir instance sees it. Every route but /healthz and /readyz needs a token. "+
				"Numbers of 64 bits (counters, cookies) are hexadecimal strings, such as \"0x1a\": the numbers of JSON lose their low bits."))
	s.addRoutes()
	return s
}

// ServeHTTP checks who asks, and how, before anything else happens; then it dispatches. What
// changes something is in the audit log before it is done, and what became of it before it is
// answered.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	pattern, needs := s.router.find(r)
	if pattern == applyPattern && !changes(r) { // a dry run shows what may be read
		needs = RoleViewer
	}
	m := s.metrics.begin(w, pattern, r.Method, s.cfg.Now)
	defer m.end()
	w = m

	h := w.Header()
	protect(h)
	closeAfterChunked(r, h)
	by := Actor{From: r.RemoteAddr}
	no := s.check(r, needs, &by)
	if no == nil && by.Role != RoleNone {
		no = s.all.noRoom(r)
	}
	if no == nil && pattern != "" {
		no = refuseEncoded(r)
	}
	if no == nil && pattern != "" {
		no = malformedQuery(r)
	}
	if no == nil && s.cfg.Standby != nil && !instanceRoutes[pattern] {
		no = &refusal{status: http.StatusServiceUnavailable, detail: s.cfg.Standby().Error()}
	}
	if no != nil {
		s.noteRefused(r, pattern, by, no)
		no.write(w)
		return
	}
	if pattern == "" {
		s.router.missing(r, h).write(w)
		return
	}
	if pattern == "POST "+intentsPath {
		if form := streamForm(r); form != "" {
			s.streamIntents(w, r, by, form)
			return
		}
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.bodyLimit(pattern))
	if !changes(r) {
		s.router.ServeHTTP(w, withActor(r, by))
		return
	}
	s.audited(w, r, pattern, by)
}

// Values of headers that all answers share. Nobody changes a value in its place.
var noSniff, noStore = []string{"nosniff"}, []string{"no-store"}

// protect has browsers neither guess what an answer is nor keep it.
func protect(h http.Header) {
	h["X-Content-Type-Options"], h["Cache-Control"] = noSniff, noStore
}

// instanceRoutes are the routes that tell of an instance, not of its network.
var instanceRoutes = map[string]bool{
	"GET /v1/members": true, "GET /v1/alarms": true, "GET /healthz": true, "GET /readyz": true, "GET /metrics": true,
	"GET /openapi.json": true, "GET /{$}": true,
}

// refuseEncoded refuses a body that is compressed or the like: nobody here unpacks it, and the
// audit log is to say what was asked for.
func refuseEncoded(r *http.Request) *refusal {
	how := r.Header.Get("Content-Encoding")
	if how == "" || strings.EqualFold(how, "identity") || !changes(r) {
		return nil
	}
	return &refusal{status: http.StatusUnsupportedMediaType,
		detail: fmt.Sprintf(
			"Content-Encoding %q was given: want a body that is not compressed, without that header", truncate(how))}
}

// bodyLimit is the longest body of a route, in bytes.
func (s *Server) bodyLimit(pattern string) int64 {
	switch pattern {
	case applyPattern:
		return config.MaxBytes + 1 // so that one that is too long is told its limit
	case "POST " + intentsPath, "POST " + withdrawPath:
		return s.cfg.Limits.IntentBytes
	}
	return s.cfg.Limits.BodyBytes
}

// check refuses requests from strangers, and counts them.
func (s *Server) check(r *http.Request, needs Role, by *Actor) *refusal {
	reason, no := s.gate.check(r, needs, by)
	if no != nil {
		s.metrics.refused.WithLabelValues(reason).Inc()
	}
	return no
}

// openAPI is what huma is told: plain JSON, no documents of its own, parameters it does not know
// refused.
func openAPI(title, version, description string) huma.Config {
	cfg := huma.DefaultConfig(title, version)
	cfg.Info.Description = description
	cfg.OpenAPIPath, cfg.DocsPath, cfg.SchemasPath = "", "", ""
	cfg.CreateHooks = nil
	cfg.Transformers = []huma.Transformer{detailErrors}
	cfg.RejectUnknownQueryParameters = true
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer",
			Description: "A token of the data directory: admin in the file token, operator in token-operator, viewer in token-viewer."},
	}
	cfg.Security = []map[string][]string{{"token": {}}}
	return cfg
}
