package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/weirnet/weir/api/client"
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

func (s *Server) forgetSwitch(ctx context.Context, in *forgetSwitchInput) (*singleAnswer[client.Forgotten], error) {
	_, sw, err := s.findSwitch(ctx, in.DPID, Freshness{})
	if err != nil {
		return nil, err
	}
	if no := s.forgets(ctx, "switch "+sw.DPID.String()); no != nil {
		return nil, no
	}
	f, rev, err := s.cfg.Forgetter.Switch(ctx, sw.DPID, ForgetOptions(in.ForgetParams))
	return s.forgotten(ctx, f, rev, err)
}

func (s *Server) forgetHost(ctx context.Context, in *forgetHostInput) (*singleAnswer[client.Forgotten], error) {
	id, err := parseHostID(in.ID)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "%v", err)
	}
	if no := s.forgets(ctx, "host "+id.String()); no != nil {
		return nil, no
	}
	f, rev, err := s.cfg.Forgetter.Host(ctx, id, ForgetOptions(in.ForgetParams))
	return s.forgotten(ctx, f, rev, err)
}

func (s *Server) forgetVLANHost(ctx context.Context, in *forgetVLANHostInput) (*singleAnswer[client.Forgotten], error) {
	return s.forgetHost(ctx, &forgetHostInput{ID: in.ID + "/" + in.VLAN, ForgetParams: in.ForgetParams})
}

// forgets notes what is to be forgotten.
func (s *Server) forgets(ctx context.Context, object string) error {
	if s.cfg.Forgetter == nil {
		return refuse(http.StatusNotFound, "this instance forgets nothing on request")
	}
	c := changeOf(ctx)
	c.object, c.detail = object, "forgotten"
	return nil
}

// forgotten returns the answer.
func (s *Server) forgotten(ctx context.Context, f *client.Forgotten, rev netview.Revision,
	err error) (*singleAnswer[client.Forgotten], error) {
	c := changeOf(ctx)
	switch {
	case errors.Is(err, ErrNotThere):
		return nil, refuse(http.StatusNotFound, "no %s is known", c.object)
	case errors.Is(err, ErrNotKept):
		return nil, storeProblem(err)
	case err != nil: // ErrConnected
		return nil, refuse(http.StatusConflict, "%v", err)
	case f.Withdrawn > 0:
		c.detail = fmt.Sprintf("forgotten, and %d intents withdrawn", f.Withdrawn)
	}
	return &singleAnswer[client.Forgotten]{s.run.text(position{revision: rev}), *f}, nil
}
