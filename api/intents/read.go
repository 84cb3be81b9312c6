package intents

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/render"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/intent"
)

// reader are the routes that read intents.
type reader struct {
	engine    Engine
	revisions *revision.Clock
	traffic   *trafficMeter
	pageRows  int           // most rows of one page
	longest   time.Duration // that ?wait= may wait
}

type intentsInput struct {
	revision.Freshness
	Limit    int      `query:"limit" default:"1000" minimum:"1" maximum:"100000" doc:"Most rows of one page."`
	Continue string   `query:"continue" maxLength:"64" doc:"What the page before gave as continue."`
	State    []string `query:"state,explode" maxItems:"8" doc:"Only intents in these states."`
}

type intentInput struct {
	revision.Freshness
	ID      string `path:"id" maxLength:"128" doc:"The id of the intent."`
	Wait    string `query:"wait" enum:"installed" doc:"Wait until it is installed, has failed, or is gone."`
	Timeout string `query:"timeout" maxLength:"16" doc:"How long to wait: 5s if nothing is said."`
	Traffic bool   `query:"traffic" doc:"With what its rules have counted where its packets come in: the switches are asked."`
}

// intentAnswer is an answer that is one intent.
type intentAnswer struct {
	Revision string `header:"Weir-Revision" doc:"Opaque."`
	ETag     string `header:"ETag" doc:"Of the content; If-Match takes it."`
	Body     client.Intent
}

// all reads one page, in the order in which the intents' numbers are. It is no snapshot: of
// what is there all the time nothing is left out and nothing comes twice, and the rest may be seen
// or not. So a million of them can be read by pages.
func (s *reader) all(ctx context.Context, in *intentsInput) (*revision.Page[client.Intent], error) {
	if err := s.revisions.FreshIntents(ctx, in.Freshness); err != nil {
		return nil, err
	}
	after, err := parseAfter(in.Continue)
	if err != nil {
		return nil, err
	}
	keep, err := keepStates(in.State)
	if err != nil {
		return nil, err
	}
	p := &revision.Page[client.Intent]{Body: client.Page[client.Intent]{Items: []client.Intent{}, Revision: s.revisions.Text()}}
	list, next := s.engine.List(after, min(in.Limit, s.pageRows), keep)
	for i := range list {
		p.Body.Items = append(p.Body.Items, render.Intent(&list[i]))
	}
	if next != 0 {
		p.Body.Continue = "after." + strconv.FormatUint(uint64(next), 10)
	}
	return p, nil
}

func parseAfter(token string) (uint32, error) {
	if token == "" {
		return 0, nil
	}
	text, ok := strings.CutPrefix(token, "after.")
	n, err := strconv.ParseUint(text, 10, 32)
	if !ok || err != nil {
		return 0, rest.Refuse(http.StatusBadRequest,
			"continue=%q is not a token of this list: give what the page before gave, or leave it out", rest.Truncate(token))
	}
	return uint32(n), nil
}

// keepStates returns the filter by states; nil for none.
func keepStates(names []string) (func(*intent.Intent) bool, error) {
	var want []intent.State
	for _, list := range names {
		for _, name := range strings.Split(list, ",") {
			state, ok := intent.ParseState(name)
			if !ok {
				return nil, rest.Refuse(http.StatusUnprocessableEntity,
					"state=%q: want submitted, waiting, installing, installed, rerouting, degraded, failed or withdrawing",
					rest.Truncate(name))
			}
			want = append(want, state)
		}
	}
	if want == nil {
		return nil, nil
	}
	return func(in *intent.Intent) bool { return slices.Contains(want, in.State) }, nil
}

func (s *reader) one(ctx context.Context, in *intentInput) (*intentAnswer, error) {
	if err := s.revisions.FreshIntents(ctx, in.Freshness); err != nil {
		return nil, err
	}
	wait, err := waitQuery(in.Wait, in.Timeout, s.longest)
	if err != nil {
		return nil, rest.Refuse(http.StatusUnprocessableEntity, "%v", err)
	}
	found, ok := s.engine.Get(in.ID)
	if ok && wait > 0 {
		bounded, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		if found, err = s.engine.Wait(bounded, in.ID, settledStates...); errors.Is(err, intent.ErrGone) {
			ok = false
		}
	}
	if !ok {
		return nil, noIntent(in.ID)
	}
	item := render.Intent(&found)
	if in.Traffic {
		if item.Traffic, err = s.traffic.ask(ctx, &found); err != nil {
			return nil, err
		}
	}
	return &intentAnswer{s.revisions.Text(), `"` + found.ETag + `"`, item}, nil
}

func noIntent(id string) error {
	return rest.Refuse(http.StatusNotFound, "there is no intent %q: %s lists those that there are", rest.Truncate(id), intentsPath)
}
