package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
)

// Forgetter forgets what is gone for good. The errors wrap ErrConnected, ErrNotThere and
// ErrNotKept; of the first and the last, intents may have been withdrawn already: the text says so.
type Forgetter interface {
	// Switch forgets a switch with its links and hosts, and what an earlier run remembers of it.
	Switch(ctx context.Context, dpid netview.DPID, how ForgetOptions) (*client.Forgotten, netview.Revision, error)
	// Host forgets a host.
	Host(ctx context.Context, id netview.HostID, how ForgetOptions) (*client.Forgotten, netview.Revision, error)
}

// ForgetOptions says how.
type ForgetOptions struct {
	Withdraw bool // the intents with an end there end too
	DryRun   bool // nothing is done
}

// The errors of a Forgetter.
var (
	// ErrConnected refuses to forget a switch that would be learned again at once: 409.
	ErrConnected = errors.New("the switch is connected")
	// ErrNotThere is the error for what is not known: 404.
	ErrNotThere = errors.New("it is not known")
)

// forgetting are the routes that forget what is gone for good.
type forgetting struct {
	*reader
	forgetter Forgetter // nil: nothing is forgotten on request
}

func (s *forgetting) routes() []rest.Route {
	const (
		forgotten = " Answered when it is on the disk. The answer says what depended on it."
		ofHost    = "A host that still speaks is learned again with its next packet." + forgotten
	)
	return []rest.Route{
		{Method: "DELETE", Path: switchesPath + "/{dpid}", ID: "forget-switch", Handler: rest.Typed(s.ofSwitch),
			DryRun: rest.RoleOperator, Summary: "Forget a switch that is gone for good",
			Description: "Its links, hosts, counters, alarms and drains go with it, over restarts too, and intents " +
				"that are being withdrawn there end. " +
				"One that is connected is refused (409). If it comes back it is a new switch: entries of ours that " +
				"nobody wants are removed from it." +
				forgotten},
		{Method: "DELETE", Path: hostsPath + "/{id}", ID: "forget-host", Handler: rest.Typed(s.ofHost), DryRun: rest.RoleOperator,
			Summary: "Forget a host that is gone for good", Description: ofHost},
		{Method: "DELETE", Path: hostsPath + "/{id}/{vlan}", ID: "forget-vlan-host", Handler: rest.Typed(s.ofVLANHost),
			DryRun: rest.RoleOperator, Summary: "Forget a host in a VLAN that is gone for good", Description: ofHost},
	}
}

// ForgetParams are the parameters of a request to forget something.
type ForgetParams struct {
	Withdraw bool `query:"withdraw" doc:"Withdraw the intents that have an end there. Without it they stay, and wait for it to come back."`
	DryRun   bool `query:"dry_run" doc:"Forget nothing, and say what depends on it."`
}

type forgetSwitchInput struct {
	DPIDParam
	ForgetParams
}

type forgetHostInput struct {
	ID string `path:"id" maxLength:"64" doc:"MAC, or MAC/vlan."`
	ForgetParams
}

type forgetVLANHostInput struct {
	ID   string `path:"id" maxLength:"32" doc:"MAC."`
	VLAN string `path:"vlan" maxLength:"8" doc:"VLAN id."`
	ForgetParams
}

func (s *forgetting) ofSwitch(ctx context.Context, in *forgetSwitchInput) (*revision.Answer[client.Forgotten], error) {
	_, sw, err := s.findSwitch(ctx, in.DPID, revision.Freshness{})
	if err != nil {
		return nil, err
	}
	if no := s.begin(ctx, "switch "+sw.DPID.String()); no != nil {
		return nil, no
	}
	f, rev, err := s.forgetter.Switch(ctx, sw.DPID, ForgetOptions(in.ForgetParams))
	return s.forgotten(ctx, f, rev, err)
}

func (s *forgetting) ofHost(ctx context.Context, in *forgetHostInput) (*revision.Answer[client.Forgotten], error) {
	id, err := parseHostID(in.ID)
	if err != nil {
		return nil, rest.Refuse(http.StatusBadRequest, "%v", err)
	}
	if no := s.begin(ctx, "host "+id.String()); no != nil {
		return nil, no
	}
	f, rev, err := s.forgetter.Host(ctx, id, ForgetOptions(in.ForgetParams))
	return s.forgotten(ctx, f, rev, err)
}

func (s *forgetting) ofVLANHost(ctx context.Context, in *forgetVLANHostInput) (*revision.Answer[client.Forgotten], error) {
	return s.ofHost(ctx, &forgetHostInput{ID: in.ID + "/" + in.VLAN, ForgetParams: in.ForgetParams})
}

// begin notes what is to be forgotten.
func (s *forgetting) begin(ctx context.Context, object string) error {
	if s.forgetter == nil {
		return rest.Refuse(http.StatusNotFound, "this instance forgets nothing on request")
	}
	c := rest.ChangeOf(ctx)
	c.Object, c.Detail = object, "forgotten"
	return nil
}

// forgotten returns the answer.
func (s *forgetting) forgotten(ctx context.Context, f *client.Forgotten, rev netview.Revision,
	err error) (*revision.Answer[client.Forgotten], error) {
	c := rest.ChangeOf(ctx)
	switch {
	case errors.Is(err, ErrNotThere):
		return nil, rest.Refuse(http.StatusNotFound, "no %s is known", c.Object)
	case errors.Is(err, ErrNotKept):
		return nil, storeProblem(err)
	case err != nil: // ErrConnected
		return nil, rest.Refuse(http.StatusConflict, "%v", err)
	case f.Withdrawn > 0:
		c.Detail = fmt.Sprintf("forgotten, and %d intents withdrawn", f.Withdrawn)
	}
	return revision.NewAnswer(s.At(rev), *f), nil
}
