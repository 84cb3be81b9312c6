package api

import (
	"context"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/topo"
)

// schedule is what is to happen, and when.
type schedule struct{ operator *control.Operator }

func (r schedule) routes() []rest.Route {
	return []rest.Route{
		{Method: "POST", Path: "/v1/schedule", ID: "add-events", Handler: rest.Typed(r.add),
			Summary: "Add events, YAML or JSON; their times count from now"},
		{Method: "GET", Path: "/v1/schedule", ID: "schedule", Handler: rest.Typed(r.all),
			Summary: "What is still to happen"},
		{Method: "DELETE", Path: "/v1/schedule/{number}", ID: "drop-event", Handler: rest.Typed(r.drop),
			Summary: "Take an event off the schedule"},
	}
}

// Event is something that is still to happen.
type Event struct {
	Number int    `json:"number"`
	In     Span   `json:"in" doc:"from now"`
	Every  Span   `json:"every" doc:"again after each of these; 0s: once"`
	Times  int    `json:"times" doc:"how often in all; 0: without end"`
	Done   int    `json:"done" doc:"how often it has happened"`
	What   string `json:"what"`
}

func (r schedule) all(context.Context, *none) (*list[Event], error) {
	now := r.operator.Network().Age()
	return listOf(r.operator.Schedule(), func(p control.Pending) Event {
		return Event{Number: p.Number, In: Span(max(p.At-now, 0)), Every: Span(p.Event.Every),
			Times: p.Event.Times, Done: p.Done, What: control.Describe(r.operator.Network().Topology(), p.Event.Do)}
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

func (r schedule) add(_ context.Context, in *eventsInput) (*numbers, error) {
	events, err := topo.ParseSchedule(in.RawBody, r.operator.Network().Topology())
	if err != nil {
		return nil, huma.Error422UnprocessableEntity(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	out := &numbers{}
	out.Body.Numbers = r.operator.Add(events)
	return out, nil
}

func (r schedule) drop(_ context.Context, in *numberInput) (*struct{}, error) {
	if !r.operator.Cancel(in.Number) {
		return nil, huma.Error404NotFound(fmt.Sprintf("event %d is not to happen: GET /v1/schedule lists what is", in.Number))
	}
	return nil, nil
}
