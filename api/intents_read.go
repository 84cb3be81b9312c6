package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
)

type intentsInput struct {
	Freshness
	Limit    int      `query:"limit" default:"1000" minimum:"1" maximum:"100000" doc:"Most rows of one page."`
	Continue string   `query:"continue" maxLength:"64" doc:"What the page before gave as continue."`
	State    []string `query:"state,explode" maxItems:"8" doc:"Only intents in these states."`
}

type intentInput struct {
	Freshness
	ID      string `path:"id" maxLength:"128" doc:"The id of the intent."`
	Wait    string `query:"wait" enum:"installed" doc:"Wait until it is installed, has failed, or is gone."`
	Timeout string `query:"timeout" maxLength:"16" doc:"How long to wait: 5s if nothing is said."`
	Traffic bool   `query:"traffic" doc:"With what its rules have counted where its packets come in: the switches are asked."`
}

// oneIntent is an answer that is one intent.
type intentAnswer struct {
	Revision string `header:"Weir-Revision" doc:"Opaque."`
	ETag     string `header:"ETag" doc:"Of the content; If-Match takes it."`
	Body     client.Intent
}

// awaitFreshness waits until the instance has seen what a reader knows to have happened.
func (s *Server) awaitFreshness(ctx context.Context, in Freshness) error {
	if _, err := s.fresh(ctx, in); err != nil || in.AtLeast == "" {
		return err
	}
	p, err := s.run.parse(in.AtLeast)
	if err != nil || p.intents <= s.cfg.Intents.Revision() {
		return nil
	}
	if !s.awaitIntents(ctx, p.intents) {
		return refuse(http.StatusPreconditionFailed, "revision %s was not seen within %s: try again", truncate(in.AtLeast),
			s.cfg.Limits.AtLeastWait)
	}
	return nil
}

// intents reads one page, in the order in which the intents' numbers are. It is no snapshot: of
// what is there all the time nothing is left out and nothing comes twice, and the rest may be seen
// or not. So a million of them can be read by pages.
func (s *Server) intents(ctx context.Context, in *intentsInput) (*page[client.Intent], error) {
	if err := s.awaitFreshness(ctx, in.Freshness); err != nil {
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
	p := &page[client.Intent]{Body: client.Page[client.Intent]{Items: []client.Intent{}, Revision: s.run.text(s.position())}}
	list, next := s.cfg.Intents.List(after, min(in.Limit, s.cfg.Limits.PageRows), keep)
	for i := range list {
		p.Body.Items = append(p.Body.Items, intentItem(&list[i]))
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
		return 0, refuse(http.StatusBadRequest,
			"continue=%q is not a token of this list: give what the page before gave, or leave it out", truncate(token))
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
				return nil, refuse(http.StatusUnprocessableEntity,
					"state=%q: want submitted, waiting, installing, installed, rerouting, degraded, failed or withdrawing",
					truncate(name))
			}
			want = append(want, state)
		}
	}
	if want == nil {
		return nil, nil
	}
	return func(in *intent.Intent) bool { return slices.Contains(want, in.State) }, nil
}

func (s *Server) oneIntent(ctx context.Context, in *intentInput) (*intentAnswer, error) {
	if err := s.awaitFreshness(ctx, in.Freshness); err != nil {
		return nil, err
	}
	wait, err := waitQuery(in.Wait, in.Timeout, s.cfg.Limits.IntentWait)
	if err != nil {
		return nil, refuse(http.StatusUnprocessableEntity, "%v", err)
	}
	found, ok := s.cfg.Intents.Get(in.ID)
	if ok && wait > 0 {
		bounded, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		if found, err = s.cfg.Intents.Wait(bounded, in.ID, settledStates...); errors.Is(err, intent.ErrGone) {
			ok = false
		}
	}
	if !ok {
		return nil, noIntent(in.ID)
	}
	item := intentItem(&found)
	if in.Traffic {
		if item.Traffic, err = s.traffic(ctx, &found); err != nil {
			return nil, err
		}
	}
	return &intentAnswer{s.run.text(s.position()), `"` + found.ETag + `"`, item}, nil
}

