package api

import (
	"context"
	"net/http"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/intents"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
)

// maxWideListed is how many intents that take packets of others are listed.
const maxWideListed = 100

// check is the route that compares.
type check struct {
	*revision.Clock
	all     func(context.Context) (*client.Check, netview.Revision, error) // nil: the instance compares none
	intents intents.Engine                                                 // nil: there are none
}

func (s *check) routes() []rest.Route {
	lacking := rest.Refuse(http.StatusNotFound, "this instance compares no switches")
	return []rest.Route{
		{Method: "GET", Path: "/v1/check", ID: "check", Handler: rest.Provided(s.all != nil, lacking, s.compare),
			Summary: "Compare what is wanted, the view and what switches hold: all are read"},
	}
}

// compare has all switches compared with what is wanted of them.
func (s *check) compare(ctx context.Context, _ *struct{}) (*revision.Answer[client.Check], error) {
	c, at, err := s.all(ctx)
	if err != nil {
		return nil, rest.Refuse(http.StatusServiceUnavailable, "%v", err)
	}
	c.Revision, c.Intents = s.At(at), intentStates(s.intents)
	if s.intents != nil {
		if count, ids := s.intents.Wide(maxWideListed); count > 0 {
			c.Wide = &client.WideIntents{Count: count, IDs: ids}
		}
	}
	return revision.NewAnswer(c.Revision, *c), nil
}

// intentStates returns how many intents are in which state.
func intentStates(of intents.Engine) map[string]int {
	if of == nil {
		return nil
	}
	states := make(map[string]int)
	for state, n := range of.Counts().ByState {
		if n > 0 && state > 0 {
			states[intent.State(state).String()] = n
		}
	}
	return states
}
