package tokens

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/store"
)

// Config is what a table needs.
type Config struct {
	Store store.Store
	// Files are the tokens of the data directory: they are listed, and their names taken.
	Files []rest.Token
	// Tenants are those that tokens of role tenant are bound to. nil: they are not known, and such a token is taken as its
	// record says.
	Tenants Tenants
	// Answer is how long a change waits for the store; 0: as long as rest.DefaultLimits say.
	Answer time.Duration
	// Unreadable is told why the store's record of a token cannot be read, and with "" that this is
	// over. It must not block. It may be nil.
	Unreadable func(name, why string)
	Now        func() time.Time // nil: time.Now
}

// Tenants tells one tenant from a later one of the same name.
type Tenants interface {
	// Identity returns the id of a tenant, which no later one of its name has; "" where there is none of that name. It may be
	// that it is not known.
	Identity(name string) (id string, known bool)
}

// Table is the table of tokens, as the store has it. It is safe for concurrent use.
type Table struct {
	cfg    Config
	valid  atomic.Pointer[map[[sha256.Size]byte]*token] // by hash: replaced whole; those whose time is over too
	sooner chan struct{}                                // holds one value when a token may end sooner than all before

	mu     sync.Mutex
	byName map[string]*token
	// removed are the revisions at which tokens were removed, until the store's changes up to there
	// have been heard: what it tells of before is old.
	removed map[string]store.Revision
}

// token is one in the table. But for used and grant it does not change.
type token struct {
	name    string
	mod     store.Revision // of the record
	record  *record        // nil: it cannot be read
	problem string         // why
	grant   *rest.Grant    // nil where the record cannot be read
	used    atomic.Int64   // minutes since 1970; 0: not since the start
}

// New makes a table that has nothing yet.
func New(cfg Config) *Table {
	cfg.Answer = cmp.Or(cfg.Answer, rest.DefaultLimits.StoreAnswer)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Unreadable == nil {
		cfg.Unreadable = func(string, string) {}
	}
	t := &Table{cfg: cfg, sooner: make(chan struct{}, 1), byName: make(map[string]*token),
		removed: make(map[string]store.Revision)}
	t.valid.Store(new(map[[sha256.Size]byte]*token))
	return t
}

// Use implements rest.Issued.
func (t *Table) Use(hash [sha256.Size]byte) *rest.Grant {
	k := (*t.valid.Load())[hash]
	if k == nil {
		return nil
	}
	now := t.cfg.Now()
	if no := t.unbound(k); no != "" {
		over := rest.NewGrant(k.name, k.record.role)
		over.End(no)
		return over
	}
	k.expire(now)
	if minute := now.Unix() / 60; k.used.Load() != minute && k.grant.Ended() == nil {
		k.used.Store(minute)
	}
	return k.grant
}

// unbound says why a token of a tenant is not taken: the tenant that it was made for is not there; "" if it is.
func (t *Table) unbound(k *token) string {
	if k.record == nil || k.record.role != rest.RoleTenant || t.cfg.Tenants == nil {
		return ""
	}
	r := k.record
	switch id, known := t.cfg.Tenants.Identity(r.Tenant); {
	case !known:
		return fmt.Sprintf("token %q is that of tenant %s, whose record cannot be read (alarm tenant)", k.name, r.Tenant)
	case id != r.TenantID:
		return fmt.Sprintf("token %q is that of a tenant %s that was deleted: ask for another (weir token add)", k.name, r.Tenant)
	}
	return ""
}

// Knows implements rest.Issued.
func (t *Table) Knows(hash [sha256.Size]byte) bool { return (*t.valid.Load())[hash] != nil }

// expire ends it if its time is over.
func (k *token) expire(now time.Time) {
	if k.record.Expires != nil && !now.Before(*k.record.Expires) && k.grant.Ended() == nil {
		k.grant.End(fmt.Sprintf("token %q was valid until %s: ask for another (weir token add)", k.name,
			k.record.Expires.UTC().Format(time.RFC3339)))
	}
}

// revoke ends it.
func (k *token) revoke() {
	if k.grant != nil {
		k.grant.End(fmt.Sprintf("token %q was revoked: ask for another (weir token add)", k.name))
	}
}