func noIntent(id string) error {
	return refuse(http.StatusNotFound, "there is no intent %q: %s lists those that there are", truncate(id), intentsPath)
}

type intentTrafficInput struct {
	ID string `path:"id" maxLength:"128" doc:"The id of the intent."`
}

func (s *Server) intentTraffic(ctx context.Context, in *intentTrafficInput) (*singleAnswer[client.Traffic], error) {
	found, ok := s.cfg.Intents.Get(in.ID)
	if !ok {
		return nil, noIntent(in.ID)
	}
	t, err := s.traffic(ctx, &found)
	if err != nil {
		return nil, err
	}
	return &singleAnswer[client.Traffic]{s.run.text(s.position()), *t}, nil
}

type deleteInput struct {
	ID      string `path:"id" maxLength:"128" doc:"The id of the intent."`
	IfMatch string `header:"If-Match" maxLength:"255" doc:"The etag that it must have."`
}

// deleteIntent withdraws an intent. What is not there is withdrawn already: 204.
func (s *Server) deleteIntent(ctx context.Context, in *deleteInput) (*noContent, error) {
	if err := spec.CheckID(in.ID); err != nil {
		return nil, refuse(http.StatusUnprocessableEntity, "%v", err)
	}
	c := changeOf(ctx)
	c.object = "intent " + in.ID
	answers, err := s.submit(ctx, []intent.Request{{Op: intent.Withdraw, ID: in.ID, IfMatch: etagOf(in.IfMatch)}}, false)
	if err != nil {
		return nil, submitRefusal(err)
	}
	c.detail = "withdrawn"
	switch a := &answers[0]; a.Status {
	case intent.Accepted, intent.Existing:
	case intent.NotFound:
		c.detail = "there was none"
		if in.IfMatch != "" {
			return nil, refuse(http.StatusPreconditionFailed, "there is no intent %s", in.ID)
		}
	case intent.Mismatched:
		return nil, refuse(http.StatusPreconditionFailed, "%s", a.Text)
	default:
		return nil, refuse(http.StatusConflict, "%s", a.Text)
	}
	return &noContent{s.run.text(s.position())}, nil
}

// Withdrawal names intents to withdraw.
type Withdrawal struct {
	IDs []string `json:"ids" maxItems:"500000" nullable:"false" doc:"Ids of intents."`
}

type withdrawInput struct{ Body Withdrawal }

type answersOutput struct {
	Status int
	Body   client.IntentAnswers
}

// withdrawIntents withdraws several, each with an answer of its own.
func (s *Server) withdrawIntents(ctx context.Context, in *withdrawInput) (*answersOutput, error) {
	reqs := make([]intent.Request, len(in.Body.IDs))
	for i, id := range in.Body.IDs {
		if err := spec.CheckID(id); err != nil || id == "" {
			return nil, refuse(http.StatusUnprocessableEntity, "ids[%d]: %q given, want the id of an intent", i, truncate(id))
		}
		reqs[i] = intent.Request{Op: intent.Withdraw, ID: id}
	}
	out := &answersOutput{http.StatusAccepted, client.IntentAnswers{Items: make([]client.IntentAnswer, len(reqs))}}
	var answers []intent.Answer
	var err error
	if len(reqs) > 0 {
		if answers, err = s.submit(ctx, reqs, false); err != nil && !anyAccepted(answers) {
			return nil, submitRefusal(err)
		}
	}
	var n tally
	for i := range reqs {
		a := wireAnswer(&oneSlot, uint64(i), answers[i:i+1], err)
		n.count(&a)
		out.Body.Items[i] = answerItem(&a)
	}
	c := changeOf(ctx)
	c.object, c.detail = fmt.Sprintf("%d intents", len(reqs)), "withdrawn: "+n.String()
	out.Body.Revision = s.run.text(s.position())
	return out, nil
}
