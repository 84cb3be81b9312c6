package table

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/tenant"
)

// state is what the store has at a revision. It is not changed.
type state struct {
	at      store.Revision
	head    store.Revision // at which the numbers' record was changed last; 0: there is none
	numbers *numbers
	lost    error // why the numbers' record cannot be read; nil: it can
	rows    map[string]*row
	// tenants are those in force; conflicts says of other rows whose records can be read why they are not.
	tenants   *tenant.Tenants
	conflicts map[string]string
}

// row is the record of a tenant. It is not changed.
type row struct {
	name   string
	mod    store.Revision
	record *record // nil: it cannot be read
	wrong  string  // why
}

func emptyState() *state {
	return &state{numbers: new(numbers).clone(), rows: make(map[string]*row), tenants: tenant.New()}
}

// after returns the state at a revision, after pairs were put and deleted.
func (s *state) after(at store.Revision, events []store.Event) *state {
	next := &state{at: at, head: s.head, numbers: s.numbers, lost: s.lost, rows: maps.Clone(s.rows)}
	for _, e := range events {
		name, isRow := strings.CutPrefix(string(e.Pair.Key), prefix)
		switch {
		case isRow && e.Deleted:
			delete(next.rows, name)
		case isRow:
			next.rows[name] = newRow(name, &e.Pair, s.rows[name])
		case string(e.Pair.Key) == numbersKey:
			next.setNumbers(&e)
		}
	}
	next.settle()
	return next
}

// newRow reads a pair; was is the row of its name before, or nil.
func newRow(name string, p *store.Pair, was *row) *row {
	if was != nil && was.mod == p.Mod {
		return was
	}
	r := &row{name: name, mod: p.Mod}
	record, err := decodeRecord(name, p.Value)
	if err != nil {
		r.wrong = fmt.Sprintf("the record of tenant %q in the store cannot be read: %v", rest.Truncate(name), err)
		return r
	}
	r.record = record
	return r
}

func (s *state) setNumbers(e *store.Event) {
	s.head, s.lost, s.numbers = e.Pair.Mod, nil, new(numbers).clone()
	if e.Deleted {
		s.head = 0
		return
	}
	if n, err := decodeNumbers(e.Pair.Value); err != nil {
		s.lost = fmt.Errorf("the record of tenants' numbers in the store cannot be read: %w", err)
	} else {
		s.numbers = n.clone()
	}
}

// settle decides which tenants are in force: of two that contradict each other the one with the lower number.
func (s *state) settle() {
	s.tenants, s.conflicts = tenant.New(), make(map[string]string)
	for _, r := range slices.SortedFunc(maps.Values(s.rows), compareRows) {
		if r.record == nil {
			continue
		}
		if err := s.tenants.Put(*r.record.def); err != nil {
			s.conflicts[r.name] = "it contradicts another tenant: " + err.Error()
		}
	}
}

// compareRows orders rows by number, those without one last.
func compareRows(a, b *row) int {
	number := func(r *row) int {
		if r.record == nil {
			return 1 << 16
		}
		return int(r.record.Number)
	}
	return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a.name, b.name))
}

// problem says why a tenant is not in force; "": it is.
func (s *state) problem(r *row) string {
	if r.record == nil {
		return r.wrong
	}
	return s.conflicts[r.name]
}

// problems are those of all tenants, by name; that of the numbers' record has the name "".
func (s *state) problems() map[string]string {
	all := make(map[string]string)
	for name, r := range s.rows {
		if why := s.problem(r); why != "" {
			all[name] = why
		}
	}
	if s.lost != nil {
		all[""] = s.lost.Error()
	}
	return all
}

// sameInForce reports whether the same definitions are in force in two states.
func (s *state) sameInForce(other *state) bool {
	a, b := s.tenants.All(), other.tenants.All()
	return slices.EqualFunc(a, b, func(x, y *tenant.Definition) bool {
		return x.Name == y.Name && s.rows[x.Name] == other.rows[y.Name]
	})
}

// item is a tenant as the API shows it.
func (s *state) item(r *row) *client.Tenant {
	item := &client.Tenant{Problem: s.problem(r)}
	if r.record == nil {
		item.Name, item.Number, item.Ports = r.name, s.numbers.Taken[r.name], []string{}
		return item
	}
	created := r.record.Created
	item.TenantDefinition, item.ETag = Format(r.record.def), r.record.etag()
	item.Created, item.By = &created, r.record.By
	return item
}

// refusesChanges reports whether a newer version may have written the numbers' record, which then is to be left as it is.
func (s *state) refusesChanges() bool { return errors.Is(s.lost, errNewer) }
