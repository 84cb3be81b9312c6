package rest

import (
	"net/http"
	"slices"
	"strings"
)

// router finds the route of a request.
type router struct {
	mux    *http.ServeMux
	routes []*Route          // in the order in which they were added
	of     map[string]*Route // by pattern
}

func newRouter() *router {
	return &router{mux: http.NewServeMux(), of: make(map[string]*Route)}
}

func (r *router) add(route *Route) {
	r.routes = append(r.routes, route)
	r.of[route.pattern()] = route
}

// find returns the route of a request, nil if there is none.
func (r *router) find(req *http.Request) *Route {
	_, pattern := r.mux.Handler(req)
	return r.of[pattern]
}

// missing says what is wrong with a request that has no route.
func (r *router) missing(req *http.Request, h http.Header) *Refusal {
	var allowed []string
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		other := *req
		other.Method = method
		if route := r.find(&other); route != nil && !route.Public {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return Refuse(http.StatusNotFound, "there is no %q: /openapi.json lists what there is", Truncate(req.URL.Path))
	}
	list := strings.Join(slices.Compact(allowed), ", ")
	h.Set("Allow", list)
	return Refuse(http.StatusMethodNotAllowed, "method %s was given, and %q takes %s", Truncate(req.Method),
		Truncate(req.URL.Path), list)
}

// jsonMux is a ServeMux as huma sees it. Answers are JSON whatever is asked for, so huma is not
// shown the Accept header: huma v2.37.2 panics on some that are malformed
// (negotiation.SelectQValueFast, slice bounds).
type jsonMux struct{ *http.ServeMux }

// HandleFunc implements humago.Mux.
func (j jsonMux) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	j.ServeMux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept")
		h(w, r)
	})
}
