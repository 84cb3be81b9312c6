package rest

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// Role is what a token allows. A higher role may do all that a lower one may.
type Role uint8

// The roles.
const (
	RoleNone     Role = iota // no valid token
	RoleTenant               // reads what is of one tenant
	RoleViewer               // reads
	RoleOperator             // changes the network, but not who may
	RoleAdmin                // all
)

// String returns "none", "tenant", "viewer", "operator" or "admin".
func (r Role) String() string { return [...]string{"none", "tenant", "viewer", "operator", "admin"}[r] }

// Token is a secret and what it allows.
type Token struct {
	Role   Role
	Secret string
	Name   string // in the audit log; empty: that of the role
	File   string // of the data directory, that holds it
}

// Access says who may call.
type Access struct {
	// Open lets everybody do everything (--auth=none). CheckExposure allows it on loopback only.
	Open bool
	// Tokens are bearer tokens that are valid as long as the stack serves.
	Tokens []Token
	// Issued are further ones, which come and go; nil: there are none.
	Issued Issued
	// Listen is the address that the server listens on, HOST:PORT; requests may name its host.
	Listen string
	// Names are further host names that requests may be addressed to, such as those of the
	// certificate.
	Names []string
}

// keyring knows tokens by their hashes, so that comparing takes the same time whatever was given.
type keyring []struct {
	role Role
	name string
	hash [sha256.Size]byte
}

func newKeyring(tokens []Token) keyring {
	ring := make(keyring, len(tokens))
	for i, t := range tokens {
		ring[i].role, ring[i].name, ring[i].hash = t.Role, t.Name, hashOf(t.Secret)
		if t.Name == "" {
			ring[i].name = t.Role.String()
		}
	}
	return ring
}

// role returns what the secret with this hash allows, and the token's name. Every token is compared, so that the
// time does not tell which one was close.
func (k keyring) role(hash [sha256.Size]byte) (role Role, name string) {
	for i := range k {
		if subtle.ConstantTimeCompare(hash[:], k[i].hash[:]) == 1 && k[i].role > role {
			role, name = k[i].role, k[i].name
		}
	}
	return role, name
}

// hashOf returns the hash by which a token is known.
func hashOf(secret string) [sha256.Size]byte {
	var room [64]byte // of most tokens: the check allocates nothing
	return sha256.Sum256(append(room[:0], secret...))
}

// bearer returns the token of a request: "Authorization: Bearer TOKEN".
func bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != ""
}

// authorize returns nil where the request's token may use a route that needs the role.
func (g *gate) authorize(r *http.Request, needs Role, by *Actor) *Refusal {
	if o := originOf(r); g.open && (o == nil || o.Open) { // what others ask for tokens of, this one does not open
		by.Name, by.Role = "anybody", RoleAdmin
		return nil
	}
	if needs == RoleNone {
		return nil
	}
	token, ok := bearer(r)
	if !ok {
		return &Refusal{Status: http.StatusUnauthorized, reason: "token",
			Detail: "no token: send \"Authorization: Bearer TOKEN\"; the token is in the file token of the data directory"}
	}
	hash := hashOf(token)
	by.Role, by.Name = g.keys.role(hash)
	if by.Role == RoleNone && g.issued != nil {
		if grant := g.issued.Use(hash); grant != nil {
			if no := grant.Ended(); no != nil {
				return no
			}
			by.Role, by.Name, by.Tenant, by.grant = grant.Role, grant.Name, grant.Tenant, grant
		}
	}
	switch {
	case by.Role == RoleNone:
		return &Refusal{Status: http.StatusUnauthorized, reason: "token",
			Detail: "the token given is not one of this instance, or was revoked: use the one in the file token of its " +
				"data directory, or ask for another (weir token add)"}
	case by.Role == RoleTenant && needs > RoleTenant:
		return &Refusal{Status: http.StatusForbidden, reason: "token",
			Detail: "a token of tenant " + by.Tenant + " was given, which reads /v1/tenants/" + by.Tenant +
				" and nothing else: this needs role " + needs.String()}
	case by.Role < needs:
		return &Refusal{Status: http.StatusForbidden, reason: "token",
			Detail: "a token of role " + by.Role.String() + " was given, and this needs role " + needs.String()}
	}
	return nil
}
