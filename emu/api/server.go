package api

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	weir "github.com/weirnet/weir/api"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/control"
)

// Config is what the interface needs.
type Config struct {
	Operator *control.Operator
	Version  string // of this build, for /openapi.json
	Access   weir.Access
	TLS      *tls.Config // nil: plain HTTP
	Limits   weir.Limits // zero fields mean api.DefaultLimits
	Log      *slog.Logger
}

// Server is the interface of one network. It is an http.Handler.
type Server struct {
	operator *control.Operator
	net      *emu.Network
	site     *weir.Site
}

// New makes the interface. It starts nothing.
func New(cfg Config) *Server {
	s := &Server{operator: cfg.Operator, net: cfg.Operator.Network()}
	s.site = weir.NewSite(weir.SiteConfig{
		Title: "Weir's emulator", Version: cfg.Version, Access: cfg.Access, TLS: cfg.TLS, Limits: cfg.Limits, Log: cfg.Log,
		Description: "An emulated network: what there is and what it counts, and faults, traffic, captures and schedules by request.",
	})
	s.addRoutes()
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.site.ServeHTTP(w, r) }

// Serve answers on the listener until the context ends, as api.Server.Serve.
func (s *Server) Serve(ctx context.Context, l net.Listener) error { return s.site.Serve(ctx, l) }

// addRoutes is the list of all routes.
func (s *Server) addRoutes() {
	route(s, "GET", "/v1/network", "network", "The network in numbers", s.network)
	route(s, "GET", "/v1/fidelity", "fidelity", "How well the network keeps the times that it promises", s.fidelity)
	route(s, "GET", "/v1/profiles", "profiles", "How switches behave, and where each figure comes from", s.profiles)
	route(s, "GET", "/v1/switches", "switches", "All switches and their faults", s.switches)
	route(s, "GET", "/v1/switches/{dpid}", "switch", "One switch; it may be given by its name", s.oneSwitch)
	route(s, "PATCH", "/v1/switches/{dpid}", "change-switch", "Give a switch faults, or take them away", s.changeSwitch)
	route(s, "PATCH", "/v1/switches/{dpid}/controllers/{number}", "change-controller",
		"Cut, stall or slow one control channel, or mend it", s.changeControl)
	route(s, "GET", "/v1/ports", "ports", "All ports", s.ports)
	route(s, "GET", "/v1/ports/{dpid}/{port}", "port", "One port", s.onePort)
	route(s, "PATCH", "/v1/ports/{dpid}/{port}", "change-port", "Break a port, or mend it", s.changePort)
	route(s, "GET", "/v1/links", "links", "All links, those of hosts included", s.links)
	route(s, "GET", "/v1/links/{id}", "link", "One link", s.oneLink)
	route(s, "PATCH", "/v1/links/{id}", "change-link", "Cut a link or mend it; change how it carries frames", s.changeLink)
	route(s, "GET", "/v1/hosts", "hosts", "All hosts and what they count", s.hosts)
	route(s, "GET", "/v1/hosts/{name}", "host", "One host", s.oneHost)
	route(s, "POST", "/v1/commands", "begin-command", "Have a host send: ping, udp or tcp", s.begin)
	route(s, "GET", "/v1/commands", "commands", "What hosts were told to send, and what came of it", s.commands)
	route(s, "GET", "/v1/commands/{number}", "command", "One command", s.oneCommand)
	route(s, "DELETE", "/v1/commands/{number}", "stop-command", "Have the host send no more", s.stopCommand)
	route(s, "POST", "/v1/captures", "begin-capture", "Capture a port or control channels to a pcap file", s.capture)
	route(s, "GET", "/v1/captures", "captures", "All captures, ended ones too", s.captures)
	route(s, "DELETE", "/v1/captures/{number}", "stop-capture", "End a capture", s.stopCapture)
	route(s, "POST", "/v1/schedule", "add-events", "Add events, YAML or JSON; their times count from now", s.addEvents)
	route(s, "GET", "/v1/schedule", "schedule", "What is still to happen", s.schedule)
	route(s, "DELETE", "/v1/schedule/{number}", "drop-event", "Take an event off the schedule", s.dropEvent)
}

// route adds one.
func route[I, O any](s *Server, method, path, id, summary string, h func(context.Context, *I) (*O, error)) {
	huma.Register(s.site.Huma(), huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary}, h)
}

// none is the input of routes that take nothing.
type none struct{}

// one is an answer of one item.
type one[T any] struct{ Body T }

// list is an answer of items.
type list[T any] struct {
	Body struct {
		Items []T `json:"items" nullable:"false"`
	}
}

func listOf[T any](items []T) *list[T] {
	l := &list[T]{}
	if l.Body.Items = items; items == nil {
		l.Body.Items = []T{}
	}
	return l
}

// refuse is an error of the Operator as an answer.
func refuse(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, control.ErrUnknown):
		return huma.Error404NotFound(err.Error())
	case errors.Is(err, control.ErrBusy):
		return huma.Error429TooManyRequests(err.Error())
	case errors.Is(err, fs.ErrExist):
		return huma.Error409Conflict(err.Error())
	}
	return huma.Error422UnprocessableEntity(err.Error())
}
