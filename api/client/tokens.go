package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

const tokensPath = "/v1/tokens"

// Token is one of the tokens that an instance takes, without its value.
type Token struct {
	Name    string     `json:"name" doc:"In the audit log it is who asked."`
	Role    string     `json:"role" doc:"What it allows: viewer, operator, admin or tenant; - where that is not known."`
	Tenant  string     `json:"tenant,omitempty" doc:"Of role tenant: whose it is."`
	From    string     `json:"from" enum:"file,store" doc:"file: a file of the data directory holds it. store: it was made by a request, and one can revoke it."`
	File    string     `json:"file,omitempty" doc:"The file of the data directory."`
	State   string     `json:"state" enum:"valid,expired,revoked,unreadable" doc:"revoked: the store has not taken that yet, delete it again; or its tenant was deleted. unreadable: the store's record of it is damaged or of a newer version, and it is not taken."`
	Created *time.Time `json:"created,omitempty"`
	By      string     `json:"by,omitempty" doc:"Who made it."`
	Expires *time.Time `json:"expires,omitempty" doc:"From then on it is not taken; left out: it has no such time."`
	Used    *time.Time `json:"used,omitempty" doc:"When it was used last since the instance was started, to the minute. Of tokens of the store only."`
	Note    string     `json:"note,omitempty" doc:"Why the state is what it is."`
}

// TokenRequest asks for a token.
type TokenRequest struct {
	Name    string     `json:"name,omitempty" maxLength:"64" doc:"Up to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or digit. Left out: one is made."`
	Role    string     `json:"role" enum:"viewer,operator,admin,tenant" doc:"viewer reads; operator changes the network; admin may do all; tenant reads what is of one tenant."`
	Tenant  string     `json:"tenant,omitempty" maxLength:"64" doc:"Of role tenant: whose it is. When that tenant is deleted the token is not taken any more."`
	Expires *time.Time `json:"expires,omitempty" doc:"From when on it is not taken any more. Left out: it is valid until it is deleted."`
}

// NewToken is a token that was made, with its value, which nobody can ask for again.
type NewToken struct {
	Token
	Value string `json:"token" doc:"The token itself. The store has its SHA-256 only: it is shown this once."`
}

// Tokens lists all tokens of the instance. Needs role admin, as the methods below do.
func (c *Client) Tokens(ctx context.Context) (*Page[Token], error) {
	return list[Token](ctx, c, tokensPath)
}

// IssuedToken is the token of that name.
func (c *Client) IssuedToken(ctx context.Context, name string) (*Token, error) {
	return item[Token](ctx, c, tokensPath+"/"+url.PathEscape(name))
}

// AddToken makes a token.
func (c *Client) AddToken(ctx context.Context, q TokenRequest) (*NewToken, error) {
	return post[NewToken](ctx, c, http.MethodPost, tokensPath, q, CreateOptions{})
}

// RemoveToken revokes a token, which is over when this returns without an error.
func (c *Client) RemoveToken(ctx context.Context, name string) error {
	return c.remove(ctx, tokensPath+"/"+url.PathEscape(name), nil, nil)
}
