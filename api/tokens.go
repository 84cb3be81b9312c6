package api

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
)

// Tokens are the tokens that the instance takes. Errors are *rest.Refusal, or the store's.
type Tokens interface {
	List() []client.Token
	// Add makes a token, which is valid when it returns.
	Add(client.TokenRequest, rest.Actor) (*client.NewToken, error)
	// Remove revokes a token, which is over when it returns.
	Remove(name string) error
}

// tokens are the routes that list, make and revoke tokens.
type tokens struct {
	*reader
	table Tokens // nil: there is none
}

func (s *tokens) routes() []rest.Route {
	has, lacking := s.table != nil, rest.Refuse(http.StatusNotFound, "this instance has no table of tokens")
	return []rest.Route{
		{Method: "GET", Path: tokensPath, ID: "tokens", Role: rest.RoleAdmin, Handler: rest.Provided(has, lacking, s.all),
			Summary: "The tokens that the instance takes, without their values"},
		{Method: "POST", Path: tokensPath, ID: "add-token", Role: rest.RoleAdmin, Handler: rest.Provided(has, lacking, s.add),
			Status: http.StatusCreated, Summary: "Make a token",
			Description: "The answer has the token itself, and nothing has it afterwards. It is valid at once. A name that " +
				"is taken is a conflict (409)."},
		{Method: "GET", Path: tokensPath + "/{id}", ID: "token", Role: rest.RoleAdmin,
			Handler: rest.Provided(has, lacking, s.one), Summary: "One token, without its value"},
		{Method: "DELETE", Path: tokensPath + "/{id}", ID: "remove-token", Role: rest.RoleAdmin,
			Handler: rest.Provided(has, lacking, s.remove), Status: http.StatusNoContent, Summary: "Revoke a token",
			Description: "At once: event streams and streams of intents that were opened with it end, with a last event " +
				"or answer that says why. Tokens of files are refused (409), so that the way in cannot be lost."},
	}
}

type tokenInput struct {
	ID string `path:"id" maxLength:"64" doc:"The token's name."`
}

type addTokenInput struct{ Body client.TokenRequest }

type tokenAnswer struct{ Body client.Token }

type newTokenAnswer struct{ Body client.NewToken }

func (s *tokens) all(ctx context.Context, in *listInput) (*revision.Page[client.Token], error) {
	rows := func(*netview.Snapshot) iter.Seq[client.Token] { return slices.Values(s.table.List()) }
	return list(ctx, s.reader, in.Paging, "tokens", rows, func(_ *netview.Snapshot, t client.Token) client.Token { return t })
}

func (s *tokens) one(_ context.Context, in *tokenInput) (*tokenAnswer, error) {
	for _, t := range s.table.List() {
		if t.Name == in.ID {
			return &tokenAnswer{t}, nil
		}
	}
	return nil, rest.Refuse(http.StatusNotFound, "there is no token %q: %s lists those that are", rest.Truncate(in.ID),
		tokensPath)
}

func (s *tokens) add(ctx context.Context, in *addTokenInput) (*newTokenAnswer, error) {
	c := rest.ChangeOf(ctx)
	made, err := s.table.Add(in.Body, c.By)
	if err != nil {
		return nil, refusedOrStores(err)
	}
	c.Object, c.Detail = "token "+made.Name, "role "+made.Role
	if made.Tenant != "" {
		c.Detail += " of " + made.Tenant
	}
	if made.Expires != nil {
		c.Detail += ", until " + made.Expires.Format(time.RFC3339)
	}
	return &newTokenAnswer{*made}, nil
}

func (s *tokens) remove(ctx context.Context, in *tokenInput) (*struct{}, error) {
	c := rest.ChangeOf(ctx)
	c.Object, c.Detail = "token "+in.ID, "revoked"
	return nil, refusedOrStores(s.table.Remove(in.ID))
}

// refusedOrStores returns the answer to an error that is a *rest.Refusal, or the store's.
func refusedOrStores(err error) error {
	if no := new(rest.Refusal); err == nil || errors.As(err, &no) {
		return err
	}
	return storeProblem(err)
}

// describeTokens says in the description of the API that tokens can be made, too: the emulator's cannot.
func describeTokens(doc *huma.OpenAPI) {
	scheme := doc.Components.SecuritySchemes["token"]
	scheme.Description += " Or one that an admin has made: POST " + tokensPath + "."
}
