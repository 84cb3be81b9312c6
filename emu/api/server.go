package api

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu/control"
)

// Config is what the interface needs.
type Config struct {
	rest.StackConfig
	Operator *control.Operator
}

// Server is the interface of one network. It is an http.Handler.
type Server struct {
	*rest.Stack
	operator *control.Operator
}

// New makes the interface. It starts nothing.
func New(cfg Config) *Server {
	s := &Server{operator: cfg.Operator}
	s.Stack = rest.NewStack(cfg.StackConfig, "Weir's emulator",
		"An emulated network: what there is and what it counts, and faults, traffic, captures and schedules by request.")
	s.Add(s.routes())
	return s
}

// routes returns all routes but those of every Stack. Each resource has a type, with its routes and what answers
// them.
func (s *Server) routes() []rest.Route {
	o := s.operator
	return slices.Concat(overview{o.Network()}.routes(), switches{o}.routes(), ports{switches{o}}.routes(), links{o}.routes(),
		hosts{o}.routes(), commands{o}.routes(), captures{o}.routes(), schedule{o}.routes())
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
