package api

import (
	"context"
	"iter"
	"slices"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/render"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
)

// links is the route that reads links.
type links struct{ *reader }

func (s *links) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/v1/links", ID: "links", Handler: rest.Typed(s.all),
			Summary: "All links, an item for each direction"},
	}
}

func (s *links) all(ctx context.Context, in *listInput) (*revision.Page[client.Link], error) {
	return list(ctx, s.reader, in.Paging, "links", (*netview.Snapshot).Links, render.Link)
}

// apps is the route that reads the applications.
type apps struct {
	*reader
	get func() []client.App
}

func (s *apps) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/v1/apps", ID: "apps", Handler: rest.Typed(s.all), Summary: "The built-in applications"},
	}
}

func (s *apps) all(ctx context.Context, in *listInput) (*revision.Page[client.App], error) {
	return list(ctx, s.reader, in.Paging, "apps", withoutSnapshot(s.get), as[client.App])
}

// withoutSnapshot makes rows of a list that no snapshot has.
func withoutSnapshot[T any](get func() []T) func(*netview.Snapshot) iter.Seq[T] {
	return func(*netview.Snapshot) iter.Seq[T] { return slices.Values(get()) }
}

// as returns a row that is an item already.
func as[T any](_ *netview.Snapshot, v T) T { return v }
