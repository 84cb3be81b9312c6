package intents

import (
	"context"
	"fmt"
	"net/http"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/api/intents/wire"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/spec"
)

type deleteInput struct {
	ID      string `path:"id" maxLength:"128" doc:"The id of the intent."`
	IfMatch string `header:"If-Match" maxLength:"255" doc:"The etag that it must have."`
}

// withdraw withdraws an intent. What is not there is withdrawn already: 204.
func (s *writer) withdraw(ctx context.Context, in *deleteInput) (*revision.NoContent, error) {
	if err := spec.CheckID(in.ID); err != nil {
		return nil, rest.Refuse(http.StatusUnprocessableEntity, "%v", err)
	}
	c := rest.ChangeOf(ctx)
	c.Object = "intent " + in.ID
	answers, err := s.makeDurable(ctx, []intent.Request{{Op: intent.Withdraw, ID: in.ID, IfMatch: rest.ETag(in.IfMatch)}}, false)
	if err != nil {
		return nil, submitRefusal(err)
	}
	c.Detail = "withdrawn"
	switch a := &answers[0]; a.Status {
	case intent.Accepted, intent.Existing:
	case intent.NotFound:
		c.Detail = "there was none"
		if in.IfMatch != "" {
			return nil, rest.Refuse(http.StatusPreconditionFailed, "there is no intent %s", in.ID)
		}
	case intent.Mismatched:
		return nil, rest.Refuse(http.StatusPreconditionFailed, "%s", a.Text)
	default:
		return nil, rest.Refuse(http.StatusConflict, "%s", a.Text)
	}
	return &revision.NoContent{Revision: s.revisions.Text()}, nil
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

// withdrawSeveral withdraws several, each with an answer of its own.
func (s *writer) withdrawSeveral(ctx context.Context, in *withdrawInput) (*answersOutput, error) {
	reqs := make([]intent.Request, len(in.Body.IDs))
	for i, id := range in.Body.IDs {
		if err := spec.CheckID(id); err != nil || id == "" {
			return nil, rest.Refuse(http.StatusUnprocessableEntity, "ids[%d]: %q given, want the id of an intent", i,
				rest.Truncate(id))
		}
		reqs[i] = intent.Request{Op: intent.Withdraw, ID: id}
	}
	out := &answersOutput{http.StatusAccepted, client.IntentAnswers{Items: make([]client.IntentAnswer, len(reqs))}}
	var answers []intent.Answer
	var err error
	if len(reqs) > 0 {
		if answers, err = s.makeDurable(ctx, reqs, false); err != nil && !anyAccepted(answers) {
			return nil, submitRefusal(err)
		}
	}
	var n tally
	for i := range reqs {
		a := wireAnswer(&oneSlot, uint64(i), answers[i:i+1], err)
		n.count(&a)
		out.Body.Items[i] = answerItem(&a)
	}
	c := rest.ChangeOf(ctx)
	c.Object, c.Detail = fmt.Sprintf("%d intents", len(reqs)), "withdrawn: "+n.String()
	out.Body.Revision = s.revisions.Text()
	return out, nil
}

// oneSlot is the slot of the one request of a batch.
var oneSlot wire.Slot

// answerItem returns an answer as the client has it.
func answerItem(a *wire.Answer) client.IntentAnswer {
	return client.IntentAnswer{Index: int(a.Index), Line: a.Line, ID: a.ID, Status: intentpb.StatusNames[a.Status],
		State:  intentpb.StateNames[a.State],
		Detail: a.Detail, ETag: a.ETag, Revision: a.Revision}
}