// Expire ends the tokens whose time is over, and returns when the next one's is; zero: there is none.
func (t *Table) Expire(now time.Time) (next time.Time) {
	for _, k := range *t.valid.Load() {
		if at := k.record.Expires; at != nil && k.grant.Ended() == nil {
			if k.expire(now); now.Before(*at) && (next.IsZero() || at.Before(next)) {
				next = *at
			}
		}
	}
	return next
}

// List lists all tokens, those of files first, and then by name.
func (t *Table) List() []client.Token {
	t.mu.Lock()
	all := make([]*token, 0, len(t.byName))
	for _, k := range t.byName {
		all = append(all, k)
	}
	t.mu.Unlock()
	slices.SortFunc(all, func(a, b *token) int { return strings.Compare(a.name, b.name) })
	items := make([]client.Token, 0, len(t.cfg.Files)+len(all))
	for _, f := range t.cfg.Files {
		items = append(items, client.Token{Name: nameOf(f), Role: f.Role.String(), From: "file", File: f.File, State: "valid"})
	}
	now := t.cfg.Now()
	for _, k := range all {
		item := k.item(now)
		if no := t.unbound(k); no != "" && item.State == "valid" {
			item.State, item.Note = "revoked", no
		}
		items = append(items, item)
	}
	return items
}

// nameOf returns the name of a file's token, as the audit log has it.
func nameOf(f rest.Token) string { return cmp.Or(f.Name, f.Role.String()) }

func (k *token) item(now time.Time) client.Token {
	item := client.Token{Name: k.name, Role: "-", From: "store", State: "unreadable", Note: k.problem}
	if k.record == nil {
		return item
	}
	k.expire(now)
	r := k.record
	item.Role, item.Tenant, item.State, item.By, item.Expires = r.Role, r.Tenant, "valid", r.By, r.Expires
	item.Created = &r.Created
	if m := k.used.Load(); m != 0 {
		at := time.Unix(60*m, 0).UTC()
		item.Used = &at
	}
	if no := k.grant.Ended(); no != nil {
		item.State, item.Note = "revoked", no.Detail
		if r.Expires != nil && !now.Before(*r.Expires) {
			item.State, item.Note = "expired", ""
		}
	}
	return item
}

// change is what the store has of a name now.
type change struct {
	name  string
	value []byte // nil: nothing
	mod   store.Revision
}

// apply takes changes in, each unless a newer one of the name is there. Tokens that are gone or
// replaced are over when it returns.
func (t *Table) apply(changes []change) {
	var gone, come []*token
	t.mu.Lock()
	for _, c := range changes {
		was := t.byName[c.name]
		if was != nil && was.mod >= c.mod || t.removed[c.name] >= c.mod {
			continue
		}
		if was != nil {
			gone = append(gone, was)
		}
		if c.value == nil {
			delete(t.byName, c.name)
			t.removed[c.name] = c.mod
			continue
		}
		k := newToken(c)
		t.byName[c.name] = k
		come = append(come, k)
	}
	t.publish()
	t.mu.Unlock()
	for _, k := range gone {
		k.revoke()
		if k.record == nil {
			t.cfg.Unreadable(k.name, "")
		}
	}
	for _, k := range come {
		if k.record == nil {
			t.cfg.Unreadable(k.name, k.problem)
		}
	}
	if len(come) > 0 {
		select {
		case t.sooner <- struct{}{}:
		default:
		}
	}
}

func newToken(c change) *token {
	k := &token{name: c.name, mod: c.mod}
	r, err := decode(c.name, c.value)
	if err != nil {
		k.problem = fmt.Sprintf("the record of token %q in the store cannot be read: %v", rest.Truncate(c.name), err)
		return k
	}
	k.record, k.grant = r, rest.NewGrant(c.name, r.role)
	k.grant.Tenant = r.Tenant
	return k
}

// publish has requests see what there is. t.mu is held.
func (t *Table) publish() {
	valid := make(map[[sha256.Size]byte]*token, len(t.byName))
	for _, k := range t.byName {
		if k.record != nil {
			valid[k.record.hash] = k
		}
	}
	t.valid.Store(&valid)
}

// heard notes that all changes of the store up to a revision have been applied.
func (t *Table) heard(upto store.Revision) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, at := range t.removed {
		if at <= upto {
			delete(t.removed, name)
		}
	}
}
