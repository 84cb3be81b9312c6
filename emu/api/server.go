package api

import (
	"errors"
	"io/fs"

	"github.com/danielgtaylor/huma/v2"

	weir "github.com/weirnet/weir/api"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/control"
)

// Config is what the interface needs.
type Config struct {
	weir.StackConfig
	Operator *control.Operator
}

// Server is the interface of one network. It is an http.Handler.
type Server struct {
	*weir.Stack
	operator *control.Operator
	net      *emu.Network
}

// New makes the interface. It starts nothing.
func New(cfg Config) *Server {
	s := &Server{operator: cfg.Operator, net: cfg.Operator.Network()}
	s.Stack = weir.NewStack(cfg.StackConfig, "Weir's emulator",
		"An emulated network: what there is and what it counts, and faults, traffic, captures and schedules by request.")
	s.Add(s.routes())
	return s
}

// routes returns all routes but those of every Stack.
func (s *Server) routes() []weir.Route {
	return []weir.Route{
		{Method: "GET", Path: "/v1/network", ID: "network", Handler: weir.Typed(s.network),
			Summary: "The network in numbers"},
		{Method: "GET", Path: "/v1/fidelity", ID: "fidelity", Handler: weir.Typed(s.fidelity),
			Summary: "How well the network keeps the times that it promises"},
		{Method: "GET", Path: "/v1/profiles", ID: "profiles", Handler: weir.Typed(s.profiles),
			Summary: "How switches behave, and where each figure comes from"},
		{Method: "GET", Path: "/v1/switches", ID: "switches", Handler: weir.Typed(s.switches),
			Summary: "All switches and their faults"},
		{Method: "GET", Path: "/v1/switches/{dpid}", ID: "switch", Handler: weir.Typed(s.oneSwitch),
			Summary: "One switch; it may be given by its name"},
		{Method: "PATCH", Path: "/v1/switches/{dpid}", ID: "change-switch", Handler: weir.Typed(s.changeSwitch),
			Summary: "Give a switch faults, or take them away"},
		{Method: "PATCH", Path: "/v1/switches/{dpid}/controllers/{number}", ID: "change-controller",
			Handler: weir.Typed(s.changeControl), Summary: "Cut, stall or slow one control channel, or mend it"},
		{Method: "GET", Path: "/v1/ports", ID: "ports", Handler: weir.Typed(s.ports), Summary: "All ports"},
		{Method: "GET", Path: "/v1/ports/{dpid}/{port}", ID: "port", Handler: weir.Typed(s.onePort), Summary: "One port"},
		{Method: "PATCH", Path: "/v1/ports/{dpid}/{port}", ID: "change-port", Handler: weir.Typed(s.changePort),
			Summary: "Break a port, or mend it"},
		{Method: "GET", Path: "/v1/links", ID: "links", Handler: weir.Typed(s.links),
			Summary: "All links, those of hosts included"},
		{Method: "GET", Path: "/v1/links/{id}", ID: "link", Handler: weir.Typed(s.oneLink), Summary: "One link"},
		{Method: "PATCH", Path: "/v1/links/{id}", ID: "change-link", Handler: weir.Typed(s.changeLink),
			Summary: "Cut a link or mend it; change how it carries frames"},
		{Method: "GET", Path: "/v1/hosts", ID: "hosts", Handler: weir.Typed(s.hosts),
			Summary: "All hosts and what they count"},
		{Method: "GET", Path: "/v1/hosts/{name}", ID: "host", Handler: weir.Typed(s.oneHost), Summary: "One host"},
		{Method: "POST", Path: "/v1/commands", ID: "begin-command", Handler: weir.Typed(s.begin),
			Summary: "Have a host send: ping, udp or tcp"},
		{Method: "GET", Path: "/v1/commands", ID: "commands", Handler: weir.Typed(s.commands),
			Summary: "What hosts were told to send, and what came of it"},
		{Method: "GET", Path: "/v1/commands/{number}", ID: "command", Handler: weir.Typed(s.oneCommand),
			Summary: "One command"},
		{Method: "DELETE", Path: "/v1/commands/{number}", ID: "stop-command", Handler: weir.Typed(s.stopCommand),
			Summary: "Have the host send no more"},
		{Method: "POST", Path: "/v1/captures", ID: "begin-capture", Handler: weir.Typed(s.capture),
			Summary: "Capture a port or control channels to a pcap file"},
		{Method: "GET", Path: "/v1/captures", ID: "captures", Handler: weir.Typed(s.captures),
			Summary: "All captures, ended ones too"},
		{Method: "DELETE", Path: "/v1/captures/{number}", ID: "stop-capture", Handler: weir.Typed(s.stopCapture),
			Summary: "End a capture"},
		{Method: "POST", Path: "/v1/schedule", ID: "add-events", Handler: weir.Typed(s.addEvents),
			Summary: "Add events, YAML or JSON; their times count from now"},
		{Method: "GET", Path: "/v1/schedule", ID: "schedule", Handler: weir.Typed(s.schedule),
			Summary: "What is still to happen"},
		{Method: "DELETE", Path: "/v1/schedule/{number}", ID: "drop-event", Handler: weir.Typed(s.dropEvent),
			Summary: "Take an event off the schedule"},
	}
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

// listOf answers what item makes of each of a list.
func listOf[X, T any](of []X, item func(X) T) (*list[T], error) {
	l := &list[T]{}
	l.Body.Items = make([]T, len(of))
	for i, x := range of {
		l.Body.Items[i] = item(x)
	}
	return l, nil
}

// itself is an item already.
func itself[T any](item T) T { return item }

// refuse returns the answer to an error of the Operator.
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
