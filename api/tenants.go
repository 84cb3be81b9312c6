package api

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/tenant"
)

// Tenants are the definitions of tenants. Errors are *tenant.Error, *rest.Refusal, or the store's.
type Tenants interface {
	// List lists them by name, without State.
	List() []client.Tenant
	// Get returns one; nil: there is none of that name.
	Get(name string) *client.Tenant
	// Put makes a tenant, or changes it, and says what changed; with DryRun, what would.
	Put(client.TenantDefinition, client.TenantOptions, rest.Actor) (*client.TenantChange, error)
	// Delete deletes a tenant, and says what changed; with DryRun, what would.
	Delete(name string, o client.TenantOptions) (*client.TenantChange, error)
}

// TenantStates is what serves tenants.
type TenantStates interface {
	// State returns how a tenant is served; false: it is not.
	State(name string) (client.TenantState, bool)
}

// tenants are the routes that read and change tenants. A token of a tenant reads its own alone.
type tenants struct {
	*reader
	table  Tenants      // nil: there are none
	states TenantStates // nil: nothing serves them
}

// tenantBytes bounds a definition in a request.
const tenantBytes = 2 << 20

func (s *tenants) routes() []rest.Route {
	has, lacking := s.table != nil, rest.Refuse(http.StatusNotFound, "this instance has no tenants")
	const (
		own  = " With a token of role tenant: its own alone."
		when = " Answered when it is durable. With If-Match, only if the tenant has that etag (412)."
	)
	return []rest.Route{
		{Method: "GET", Path: tenantsPath, ID: "tenants", Role: rest.RoleTenant, Handler: rest.Provided(has, lacking, s.all),
			Summary: "The tenants, and how they are served", Description: "By name." + own},
		{Method: "GET", Path: tenantsPath + "/{id}", ID: "tenant", Role: rest.RoleTenant,
			Handler: rest.Provided(has, lacking, s.one), Summary: "One tenant, and how it is served",
			Description: "Its definition, and at each switch its connections and what it has there." + own},
		{Method: "PUT", Path: tenantsPath + "/{id}", ID: "put-tenant", Role: rest.RoleAdmin, DryRun: rest.RoleViewer,
			Handler: rest.Provided(has, lacking, s.put), BodyBytes: tenantBytes, Summary: "Make a tenant, or change it",
			Description: "The whole definition is given. It is refused (422) if anything is wrong with it or it contradicts another " +
				"tenant's: nothing has changed then. With If-None-Match: * it is made only if there is none of that name (412)." + when},
		{Method: "DELETE", Path: tenantsPath + "/{id}", ID: "delete-tenant", Role: rest.RoleAdmin, DryRun: rest.RoleViewer,
			Handler: rest.Provided(has, lacking, s.remove), Summary: "Delete a tenant",
			Description: "Its connections end, its rules are removed, and tokens of role tenant that are bound to it are not taken " +
				"any more: a later tenant of the same name does not inherit them." + when},
	}
}

type tenantInput struct {
	ID string `path:"id" maxLength:"64" doc:"The tenant's name."`
}

// TenantChangeParams are the parameters of a change of a tenant.
type TenantChangeParams struct {
	ID      string `path:"id" maxLength:"64" doc:"The tenant's name."`
	DryRun  bool   `query:"dry_run" doc:"Say what would change, and change nothing. Needs role viewer only."`
	IfMatch string `header:"If-Match" maxLength:"255" doc:"The etag that it must have; * any."`
}

type putTenantInput struct {
	TenantChangeParams
	IfNoneMatch string `header:"If-None-Match" maxLength:"8" doc:"*: only if there is no such tenant."`
	Body        client.TenantDefinition
}

type tenantAnswer struct {
	ETag string `header:"ETag" doc:"Of the definition; If-Match takes it."`
	Body client.Tenant
}

type tenantChangeAnswer struct {
	ETag string `header:"ETag" doc:"Of the definition; If-Match takes it."`
	Body client.TenantChange
}

func (s *tenants) all(ctx context.Context, in *listInput) (*revision.Page[client.Tenant], error) {
	query, rowsOf := "tenants", s.table.List
	if by := rest.ActorOf(ctx); by.Role == rest.RoleTenant {
		query += " " + by.Tenant // a page of it is no page of the list of all
		rowsOf = func() []client.Tenant {
			if t := s.table.Get(by.Tenant); t != nil {
				return []client.Tenant{*t}
			}
			return nil
		}
	}
	rows := func(*netview.Snapshot) iter.Seq[client.Tenant] { return slices.Values(rowsOf()) }
	return list(ctx, s.reader, in.Paging, query, rows, s.withState)
}

