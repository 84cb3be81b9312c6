package rest

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/api/client"
)

// StackConfig says how a Stack serves.
type StackConfig struct {
	Version string // of this build, for /openapi.json
	Access  Access
	TLS     *tls.Config  // nil: plain HTTP
	Limits  Limits       // zero fields mean DefaultLimits
	Log     *slog.Logger // nil: slog.Default()
	// Standby, if set, says why nothing is known here of the network: every route but those of the
	// instance itself (members, alarms, probes, metrics, documents) is refused with it (503).
	Standby func() error
	// Forward, if set, answers all that is not of the instance itself, in place of Standby.
	Forward Forwarder
	// Health is nil while the process lives, for /healthz. nil: always.
	Health func() error
	// LimitReached is called when a limit of the configuration is reached, with the path of its field
	// and what was done about it. It may be nil.
	LimitReached func(field, text string)
	// Changes says how requests that change something are served; nil: as all others are.
	Changes *Changes
}

// Stack serves routes over HTTP. It has what all interfaces of ours share: routing, tokens, checks of
// Host and Origin, limits, errors as application/problem+json, and the description of the routes. It
// is an http.Handler.
type Stack struct {
	cfg StackConfig
	gate
	all     *connections
	router  *router
	huma    huma.API
	metrics *metrics
	trail   *trail // nil: changes are served as all others are

	forwarded atomic.Int64 // requests under way that came to other instances
}

// WithDefaults returns it with what it leaves out.
func (c StackConfig) WithDefaults() StackConfig {
	c.Limits = c.Limits.orDefaults()
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Health == nil {
		c.Health = func() error { return nil }
	}
	return c
}

// NewStack makes a stack that serves /openapi.json, with this title and description, and /healthz.
// It starts nothing.
func NewStack(cfg StackConfig, title, description string) *Stack {
	cfg = cfg.WithDefaults()
	cfg.Access.Names = append(certificateNames(cfg.TLS), cfg.Access.Names...)
	s := &Stack{cfg: cfg, gate: newGate(cfg.Access), all: newConnections(cfg.Limits, cfg.LimitReached), router: newRouter()}
	now := time.Now
	if cfg.Changes != nil {
		now = cfg.Changes.Now
	}
	s.metrics = newMetrics(s.all, now)
	if cfg.Changes != nil {
		s.trail = &trail{Changes: *cfg.Changes, gate: &s.gate, next: s.router.mux, unnoted: s.metrics.unnoted}
	}
	s.huma = humago.New(jsonMux{s.router.mux}, openAPI(title, cfg.Version, description))
	s.huma.OpenAPI().Components.Schemas.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[client.Problem]())
	s.Add([]Route{
		{Method: "GET", Path: "/openapi.json", ID: "openapi", Handler: Plain(s.document), Content: "application/json",
			Instance: true, Summary: "This description, OpenAPI 3.1"},
		{Method: "GET", Path: "/healthz", ID: "healthz", Handler: Plain(Probe(cfg.Health)), Content: "text/plain",
			Instance: true, Public: true, Summary: "200 while the instance lives; needs no token"},
	})
	return s
}

// Add adds routes, before the stack serves.
func (s *Stack) Add(routes []Route) {
	for _, r := range routes {
		s.add(r)
	}
}

// openAPI configures huma: plain JSON, no documents of its own, unknown query parameters refused.
func openAPI(title, version, description string) huma.Config {
	cfg := huma.DefaultConfig(title, version)
	cfg.Info.Description = description
	cfg.OpenAPIPath, cfg.DocsPath, cfg.SchemasPath = "", "", ""
	cfg.CreateHooks = nil
	cfg.Transformers = []huma.Transformer{toProblem}
	cfg.RejectUnknownQueryParameters = true
	cfg.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer",
			Description: "A token of the data directory: admin in the file token, operator in token-operator, viewer " +
				"in token-viewer."},
	}
	cfg.Security = []map[string][]string{{"token": {}}}
	return cfg
}

// Routes returns all routes, in the order in which they were added.
func (s *Stack) Routes() []*Route { return s.router.routes }

