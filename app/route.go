package app

import (
	"context"
	"net/http"
	"strings"

	"github.com/weirnet/weir/api/rest"
)

// Route is a route of an application. It needs the same token as other routes: viewer to read, operator
// for anything else, which is in the audit log too.
type Route struct {
	method, path, summary string
	bind                  func(*Host) rest.Handler
}

// Get is a route that answers with a value, as JSON. Answer is called as all else of the application is.
// Path is what follows /v1/apps/NAME: empty, or such as "/largest".
func Get[O any](path, summary string, answer func() O) Route {
	type in struct{}
	type out struct{ Body O }
	return Handle(http.MethodGet, path, summary, func(*in) (*out, error) { return &out{answer()}, nil })
}

// Handle is a route of any method. What comes is read into an I (fields with the tags path, query or
// header, and Body), and the answer is an O (with Body), as package huma maps them. An error of Refuse
// has its status.
func Handle[I, O any](method, path, summary string, do func(*I) (*O, error)) Route {
	return Route{method, path, summary, func(h *Host) rest.Handler {
		return rest.Typed(func(ctx context.Context, in *I) (*O, error) {
			var out *O
			var err error
			if failed := h.do(ctx, func() { out, err = do(in) }); failed != nil { // out and err are the application's still
				return nil, Refuse(http.StatusServiceUnavailable, "%v", failed)
			}
			return out, err
		})
	}}
}

// Refuse is an error of a route with an HTTP status and a text for people.
func Refuse(status int, format string, args ...any) error {
	return rest.Refuse(status, format, args...)
}

// AddRoutes adds the application's routes. One that cannot be added, since it is there already, ends the
// application.
func (h *Host) AddRoutes(add func([]rest.Route)) {
	defer h.contain()
	add(h.Routes())
}

// Routes are the application's routes.
func (h *Host) Routes() []rest.Route {
	var list []rest.Route
	for _, r := range h.routes {
		of := strings.NewReplacer("/", "-", "{", "", "}", "").Replace(r.path)
		list = append(list, rest.Route{Method: r.method, Path: "/v1/apps/" + h.spec.Name + r.path, Summary: r.summary,
			ID: "app-" + h.spec.Name + "-" + strings.ToLower(r.method) + of, Handler: r.bind(h)})
	}
	return list
}