// withState adds how a tenant is served.
func (s *tenants) withState(_ *netview.Snapshot, t client.Tenant) client.Tenant {
	if s.states == nil || t.Problem != "" {
		return t
	}
	if state, ok := s.states.State(t.Name); ok {
		t.State = &state
	}
	return t
}

func (s *tenants) one(ctx context.Context, in *tenantInput) (*tenantAnswer, error) {
	if by := rest.ActorOf(ctx); by.Role == rest.RoleTenant && by.Tenant != in.ID {
		return nil, rest.Refuse(http.StatusForbidden, "a token of tenant %s was given, which reads that tenant alone: %s/%s",
			by.Tenant, tenantsPath, by.Tenant)
	}
	t := s.table.Get(in.ID)
	if t == nil {
		return nil, rest.Refuse(http.StatusNotFound, "there is no tenant %q: %s lists those that are", rest.Truncate(in.ID),
			tenantsPath)
	}
	return &tenantAnswer{quoted(t.ETag), s.withState(nil, *t)}, nil
}

func quoted(etag string) string {
	if etag == "" {
		return ""
	}
	return `"` + etag + `"`
}

func (s *tenants) put(ctx context.Context, in *putTenantInput) (*tenantChangeAnswer, error) {
	o := in.options()
	o.New = in.IfNoneMatch == "*"
	switch {
	case in.IfNoneMatch != "" && !o.New:
		return nil, rest.Refuse(http.StatusBadRequest, "If-None-Match: %q given, want *", rest.Truncate(in.IfNoneMatch))
	case in.Body.Name == "":
		in.Body.Name = in.ID
	case in.Body.Name != in.ID:
		return nil, rest.Refuse(http.StatusUnprocessableEntity, "name: %q given, want %q, as in the path, or none",
			rest.Truncate(in.Body.Name), rest.Truncate(in.ID))
	}
	made, err := s.table.Put(in.Body, o, rest.ChangeOf(ctx).By)
	return s.answer(ctx, in.ID, made, err)
}

func (s *tenants) remove(ctx context.Context, in *TenantChangeParams) (*tenantChangeAnswer, error) {
	made, err := s.table.Delete(in.ID, in.options())
	return s.answer(ctx, in.ID, made, err)
}

func (p *TenantChangeParams) options() client.TenantOptions {
	return client.TenantOptions{DryRun: p.DryRun, IfMatch: rest.ETag(p.IfMatch)}
}

// answer answers a change, and has the audit log say what it was.
func (s *tenants) answer(ctx context.Context, name string, made *client.TenantChange, err error) (*tenantChangeAnswer, error) {
	c := rest.ChangeOf(ctx)
	c.Object = "tenant " + name
	if err != nil {
		return nil, tenantError(err)
	}
	c.Detail = fieldChanges(made.Changes)
	a := &tenantChangeAnswer{Body: *made}
	if made.Tenant != nil {
		a.ETag = quoted(made.Tenant.ETag)
	}
	return a, nil
}

// fieldChanges are changes in one line.
func fieldChanges(list []client.FieldChange) string {
	if len(list) == 0 {
		return "no change"
	}
	parts := make([]string, 0, len(list))
	for _, f := range list {
		switch {
		case f.Old == "":
			parts = append(parts, fmt.Sprintf("%s: %s added", f.Path, f.New))
		case f.New == "":
			parts = append(parts, fmt.Sprintf("%s: %s removed", f.Path, f.Old))
		default:
			parts = append(parts, fmt.Sprintf("%s: %s to %s", f.Path, f.Old, f.New))
		}
	}
	return rest.CutDetail(strings.Join(parts, "; "))
}

// tenantError returns the answer to an error of Tenants.
func tenantError(err error) error {
	if no := new(rest.Refusal); errors.As(err, &no) {
		return err
	}
	if wrong := new(tenant.Error); errors.As(err, &wrong) {
		return rest.Refuse(http.StatusUnprocessableEntity, "%s", rest.CutDetail(wrong.Error()))
	}
	return storeProblem(err)
}
