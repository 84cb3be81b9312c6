package api

import (
	"context"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/topo"
)

// Event is something that is still to happen.
type Event struct {
	Number int    `json:"number"`
	In     Span   `json:"in" doc:"from now"`
	Every  Span   `json:"every" doc:"again after each of these; 0s: once"`
	Times  int    `json:"times" doc:"how often in all; 0: without end"`
	Done   int    `json:"done" doc:"how often it has happened"`
	What   string `json:"what"`
}

func (s *Server) schedule(context.Context, *none) (*list[Event], error) {
	now := s.net.Age()
	return listOf(s.operator.Schedule(), func(p control.Pending) Event {
		return Event{Number: p.Number, In: Span(max(p.At-now, 0)), Every: Span(p.Event.Every),
			Times: p.Event.Times, Done: p.Done, What: control.Describe(s.net.Topology(), p.Event.Do)}
	})
}

type eventsInput struct {
	RawBody []byte `contentType:"application/yaml" doc:"a list of events, as in a schedule file"`
}

type numbers struct {
	Body struct {
		Numbers []int `json:"numbers" nullable:"false" doc:"of the events that were added"`
	}
}

func (s *Server) addEvents(_ context.Context, in *eventsInput) (*numbers, error) {
	events, err := topo.ParseSchedule(in.RawBody, s.net.Topology())
	if err != nil {
		return nil, huma.Error422UnprocessableEntity(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	out := &numbers{}
	out.Body.Numbers = s.operator.Add(events)
	return out, nil
}

func (s *Server) dropEvent(_ context.Context, in *numberInput) (*struct{}, error) {
	if !s.operator.Cancel(in.Number) {
		return nil, huma.Error404NotFound(fmt.Sprintf("event %d is not to happen: GET /v1/schedule lists what is", in.Number))
	}
	return nil, nil
}
