package api

import (
	"context"
	"encoding/hex"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
)

// Paging are the parameters that all lists take. (Exported, as the others, because huma reads
// embedded structs only then.)
type Paging struct {
	revision.Freshness
	Limit    int    `query:"limit" default:"1000" minimum:"1" maximum:"100000" doc:"Most rows of one page."`
	Continue string `query:"continue" maxLength:"64" doc:"What the page before gave as continue. A list is kept 60 s, then it is 410."`
}

// reader reads the view for answers: at a revision, and lists page by page.
type reader struct {
	*revision.Clock
	pages pages
}

// list reads one page. Query says what else was asked for, so that a token of one list is not taken
// for another's. Rows is read once, for the first page; item makes the JSON of one row.
func list[R, T any](ctx context.Context, rd *reader, in Paging, query string,
	rows func(*netview.Snapshot) iter.Seq[R], item func(*netview.Snapshot, R) T) (*revision.Page[T], error) {
	limit := min(in.Limit, rd.pages.limits.PageRows)
	if in.Continue != "" {
		return resume(rd, in.Continue, limit, query, item)
	}
	snap, err := rd.Fresh(ctx, in.Freshness)
	if err != nil {
		return nil, err
	}
	var all []R
	for r := range rows(snap) {
		all = append(all, r)
	}
	kept := &keptList{query: query, snapshot: snap, rows: all, n: len(all)}
	if len(all) > limit {
		kept = rd.pages.keep(*kept)
	}
	return pageOf(rd, kept, 0, limit, item), nil
}

func resume[R, T any](rd *reader, token string, limit int, query string,
	item func(*netview.Snapshot, R) T) (*revision.Page[T], error) {
	id, from, ok := parseToken(token)
	if !ok {
		return nil, rest.Refuse(http.StatusBadRequest,
			"continue=%q is not a token of a list: give what the page before gave, or leave it out", rest.Truncate(token))
	}
	kept := rd.pages.find(id)
	if kept == nil {
		return nil, rest.Refuse(http.StatusGone,
			"the list of this continue token is not kept any more (%s, and the newest %d lists): begin again without continue",
			rd.pages.limits.KeepFor, rd.pages.limits.KeptLists)
	}
	if _, same := kept.rows.([]R); !same || kept.query != query || from > kept.n {
		return nil, rest.Refuse(http.StatusBadRequest,
			"the continue token is of another list: give it to the route, and with the filters, that it came from")
	}
	return pageOf(rd, kept, from, limit, item), nil
}

func pageOf[R, T any](rd *reader, l *keptList, from, limit int, item func(*netview.Snapshot, R) T) *revision.Page[T] {
	rows := l.rows.([]R)
	to := min(from+limit, len(rows))
	p := &revision.Page[T]{Body: client.Page[T]{
		Items:    make([]T, 0, to-from),
		Revision: rd.Of(l.snapshot),
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

type listInput struct{ Paging }

// findSwitch returns the switch of an id as a request gave it.
func (r *reader) findSwitch(ctx context.Context, id string, f revision.Freshness) (*netview.Snapshot, *netview.Switch, error) {
	dpid, err := client.ParseDPID(id)
	if err != nil {
		return nil, nil, rest.Refuse(http.StatusBadRequest, "%v", err)
	}
	snap, err := r.Fresh(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	sw, ok := snap.Switch(netview.DPID(dpid))
	if !ok {
		return nil, nil, rest.Refuse(http.StatusNotFound, "no switch %016x is known: /v1/switches lists those that are", dpid)
	}
	return snap, sw, nil
}
