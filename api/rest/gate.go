package rest

import "net/http"

// gate authenticates requests, and checks what they are addressed to.
type gate struct {
	open  bool // everybody may do everything
	keys  keyring
	names ownNames

	issued Issued // nil: there are none
}

func newGate(a Access) gate {
	return gate{open: a.Open, keys: newKeyring(a.Tokens), names: newOwnNames(a), issued: a.Issued}
}

// check returns nil where a request is addressed to us, comes from no page of another site, and may
// use a route that needs the role. It fills in who asks as far as that is known.
func (g *gate) check(r *http.Request, needs Role, by *Actor) *Refusal {
	if no := g.addressed(r); no != nil {
		return no
	}
	return g.authorize(r, needs, by)
}

// addressed returns nil where a request is addressed to us, and comes from no page of another site. Of one that another
// instance has forwarded that one has checked it.
func (g *gate) addressed(r *http.Request) *Refusal {
	if originOf(r) != nil {
		return nil
	}
	if err := g.names.check(r.Host); err != nil {
		return &Refusal{Status: http.StatusForbidden, reason: "host", Detail: err.Error()}
	}
	if err := checkOrigin(r.Header.Get("Origin"), r.Host, r.TLS != nil); err != nil {
		return &Refusal{Status: http.StatusForbidden, reason: "origin", Detail: err.Error()}
	}
	return nil
}
