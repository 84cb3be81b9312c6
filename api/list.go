package api

import (
	"context"
	"encoding/hex"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
)

// Freshness are the parameters by which a reader waits for what it knows to have happened.
type Freshness struct {
	AtLeast string `query:"at_least" maxLength:"64" doc:"Wait until the instance has seen this revision. 412 if that takes too long, or if it is of another run of the instance."`
}

// Paging are the parameters that all lists take. (Exported, as the others, because huma reads
// embedded structs only then.)
type Paging struct {
	Freshness
	Limit    int    `query:"limit" default:"1000" minimum:"1" maximum:"100000" doc:"Most rows of one page."`
	Continue string `query:"continue" maxLength:"64" doc:"What the page before gave as continue. A list is kept 60 s, then it is 410."`
}

// page is an answer of one page.
type page[T any] struct {
	Body client.Page[T]
}

// list reads one page. Query says what else was asked for, so that a token of one list is not taken
// for another's. Rows is read once, for the first page; item makes the JSON of one row.
func list[R, T any](ctx context.Context, s *Server, in Paging, query string,
	rows func(*netview.Snapshot) iter.Seq[R], item func(*netview.Snapshot, R) T) (*page[T], error) {
	limit := min(in.Limit, s.cfg.Limits.PageRows)
	if in.Continue != "" {
		return resume(s, in.Continue, limit, query, item)
	}
	snap, err := s.fresh(ctx, in.Freshness)
	if err != nil {
		return nil, err
	}
	var all []R
	for r := range rows(snap) {
		all = append(all, r)
	}
	kept := &keptList{query: query, snapshot: snap, rows: all, n: len(all)}
	if len(all) > limit {
		kept = s.pages.keep(*kept)
	}
	return pageOf(s, kept, 0, limit, item), nil
}

func resume[R, T any](s *Server, token string, limit int, query string, item func(*netview.Snapshot, R) T) (*page[T], error) {
	id, from, ok := parseToken(token)
	if !ok {
		return nil, refuse(http.StatusBadRequest,
			"continue=%q is not a token of a list: give what the page before gave, or leave it out", truncate(token))
	}
	kept := s.pages.find(id)
	if kept == nil {
		return nil, refuse(http.StatusGone,
			"the list of this continue token is not kept any more (%s, and the newest %d lists): begin again without continue",
			s.cfg.Limits.KeepFor, s.cfg.Limits.KeptLists)
	}
	if _, same := kept.rows.([]R); !same || kept.query != query || from > kept.n {
		return nil, refuse(http.StatusBadRequest,
			"the continue token is of another list: give it to the route, and with the filters, that it came from")
	}
	return pageOf(s, kept, from, limit, item), nil
}

func pageOf[R, T any](s *Server, l *keptList, from, limit int, item func(*netview.Snapshot, R) T) *page[T] {
	rows := l.rows.([]R)
	to := min(from+limit, len(rows))
	p := &page[T]{Body: client.Page[T]{
		Items:    make([]T, 0, to-from),
		Revision: s.run.text(position{revision: l.snapshot.Revision()}),
	}}
	for _, r := range rows[from:to] {
		p.Body.Items = append(p.Body.Items, item(l.snapshot, r))
	}
	if to < len(rows) {
		p.Body.Continue = l.id + "." + strconv.Itoa(to)
	}
	return p
}

// parseToken reads ID.ROW. An id is 32 hexadecimal digits.
func parseToken(token string) (id string, from int, ok bool) {
	id, row, ok := strings.Cut(token, ".")
	if raw, err := hex.DecodeString(id); !ok || err != nil || len(raw) != 16 {
		return "", 0, false
	}
	from, err := strconv.Atoi(row)
	return id, from, err == nil && from >= 0
}

// fresh returns the view as it is now, or, once it has got there, at the revision asked for or
// after it.
func (s *Server) fresh(ctx context.Context, in Freshness) (*netview.Snapshot, error) {
	if in.AtLeast == "" {
		return s.cfg.View.Snapshot(), nil
	}
	p, err := s.run.parse(in.AtLeast)
	switch {
	case err == errOtherRun:
		return nil, refuse(http.StatusPreconditionFailed, "at_least=%s is %v: read without it", truncate(in.AtLeast), err)
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "at_least: %v", err)
	case !s.await(ctx, p.revision):
		return nil, refuse(http.StatusPreconditionFailed, "revision %s was not seen within %s: try again", truncate(in.AtLeast),
			s.cfg.Limits.AtLeastWait)
	}
	return s.cfg.View.Snapshot(), nil
}

type listInput struct{ Paging }

func (s *Server) members(ctx context.Context, in *listInput) (*page[client.Member], error) {
	return list(ctx, s, in.Paging, "members", withoutSnapshot(s.cfg.Members), as[client.Member])
}

func (s *Server) apps(ctx context.Context, in *listInput) (*page[client.App], error) {
	return list(ctx, s, in.Paging, "apps", withoutSnapshot(s.cfg.Apps), as[client.App])
}

func (s *Server) switches(ctx context.Context, in *listInput) (*page[client.Switch], error) {
	return list(ctx, s, in.Paging, "switches", (*netview.Snapshot).Switches, switchItem)
}

func (s *Server) links(ctx context.Context, in *listInput) (*page[client.Link], error) {
	return list(ctx, s, in.Paging, "links", (*netview.Snapshot).Links, linkItem)
}

func (s *Server) allHosts(ctx context.Context, in *listInput) (*page[client.Host], error) {
	return list(ctx, s, in.Paging, "hosts", (*netview.Snapshot).Hosts, hostItem)
}

// withoutSnapshot makes rows of a list that no snapshot has.
func withoutSnapshot[T any](get func() []T) func(*netview.Snapshot) iter.Seq[T] {
	return func(*netview.Snapshot) iter.Seq[T] { return slices.Values(get()) }
}

// as returns a row that is an item already.
func as[T any](_ *netview.Snapshot, v T) T { return v }
