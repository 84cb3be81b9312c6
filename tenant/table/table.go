package table

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/tenant"
)

// Config is what a table needs.
type Config struct {
	Store store.Store
	// Answer is how long a change waits for the store; 0: as long as rest.DefaultLimits say.
	Answer time.Duration
	// Unreadable is told why a tenant that the store has is not in force, and with "" that this is over. The name "" is that
	// of the record of all numbers. It must not block. It may be nil.
	Unreadable func(name, why string)
	Now        func() time.Time // nil: time.Now
}

// Table is the table of tenants, as the store has it. It is safe for concurrent use.
type Table struct {
	cfg      Config
	onChange []func(*tenant.Tenants)
	current  atomic.Pointer[state]
	turn     chan struct{} // holds one value while nobody changes anything in the store

	mu        sync.Mutex
	loaded    bool
	notices   []notice // not yet delivered
	notifying bool     // somebody delivers them
}

// notice is what is to be told of a change.
type notice struct {
	tenants  *tenant.Tenants   // nil: those in force are the same
	problems map[string]string // of names: that are new, or "" if they are over
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
	t := &Table{cfg: cfg, turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	t.current.Store(emptyState())
	return t
}

// OnChange has a function told what is in force: first what Load found, then what is after each change, in order, one call at
// a time. What it is given nobody changes any more. It must not block, nor change the table. OnChange is for before Load.
func (t *Table) OnChange(changed func(*tenant.Tenants)) { t.onChange = append(t.onChange, changed) }

// Snapshot returns the tenants in force. It is not changed any more, by nobody.
func (t *Table) Snapshot() *tenant.Tenants { return t.current.Load().tenants }

// Revision returns the store's revision that Snapshot is of, or a later one at which it is the same.
func (t *Table) Revision() store.Revision { return t.current.Load().at }

// List lists all tenants by name, those that are not in force too.
func (t *Table) List() []client.Tenant {
	s := t.current.Load()
	items := make([]client.Tenant, 0, len(s.rows))
	for _, name := range slices.Sorted(maps.Keys(s.rows)) {
		items = append(items, *s.item(s.rows[name]))
	}
	return items
}

// Get returns a tenant; nil: there is none of that name.
func (t *Table) Get(name string) *client.Tenant {
	s := t.current.Load()
	if r := s.rows[name]; r != nil {
		return s.item(r)
	}
	return nil
}

// Identity returns the id of a tenant, which no later one of its name has; "" where there is none of that name. Where the
// record cannot be read it is not known.
func (t *Table) Identity(name string) (id string, known bool) {
	r := t.current.Load().rows[name]
	switch {
	case r == nil:
		return "", true
	case r.record == nil:
		return "", false
	}
	return r.record.ID, true
}

// advance takes a later state in, which next makes of the one before; nil: there is nothing new.
func (t *Table) advance(next func(*state) *state) {
	t.mu.Lock()
	was := t.current.Load()
	s := next(was)
	if s == nil {
		t.mu.Unlock()
		return
	}
	t.current.Store(s)
	n := notice{problems: make(map[string]string)}
	if !t.loaded || !s.sameInForce(was) {
		n.tenants = s.tenants
	}
	t.loaded = true
	before, now := was.problems(), s.problems()
	for name := range before {
		if now[name] == "" {
			n.problems[name] = ""
		}
	}
	for name, why := range now {
		if before[name] != why {
			n.problems[name] = why
		}
	}
	t.notices = append(t.notices, n)
	t.mu.Unlock()
	t.notify()
}

// notify delivers notices, unless somebody does.
func (t *Table) notify() {
	for {
		t.mu.Lock()
		if t.notifying || len(t.notices) == 0 {
			t.mu.Unlock()
			return
		}
		n := t.notices[0]
		t.notices, t.notifying = t.notices[1:], true
		t.mu.Unlock()
		for _, name := range slices.SortedFunc(maps.Keys(n.problems), strings.Compare) {
			t.cfg.Unreadable(name, n.problems[name])
		}
		for _, changed := range t.onChange {
			if n.tenants != nil {
				changed(n.tenants)
			}
		}
		t.mu.Lock()
		t.notifying = false
		t.mu.Unlock()
	}
}
