package api

import "net/http"

// gate decides who may come in.
type gate struct {
	open  bool // everybody may do everything
	keys  keyring
	hosts hosts
}

func newGate(a Access) gate {
	return gate{open: a.Open, keys: newKeyring(a.Tokens), hosts: newHosts(a)}
}

// check is nil where a request is addressed to us, comes from no page of another site, and may use
// a route that needs the role; else it says what was wrong, in a word ("host", "origin", "token")
// and as an answer.
func (g *gate) check(r *http.Request, needs Role, by *Actor) (string, *refusal) {
	if err := g.hosts.check(r.Host); err != nil {
		return "host", &refusal{status: http.StatusForbidden, detail: err.Error()}
	}
	if err := checkOrigin(r.Header.Get("Origin"), r.Host, r.TLS != nil); err != nil {
		return "origin", &refusal{status: http.StatusForbidden, detail: err.Error()}
	}
	return "token", g.authorize(r, needs, by)
}
