package tokens

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/store"
)

const (
	// maxTokens is how many tokens there may be in the store, about: requests at the same time are
	// not counted.
	maxTokens = 4096
	// keepExpired is how long a token is listed after its time is over; the next creation removes it.
	keepExpired = 30 * 24 * time.Hour
	maxSwept    = 64 // so removed by one creation
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// reserved are names by which the audit log calls others than tokens of the store.
var reserved = []string{"none", "viewer", "operator", "admin", "anybody", "start", "signal", "switch"}

// Add makes a token, which is valid when it returns. Errors are *rest.Refusal, or the store's.
func (t *Table) Add(q client.TokenRequest, by rest.Actor) (made *client.NewToken, err error) {
	now := t.cfg.Now().UTC()
	random := make([]byte, 32+4)
	rand.Read(random) // the system's source does not fail
	if q.Name == "" {
		q.Name = q.Role + "-" + hex.EncodeToString(random[32:])
	}
	if no := t.refuse(&q, now); no != nil {
		return nil, no
	}
	secret := rest.IssuedPrefix + base64.RawURLEncoding.EncodeToString(random[:32])
	hash := sha256.Sum256([]byte(secret))
	r := &record{Name: q.Name, Role: q.Role, Hash: hex.EncodeToString(hash[:]), Created: now.Truncate(time.Second), By: by.Name}
	if q.Expires != nil {
		at := q.Expires.UTC()
		r.Expires = &at
	}
	if q.Role == rest.RoleTenant.String() {
		r.Tenant = q.Tenant
		if r.TenantID, err = t.tenantID(q.Tenant); err != nil {
			return nil, err
		}
	}
	value, err := r.encode()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.cfg.Answer)
	defer cancel()
	c, err := t.put(ctx, q.Name, value)
	if err != nil {
		return nil, err
	}
	t.apply([]change{*c})
	t.sweep(ctx, now)
	return &client.NewToken{Token: newToken(*c).item(now), Value: secret}, nil
}

// tenantID returns the id of a tenant that a token is to be made for. The error is a *rest.Refusal.
func (t *Table) tenantID(name string) (string, error) {
	if t.cfg.Tenants == nil {
		return "", rest.Refuse(http.StatusConflict, "this instance has no tenants")
	}
	switch id, known := t.cfg.Tenants.Identity(name); {
	case !known:
		return "", rest.Refuse(http.StatusConflict, "the record of tenant %q cannot be read (alarm tenant)", rest.Truncate(name))
	case id == "":
		return "", rest.Refuse(http.StatusUnprocessableEntity, "tenant %q was given, and there is none of that name: "+
			"/v1/tenants lists those that are (weir tenant list)", rest.Truncate(name))
	default:
		return id, nil
	}
}

// refuse refuses what cannot be made.
func (t *Table) refuse(q *client.TokenRequest, now time.Time) *rest.Refusal {
	switch {
	case !nameForm.MatchString(q.Name):
		return rest.Refuse(http.StatusUnprocessableEntity, "name %q was given: want up to 64 letters, digits, dots, hyphens and "+
			"underscores, beginning with a letter or digit, such as ci-2", rest.Truncate(q.Name))
	case roleOf(q.Role) == rest.RoleNone:
		return rest.Refuse(http.StatusUnprocessableEntity, "role %q was given: want viewer, operator, admin or tenant",
			rest.Truncate(q.Role))
	case (q.Role == rest.RoleTenant.String()) != (q.Tenant != ""):
		return rest.Refuse(http.StatusUnprocessableEntity, "role %s with tenant %q was given: want the name of a tenant with role "+
			"tenant, and none with another", q.Role, rest.Truncate(q.Tenant))
	case q.Expires != nil && !q.Expires.After(now):
		return rest.Refuse(http.StatusUnprocessableEntity, "expires %s was given, and it is %s: want a time to come",
			q.Expires.UTC().Format(time.RFC3339), now.Format(time.RFC3339))
	case t.file(q.Name) != nil || slices.Contains(reserved, q.Name):
		return rest.Refuse(http.StatusConflict, "name %q was given, which in the audit log means a token of a file of "+
			"the data directory, or what no request did: choose another", q.Name)
	}
	t.mu.Lock()
	n, there := len(t.byName), t.byName[q.Name] != nil
	t.mu.Unlock()
	switch {
	case there:
		return exists(q.Name)
	case n >= maxTokens:
		return rest.Refuse(http.StatusConflict, "%d tokens are there, and no more are allowed: delete those that nobody needs "+
			"(weir token list, weir token rm)", n)
	}
	return nil
}

func exists(name string) *rest.Refusal {
	return rest.Refuse(http.StatusConflict, "there is a token %q already: choose another name, or delete it first "+
		"(weir token rm %s)", name, name)
}

// file returns the file's token of a name; nil: there is none.
func (t *Table) file(name string) *rest.Token {
	for i := range t.cfg.Files {
		if f := &t.cfg.Files[i]; nameOf(*f) == name {
			return f
		}
	}
	return nil
}

