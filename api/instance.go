package api

import (
	"html/template"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/netview"
)

var indexPage = template.Must(template.New("front").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Weir</title></head>
<body>
<h1>Weir {{.Version}}</h1>
<p>{{.Switches}} switches, {{.Links}} links (one for each direction), {{.Hosts}} hosts.</p>
<ul>
{{range .Routes}}<li>{{if .Plain}}<a href="{{.Path}}">{{.Path}}</a>{{else}}{{.Path}}{{end}}</li>
{{end}}</ul>
</body></html>
`))

// instance are the routes that tell of the instance itself.
type instance struct {
	stack    *rest.Stack
	view     *netview.View
	version  string
	gatherer prometheus.Gatherer // nil: what the interface measures of itself
	ready    func() error
}

func (s *instance) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/metrics", ID: "metrics", Handler: rest.Plain(s.metrics()), Instance: true,
			Content: "text/plain", Summary: "What the instance measures, for Prometheus"},
		{Method: "GET", Path: "/", ID: "front", Handler: rest.Plain(s.front), Instance: true, Content: "text/html",
			Summary: "A plain page with links"},
		{Method: "GET", Path: "/readyz", ID: "readyz", Handler: rest.Plain(rest.Probe(s.ready)), Public: true, Instance: true,
			Content: "text/plain", Summary: "200 while the instance is fit to serve; needs no token"},
	}
}

// metrics shows what the instance measures, or, without one, what the interface itself does.
func (s *instance) metrics() http.HandlerFunc {
	g := s.gatherer
	if g == nil {
		g = s.stack.Metrics()
	}
	return promhttp.HandlerFor(g, promhttp.HandlerOpts{MaxRequestsInFlight: 8}).ServeHTTP
}

// front answers the plain page.
func (s *instance) front(w http.ResponseWriter, _ *http.Request) {
	type link struct {
		Path  string
		Plain bool // nothing to fill in
	}
	var links []link
	for _, r := range s.stack.Routes() {
		if r.Path != "/" {
			links = append(links, link{r.Path, !strings.Contains(r.Path, "{")})
		}
	}
	counts := s.view.Snapshot().Counts()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	indexPage.Execute(w, map[string]any{"Version": s.version, "Routes": links,
		"Switches": counts.Switches, "Links": counts.Links, "Hosts": counts.Hosts})
}
