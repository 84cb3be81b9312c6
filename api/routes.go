package api

import (
	"context"
	"iter"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
)

// addRoutes is the list of all routes.
func (s *Server) addRoutes() {
	get(s, "members", "/v1/members", "The instances of the cluster", s.members)
	get(s, "switches", "/v1/switches", "All switches", s.switches)
	get(s, "switch", "/v1/switches/{dpid}", "One switch", s.oneSwitch)
	get(s, "switch-ports", "/v1/switches/{dpid}/ports", "A switch's ports and their counters, as it was last heard",
		s.switchPorts)
	get(s, "switch-tables", "/v1/switches/{dpid}/tables",
		"A switch's flow tables and their counters, as it was last heard", s.switchTables)
	get(s, "switch-counters", "/v1/switches/{dpid}/counters", "A switch's sums over its flow entries and its ports",
		s.switchCounters)
	get(s, "switch-flows", "/v1/switches/{dpid}/flows", "A switch's flow entries, as it answers now", s.switchFlows)
	get(s, "links", "/v1/links", "All links, an item for each direction", s.links)
	get(s, "hosts", "/v1/hosts", "All hosts", s.allHosts)
	get(s, "host", "/v1/hosts/{id}", "One host", s.oneHost)
	get(s, "vlan-host", "/v1/hosts/{id}/{vlan}", "One host in a VLAN", s.oneVLANHost)
	get(s, "flows", "/v1/flows", "The rules that are wanted, and their state", s.flows)
	get(s, "paths", "/v1/paths", "The path that the system takes between two ends, and alternatives", s.paths)
	get(s, "check", "/v1/check", "Compare what is wanted, the view and what switches hold: all are read", s.compare)
	get(s, "apps", "/v1/apps", "The built-in applications", s.apps)
	get(s, "alarms", "/v1/alarms", "What an operator should know: active alarms, critical ones first", s.alarms)
	s.addConfig()
	s.addDrains()
	s.addForgets()
	s.addIntents()
	s.addAudit()
	s.addBackup()
	s.addEvents()

	s.router.HandleFunc("GET /metrics", s.metricsHandler())
	s.router.HandleFunc("GET /openapi.json", s.document)
	s.router.HandleFunc("GET /{$}", s.index)
	s.router.public("GET /healthz", probe(s.cfg.Health))
	s.router.public("GET /readyz", probe(s.cfg.Ready))
	s.documentRest()
	s.documentIntents()
}

// get adds a reading route.
func get[I, O any](s *Server, id, path, summary string, h func(context.Context, *I) (*O, error)) {
	huma.Register(s.huma, huma.Operation{
		OperationID: id, Method: http.MethodGet, Path: path, Summary: summary, MaxBodyBytes: s.cfg.Limits.BodyBytes,
	}, h)
}

type listInput struct{ Paging }

func (s *Server) members(ctx context.Context, in *listInput) (*page[client.Member], error) {
	return list(ctx, s, in.Paging, "members", singlePage(s.cfg.Members), as[client.Member])
}

func (s *Server) apps(ctx context.Context, in *listInput) (*page[client.App], error) {
	return list(ctx, s, in.Paging, "apps", singlePage(s.cfg.Apps), as[client.App])
}

func (s *Server) switches(ctx context.Context, in *listInput) (*page[client.Switch], error) {
	return list(ctx, s, in.Paging, "switches", (*netview.Snapshot).Switches, switchItem)
}

func (s *Server) links(ctx context.Context, in *listInput) (*page[client.Link], error) {
	return list(ctx, s, in.Paging, "links", (*netview.Snapshot).Links, linkItem)
}

func (s *Server) allHosts(ctx context.Context, in *listInput) (*page[client.Host], error) {
	return list(ctx, s, in.Paging, "hosts", (*netview.Snapshot).Hosts, hostItem)
}

// singlePage is a list that no snapshot has.
func singlePage[T any](get func() []T) func(*netview.Snapshot) iter.Seq[T] {
	return func(*netview.Snapshot) iter.Seq[T] {
		return func(yield func(T) bool) {
			for _, v := range get() {
				if !yield(v) {
					return
				}
			}
		}
	}
}

func as[T any](_ *netview.Snapshot, v T) T { return v }

// metricsHandler shows what the instance measures, or, without one, what the interface itself does.
func (s *Server) metricsHandler() http.HandlerFunc {
	g := s.cfg.Gatherer
	if g == nil {
		own := prometheus.NewRegistry()
		own.MustRegister(s)
		g = own
	}
	return promhttp.HandlerFor(g, promhttp.HandlerOpts{MaxRequestsInFlight: 8}).ServeHTTP
}

// probe answers 200 "ok", or 503 and why.
func probe(check func() error) http.HandlerFunc {
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
