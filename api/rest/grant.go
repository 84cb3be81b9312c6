package rest

import (
	"context"
	"crypto/sha256"
	"net/http"
)

// Issued are tokens that come and go while a stack serves. It is called from many goroutines at a
// time and does not block.
type Issued interface {
	// Use returns what the token with this SHA-256 allows, for a request that is made with it; nil
	// if there is none. It may be over.
	Use(hash [sha256.Size]byte) *Grant
	// Knows reports whether there is a token with this SHA-256.
	Knows(hash [sha256.Size]byte) bool
}

// Grant is what an issued token allows, until it is over.
type Grant struct {
	Name   string
	Role   Role
	Tenant string // of RoleTenant: whose

	over context.Context
	end  context.CancelCauseFunc
}

// NewGrant returns a grant that is not over.
func NewGrant(name string, role Role) *Grant {
	g := &Grant{Name: name, Role: role}
	g.over, g.end = context.WithCancelCause(context.Background())
	return g
}

// End ends the grant, and the streams of requests that were made with it. Why is shown to who made them.
// Only the first call counts.
func (g *Grant) End(why string) {
	g.end(&Refusal{Status: http.StatusUnauthorized, reason: "token", Detail: why})
}

// Ended is the refusal of what is asked for with a grant that is over; nil before.
func (g *Grant) Ended() *Refusal { return EndOfToken(g.over) }

// Until returns a context that ends with ctx, and with the token that the request was made with. Then
// EndOfToken is why, and ended is called with it, on a goroutine of its own. done waits for that.
func (a Actor) Until(ctx context.Context, ended func(*Refusal)) (until context.Context, done func()) {
	if a.grant == nil {
		return ctx, func() {}
	}
	ctx, end := context.WithCancelCause(ctx)
	called := make(chan struct{})
	stop := context.AfterFunc(a.grant.over, func() {
		defer close(called)
		end(context.Cause(a.grant.over))
		ended(a.grant.Ended())
	})
	return ctx, func() {
		if !stop() {
			<-called
		}
		end(nil)
	}
}

// EndOfToken is why a context of Until ended, if its token is over; else nil.
func EndOfToken(ctx context.Context) *Refusal {
	no, _ := context.Cause(ctx).(*Refusal)
	return no
}