// put writes a new record.
func (t *Table) put(ctx context.Context, name string, value []byte) (*change, error) {
	key := []byte(prefix + name)
	txn := store.Txn{If: []store.Compare{store.Absent(key)}, Then: []store.Op{store.Put(key, value)},
		Else: []store.Op{store.Get(store.Span{From: key})}}
	for unknown := false; ; {
		r, err := t.cfg.Store.Txn(ctx, txn)
		unknown = unknown || errors.Is(err, store.ErrUnknown) // of this try or of one before
		switch {
		case errors.Is(err, store.ErrUnknown) && ctx.Err() == nil:
			continue // if it was done, the next try finds the record
		case err != nil && unknown:
			return nil, &rest.Refusal{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Unknown: true,
				Detail: "the outcome is unknown: the store has not said whether the token was kept; if GET /v1/tokens " +
					"shows it, delete it and make another"}
		case err != nil:
			return nil, fmt.Errorf("no token was made: %w", err)
		case r.Succeeded:
			return &change{name, value, r.Revision}, nil
		}
		if was := r.Results[0].Pairs; len(was) == 1 && bytes.Equal(was[0].Value, value) {
			return &change{name, value, was[0].Mod}, nil
		}
		return nil, exists(name)
	}
}

// sweep removes records of tokens that ended long ago, and of tenants that were deleted. Where it fails the next one does it.
func (t *Table) sweep(ctx context.Context, now time.Time) {
	var txn store.Txn
	var gone []change
	deleted := t.ofDeleted()
	t.mu.Lock()
	for name, k := range t.byName {
		expired := k.record != nil && k.record.Expires != nil && now.Sub(*k.record.Expires) > keepExpired
		if (expired || deleted[k]) && len(gone) < maxSwept {
			txn.If = append(txn.If, store.Unchanged([]byte(prefix+name), k.mod))
			txn.Then = append(txn.Then, store.Delete(store.Key(prefix+name)))
			gone = append(gone, change{name: name})
		}
	}
	t.mu.Unlock()
	if len(gone) == 0 {
		return
	}
	r, err := t.cfg.Store.Txn(ctx, txn)
	if err != nil || !r.Succeeded {
		return
	}
	for i := range gone {
		gone[i].mod = r.Revision
	}
	t.apply(gone)
}

// ofDeleted are the tokens of tenants that were deleted.
func (t *Table) ofDeleted() map[*token]bool {
	t.mu.Lock()
	var bound []*token
	for _, k := range t.byName {
		if k.record != nil && k.record.role == rest.RoleTenant {
			bound = append(bound, k)
		}
	}
	t.mu.Unlock()
	deleted := make(map[*token]bool)
	for _, k := range bound {
		if t.cfg.Tenants == nil {
			break
		}
		id, known := t.cfg.Tenants.Identity(k.record.Tenant)
		deleted[k] = known && id != k.record.TenantID
	}
	return deleted
}

// Remove revokes a token. Errors are *rest.Refusal; of those of status 500 and more the token is over
// here, and may be valid again after a restart.
func (t *Table) Remove(name string) error {
	if f := t.file(name); f != nil {
		return rest.Refuse(http.StatusConflict, "token %q is that of the file %s in the data directory, so that the way in "+
			"cannot be lost, and no request revokes it: to replace it, stop the instance, delete the file, and start it again",
			name, f.File)
	}
	t.mu.Lock()
	k := t.byName[name]
	t.mu.Unlock()
	if k == nil {
		return notFound(name)
	}
	k.revoke() // at once, whatever the store says
	at, err := t.remove(name, k.mod)
	if err != nil {
		return err
	}
	t.apply([]change{{name: name, mod: at}})
	return nil
}

// notFound refuses what is asked of a token that is not there.
func notFound(name string) *rest.Refusal {
	return rest.Refuse(http.StatusNotFound, "there is no token %q: /v1/tokens lists those that are (weir token list)",
		rest.Truncate(name))
}

// remove removes the record of a name, which was last changed at a revision as far as is known, and
// returns a revision at which there was none. What is done late of a try whose outcome was unknown does
// not remove a newer record.
func (t *Table) remove(name string, mod store.Revision) (store.Revision, error) {
	ctx, cancel := context.WithTimeout(context.Background(), t.cfg.Answer)
	defer cancel()
	key := []byte(prefix + name)
	for unknown := false; ; {
		r, err := t.cfg.Store.Txn(ctx, store.Txn{If: []store.Compare{store.Unchanged(key, mod)},
			Then: []store.Op{store.Delete(store.Key(prefix + name))}, Else: []store.Op{store.Get(store.Span{From: key})}})
		unknown = unknown || errors.Is(err, store.ErrUnknown)
		switch {
		case err == nil && (r.Succeeded || len(r.Results[0].Pairs) == 0):
			return r.Revision, nil
		case err == nil:
			mod = r.Results[0].Pairs[0].Mod
			continue
		case errors.Is(err, store.ErrUnknown) && ctx.Err() == nil:
			continue
		}
		return 0, &rest.Refusal{Status: http.StatusServiceUnavailable, RetryAfter: time.Second,
			Unknown: unknown, Detail: "token " + name + " is not taken any more, but the store has not " +
				"kept that, and after a restart it may be valid again: delete it again (" + err.Error() + ")"}
	}
}
