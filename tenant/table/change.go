package table

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/tenant"
)

// Put makes the tenant of a name, or gives it another definition, and says what changed; with Options.DryRun, what would.
// Errors are *tenant.Error, *rest.Refusal, or the store's.
func (t *Table) Put(q client.TenantDefinition, o client.TenantOptions, by rest.Actor) (*client.TenantChange, error) {
	def, err := Parse(&q)
	if err != nil {
		return nil, err
	}
	random := make([]byte, idBytes)
	rand.Read(random) // the system's source does not fail
	id := hex.EncodeToString(random)
	created := t.cfg.Now().UTC().Truncate(time.Second)
	return t.change(def.Name, o.DryRun, func(s *state) (*change, error) { return s.put(def, o, id, created, by.Name) },
		func(s *state, c *change) bool {
			r := s.rows[def.Name]
			return r != nil && r.record != nil && r.record.ID == c.record.ID && r.record.etag() == c.record.etag()
		})
}

// Delete deletes a tenant, and says what changed; with Options.DryRun, what would. Errors are *rest.Refusal, or the store's.
func (t *Table) Delete(name string, o client.TenantOptions) (*client.TenantChange, error) {
	return t.change(name, o.DryRun, func(s *state) (*change, error) { return s.delete(name, o) },
		func(s *state, _ *change) bool { return s.rows[name] == nil })
}

// change is a change of the state that it was made from.
type change struct {
	base    *state
	record  *record // nil: it is deleted
	numbers *numbers
	tenants *tenant.Tenants // in force afterwards; nil: that is to be found out
	answer  *client.TenantChange
}

