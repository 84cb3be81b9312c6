package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Route is one route: a method, a pattern of net/http's ServeMux, and the role that it needs
// (RoleNone: no token).
type Route struct {
	Method  string
	Pattern string // of the path: "/v1/switches/{dpid}"
	Needs   Role
}

// router keeps the routes and what they need. Reading needs a viewer and anything else an operator:
// that is decided here and not where a route is added, so that no route can be added without a
// role. A route may need more (require).
type router struct {
	mux    *http.ServeMux
	routes []Route
	needs  map[string]Role // by pattern of the mux: "GET /v1/links"
}

func newRouter() *router {
	return &router{mux: http.NewServeMux(), needs: make(map[string]Role)}
}

// HandleFunc adds a route that needs a token. Pattern is "METHOD PATH".
func (r *router) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	needs := RoleOperator
	if strings.HasPrefix(pattern, "GET ") {
		needs = RoleViewer
	}
	r.add(pattern, needs, h)
}

// public adds a route that needs no token.
func (r *router) public(pattern string, h func(http.ResponseWriter, *http.Request)) {
	r.add(pattern, RoleNone, h)
}

// require raises what a route needs.
func (r *router) require(pattern string, needs Role) {
	if r.needs[pattern] == RoleNone || needs < r.needs[pattern] {
		panic("api: a route cannot need less: " + pattern)
	}
	r.needs[pattern] = needs
	for i := range r.routes {
		if r.routes[i].Method+" "+r.routes[i].Pattern == pattern {
			r.routes[i].Needs = needs
		}
	}
}

func (r *router) add(pattern string, needs Role, h func(http.ResponseWriter, *http.Request)) {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		panic("api: pattern without a method: " + pattern)
	}
	r.mux.HandleFunc(pattern, h)
	r.needs[pattern] = needs
	r.routes = append(r.routes, Route{method, path, needs})
}

// ServeHTTP dispatches without any check: huma's adapter wants a whole mux. Server.ServeHTTP is the
// way in.
func (r *router) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.mux.ServeHTTP(w, req) }

// find is the pattern that a request goes to ("" if none) and the role that it needs. What does not
// exist needs a token too: strangers do not learn what does.
func (r *router) find(req *http.Request) (pattern string, needs Role) {
	_, pattern = r.mux.Handler(req)
	if needs, ok := r.needs[pattern]; ok {
		return pattern, needs
	}
	return "", RoleViewer
}

// missing says what is wrong with a request that no pattern takes.
func (r *router) missing(req *http.Request, h http.Header) *refusal {
	var allowed []string
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		other := *req
		other.Method = method
		if _, pattern := r.mux.Handler(&other); r.needs[pattern] != RoleNone {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return &refusal{status: http.StatusNotFound,
			detail: fmt.Sprintf("there is no %q: /openapi.json lists what there is", truncate(req.URL.Path))}
	}
	list := strings.Join(slices.Compact(allowed), ", ")
	h.Set("Allow", list)
	return &refusal{status: http.StatusMethodNotAllowed,
		detail: fmt.Sprintf("method %s was given, and %q takes %s", truncate(req.Method), truncate(req.URL.Path), list)}
}

// jsonRoutes is the router as huma sees it. Its answers are JSON whatever is asked for, so it is
// not shown the Accept header: huma v2.37.2 panics on some that are malformed
// (negotiation.SelectQValueFast, slice bounds).
type jsonRoutes struct{ *router }

// HandleFunc implements humago.Mux.
func (j jsonRoutes) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	j.router.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept")
		h(w, r)
	})
}