// OpenAPI is the description of the routes, for those who have more to say in it before the stack serves.
func (s *Stack) OpenAPI() *huma.OpenAPI { return s.huma.OpenAPI() }

// Metrics has what the stack measures of itself, and what else is measured of its routes.
func (s *Stack) Metrics() *prometheus.Registry { return s.metrics.registry }

// Limited notes that a limit was reached, a field of the configuration's section limits.
func (s *Stack) Limited(field, text string) {
	s.metrics.limited.WithLabelValues(field).Inc()
	if s.cfg.LimitReached != nil {
		s.cfg.LimitReached("limits."+field, text)
	}
}

// ServeHTTP checks who asks, and how, before anything else happens; then it dispatches. What
// changes something is in the audit log before it is done, and what became of it before it is
// answered.
func (s *Stack) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, by := s.router.find(r), callerOf(r)
	m := s.metrics.begin(w, route, r.Method)
	defer m.end()
	w = m

	if s.cfg.Forward != nil && (route == nil || !route.Instance) {
		s.forward(w, r, route, by)
		return
	}
	if no := s.admit(w, r, route, &by); no != nil {
		if no.reason != "" {
			s.metrics.refused.WithLabelValues(no.reason).Inc()
		}
		if s.trail != nil {
			s.trail.refused(r, route, by, no)
		}
		no.Write(w)
		return
	}
	switch {
	case route == nil || s.trail == nil || !route.changes(r):
		s.dispatch(w, r, route, by)
	case route.Stream == nil || !route.Stream(w, r, by):
		s.trail.serve(w, r, route, by)
	}
}

// admit refuses what must not reach a route, which is nil if there is none. It fills in who asks as
// far as that is known.
func (s *Stack) admit(w http.ResponseWriter, r *http.Request, route *Route, by *Actor) *Refusal {
	protect(w.Header())
	closeAfterChunked(r, w.Header())
	no := s.gate.check(r, route.needs(r), by)
	if no == nil && by.Role != RoleNone {
		no = s.all.noRoom(r)
	}
	if no == nil && route != nil {
		no = refuseEncoded(r, route)
	}
	if no == nil && route != nil {
		no = malformedQuery(r, route)
	}
	if no == nil && s.cfg.Standby != nil && (route == nil || !route.Instance) {
		no = Refuse(http.StatusServiceUnavailable, "%v", s.cfg.Standby())
	}
	return no
}

// dispatch serves a request that was admitted.
func (s *Stack) dispatch(w http.ResponseWriter, r *http.Request, route *Route, by Actor) {
	if route == nil {
		s.router.missing(r, w.Header()).Write(w)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, route.BodyBytes)
	s.router.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), actorKey{}, by)))
}

// actorKey is the key of the Actor in the context of a request.
type actorKey struct{}

// ActorOf returns who made a request; a change has it in ChangeOf too, with the request's id.
func ActorOf(ctx context.Context) Actor {
	by, _ := ctx.Value(actorKey{}).(Actor)
	return by
}

// Values of headers that all answers share. Nobody changes a value in its place.
var noSniff, noStore = []string{"nosniff"}, []string{"no-store"}

// protect has browsers neither guess what an answer is nor keep it.
func protect(h http.Header) {
	h["X-Content-Type-Options"], h["Cache-Control"] = noSniff, noStore
}

// refuseEncoded refuses a body that is compressed or the like: nobody here unpacks it, and the
// audit log is to say what was asked for.
func refuseEncoded(r *http.Request, route *Route) *Refusal {
	how := r.Header.Get("Content-Encoding")
	if how == "" || strings.EqualFold(how, "identity") || !route.changes(r) {
		return nil
	}
	return Refuse(http.StatusUnsupportedMediaType,
		"Content-Encoding %q was given: want a body that is not compressed, without that header", Truncate(how))
}

// document answers the description of all routes.
func (s *Stack) document(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(s.huma.OpenAPI())
}

// Probe answers 200 "ok", or 503 and why.
func Probe(check func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		if err := check(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			w.Write([]byte(err.Error() + "\n"))
			return
		}
		w.Write([]byte("ok\n"))
	}
}
