package api

import (
	"crypto/tls"
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// SiteConfig is what a Site is.
type SiteConfig struct {
	Title, Version, Description string // of /openapi.json
	Access                      Access
	TLS                         *tls.Config  // nil: plain HTTP
	Limits                      Limits       // zero fields mean DefaultLimits
	Log                         *slog.Logger // nil: slog.Default()
}

// Site is an interface of routes that somebody else registers, with what every interface of ours
// has: tokens, checks of Host and Origin, limits, errors as application/problem+json,
// /openapi.json, and /healthz without a token. It is an http.Handler.
type Site struct {
	cfg SiteConfig
	gate
	all    *connections
	router *router
	huma   huma.API
}

// NewSite makes a site without routes of its own.
func NewSite(cfg SiteConfig) *Site {
	cfg.Limits = cfg.Limits.orDefaults()
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	cfg.Access.Names = append(certificateNames(cfg.TLS), cfg.Access.Names...)
	s := &Site{cfg: cfg, gate: newGate(cfg.Access), all: newConnections(cfg.Limits, nil), router: newRouter()}
	s.huma = humago.New(jsonRoutes{s.router}, openAPI(cfg.Title, cfg.Version, cfg.Description))
	s.router.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(s.huma.OpenAPI())
	})
	s.router.public("GET /healthz", probe(func() error { return nil }))
	return s
}

// Huma is where operations are registered, before the site serves: reading ones (GET) need the role
// viewer, others operator.
func (s *Site) Huma() huma.API { return s.huma }

// ServeHTTP checks who asks, and how, before anything else happens; then it dispatches.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	pattern, needs := s.router.find(r)
	h := w.Header()
	protect(h)
	closeAfterChunked(r, h)
	by := Actor{From: r.RemoteAddr}
	_, no := s.check(r, needs, &by)
	if no == nil && by.Role != RoleNone {
		no = s.all.noRoom(r)
	}
	if no == nil && pattern != "" {
		no = malformedQuery(r)
	}
	if no != nil {
		no.write(w)
		return
	}
	if pattern == "" {
		s.router.missing(r, h).write(w)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.cfg.Limits.BodyBytes)
	s.router.ServeHTTP(w, r)
}