// change makes a change of the newest state, and makes it again if that was not the store's. Done reports whether a state
// has what a change with an unknown outcome was to do.
func (t *Table) change(name string, dryRun bool, plan func(*state) (*change, error),
	done func(*state, *change) bool) (*client.TenantChange, error) {
	ctx, cancel := context.WithTimeout(context.Background(), t.cfg.Answer)
	defer cancel()
	select {
	case <-t.turn:
		defer func() { t.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, rest.Refuse(http.StatusServiceUnavailable, "nothing was changed: other changes of tenants wait for the store").
			After(time.Second)
	}
	var tried *change
	for {
		s := t.current.Load()
		if tried != nil && done(s, tried) {
			return tried.answer, nil
		}
		c, err := plan(s)
		if err != nil {
			return nil, err
		}
		if c.answer.DryRun = dryRun; dryRun || c.numbers == nil {
			return c.answer, nil
		}
		r, err := t.write(ctx, name, c)
		switch {
		case err == nil && r.Succeeded:
			t.advance(func(was *state) *state { return was.changed(c, name, r.Revision) })
			return c.answer, nil
		case errors.Is(err, store.ErrUnknown):
			if tried == nil {
				tried = c
			}
		case err != nil && tried == nil:
			return nil, fmt.Errorf("nothing was changed: %w", err)
		}
		_, again := t.load(ctx)
		switch {
		case again == nil:
		case tried == nil:
			return nil, fmt.Errorf("nothing was changed: %w", again)
		default:
			return nil, &rest.Refusal{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Unknown: true,
				Detail: "the outcome is unknown: the store has not said whether the change of tenant " + name + " was kept; " +
					"GET /v1/tenants/" + name + " shows it if it was"}
		}
	}
}

// write writes a change into the store, if it has what the change was made from.
func (t *Table) write(ctx context.Context, name string, c *change) (store.Result, error) {
	list, err := encode(numbersHead, c.numbers)
	if err != nil {
		return store.Result{}, err
	}
	txn := store.Txn{If: []store.Compare{store.Unchanged([]byte(numbersKey), c.base.head)},
		Then: []store.Op{store.Put([]byte(numbersKey), list), store.Delete(store.Key(prefix + name))}}
	if c.record != nil {
		value, err := c.record.encode()
		if err != nil {
			return store.Result{}, err
		}
		txn.Then[1] = store.Put([]byte(prefix+name), value)
	}
	return t.cfg.Store.Txn(ctx, txn)
}

// changed is the state after a change that was written at a revision; nil: it has that already.
func (s *state) changed(c *change, name string, at store.Revision) *state {
	if s.at >= at {
		return nil
	}
	next := &state{at: at, head: at, numbers: c.numbers, rows: maps.Clone(s.rows), tenants: c.tenants}
	delete(next.rows, name)
	if c.record != nil {
		next.rows[name] = &row{name: name, mod: at, record: c.record}
	}
	if s != c.base || next.tenants == nil {
		next.settle()
	}
	return next
}

// begin is a change of a name that nothing speaks against so far.
func (s *state) begin(name string, o client.TenantOptions) (*change, error) {
	r := s.rows[name]
	switch {
	case s.refusesChanges():
		return nil, rest.Refuse(http.StatusConflict, "no tenant can be changed: %v", s.lost)
	case o.New && r != nil:
		return nil, rest.Refuse(http.StatusPreconditionFailed, "there is a tenant %s already, and a new one was asked for", name)
	case o.IfMatch == "":
	case r == nil || r.record == nil:
		return nil, rest.Refuse(http.StatusPreconditionFailed, "etag %q was given, and there is no tenant %q in force",
			rest.Truncate(o.IfMatch), rest.Truncate(name))
	case o.IfMatch != "*" && o.IfMatch != r.record.etag():
		return nil, rest.Refuse(http.StatusPreconditionFailed, "etag %q was given, and that of tenant %s is %q: it was changed; "+
			"look at it again", rest.Truncate(o.IfMatch), name, r.record.etag())
	}
	c := &change{base: s, answer: &client.TenantChange{Changes: []client.FieldChange{}}, numbers: s.numbers.clone()}
	c.numbers.adopt(s.rows)
	return c, nil
}

// put is the change by which a tenant has a definition, as far as it has not. New ones get the id.
func (s *state) put(def *tenant.Definition, o client.TenantOptions, id string, created time.Time, by string) (*change, error) {
	c, err := s.begin(def.Name, o)
	if err != nil {
		return nil, err
	}
	c.record = &record{ID: id, Created: created, By: by}
	was := s.rows[def.Name]
	var before client.TenantDefinition
	if was != nil {
		if was.record == nil {
			return nil, rest.Refuse(http.StatusConflict, "%s: delete it first (weir tenant rm %s)", was.wrong, def.Name)
		}
		*c.record, before = *was.record, was.record.TenantDefinition
	}
	wanted := *def
	wanted.ID = c.record.ID
	if wanted.Number, err = c.numbers.assign(def.Name, def.Number); err != nil {
		return nil, err
	}
	inForce := s.tenants.Clone()
	if err := inForce.Put(wanted); err != nil {
		return nil, err
	}
	if len(s.conflicts) == 0 {
		c.tenants = inForce
	}
	c.record.def = inForce.Get(def.Name)
	c.record.TenantDefinition = Format(c.record.def)
	c.answer.Changes = differences(&before, &c.record.TenantDefinition)
	value, err := c.record.encode()
	switch {
	case err != nil:
		return nil, err
	case len(value) > maxRecord:
		return nil, &tenant.Error{Field: "definition", Given: fmt.Sprintf("%d bytes", len(value)), Want: fmt.Sprintf(
			"at most %d: whole switches instead of their ports, or fewer regions", maxRecord)}
	case was != nil && len(c.answer.Changes) == 0 && s.conflicts[def.Name] == "":
		c.numbers = nil
	}
	c.answer.Tenant = new(state).item(&row{name: def.Name, record: c.record})
	return c, nil
}

// delete is the change by which there is no tenant of a name.
func (s *state) delete(name string, o client.TenantOptions) (*change, error) {
	r := s.rows[name]
	if r == nil {
		return nil, notFound(name)
	}
	c, err := s.begin(name, o)
	if err != nil {
		return nil, err
	}
	c.numbers.free(name)
	if r.record == nil {
		c.answer.Changes = []client.FieldChange{{Path: "record", Old: "unreadable"}}
		return c, nil
	}
	c.answer.Changes = differences(&r.record.TenantDefinition, &client.TenantDefinition{})
	if len(s.conflicts) == 0 {
		c.tenants = s.tenants.Clone()
		c.tenants.Delete(name)
	}
	return c, nil
}

// notFound refuses what is asked of a tenant that is not there.
func notFound(name string) *rest.Refusal {
	return rest.Refuse(http.StatusNotFound, "there is no tenant %q: /v1/tenants lists those that are (weir tenant list)",
		rest.Truncate(name))
}

// differences are those between two definitions of a tenant.
func differences(a, b *client.TenantDefinition) []client.FieldChange {
	changes := []client.FieldChange{}
	if x, y := limits(a.Limits), limits(b.Limits); x != y {
		changes = append(changes, client.FieldChange{Path: "limits", Old: x, New: y})
	}
	if x, y := number(a.Number), number(b.Number); x != y {
		changes = append(changes, client.FieldChange{Path: "number", Old: x, New: y})
	}
	if a.Reactive != b.Reactive {
		changes = append(changes, client.FieldChange{Path: "reactive", Old: strconv.FormatBool(a.Reactive),
			New: strconv.FormatBool(b.Reactive)})
	}
	for _, part := range []struct {
		path string
		a, b []string
	}{{"ports", a.Ports, b.Ports}, {"space", regions(a.Space), regions(b.Space)}, {"controllers", a.Controllers, b.Controllers}} {
		n := len(changes)
		in := func(list []string) map[string]bool {
			set := make(map[string]bool, len(list))
			for _, text := range list {
				set[text] = true
			}
			return set
		}
		had, has := in(part.a), in(part.b)
		for _, text := range part.a {
			if !has[text] {
				changes = append(changes, client.FieldChange{Path: part.path, Old: text})
			}
		}
		for _, text := range part.b {
			if !had[text] {
				changes = append(changes, client.FieldChange{Path: part.path, New: text})
			}
		}
		if n == len(changes) && !slices.Equal(part.a, part.b) {
			changes = append(changes, client.FieldChange{Path: part.path, Old: strings.Join(part.a, ","),
				New: strings.Join(part.b, ",")})
		}
	}
	return changes
}

// limits writes limits; empty without any.
func limits(l *client.TenantLimits) string {
	if l == nil {
		return ""
	}
	var list []string
	for _, of := range l.All() {
		if *of.Value != 0 {
			list = append(list, fmt.Sprintf("%s=%d", of.Name, *of.Value))
		}
	}
	return strings.Join(list, " ")
}

func number(n uint16) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// regions are regions in text, as weir tenant add takes them.
func regions(list []client.TenantRegion) []string {
	texts := make([]string, len(list))
	for i, r := range list {
		texts[i] = r.String()
	}
	return texts
}
