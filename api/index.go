package api

import (
	"encoding/json"
	"html/template"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// plainRoutes are the routes that are no JSON of the view, as /openapi.json and the plain page
// describe them.
var plainRoutes = []struct{ path, id, summary, content string }{
	{backupPath, "backup", "What the store holds, as weir restore takes it; needs role admin", "application/octet-stream"},
	{"/metrics", "metrics", "What the instance measures, for Prometheus", "text/plain"},
	{"/openapi.json", "openapi", "This description, OpenAPI 3.1", "application/json"},
	{"/intents.proto", "intents-proto", "The protobuf form of streams of requests about intents", "text/plain"},
	{"/", "front", "A plain page with links", "text/html"},
	{"/healthz", "healthz", "200 while the instance lives; needs no token", "text/plain"},
	{"/readyz", "readyz", "200 while the instance is fit to serve; needs no token", "text/plain"},
}

// documentRest adds the routes that huma does not serve to the description.
func (s *Server) documentRest() {
	for _, p := range plainRoutes {
		op := &huma.Operation{OperationID: p.id, Method: http.MethodGet, Path: p.path, Summary: p.summary,
			Responses: map[string]*huma.Response{"200": {Description: p.summary,
				Content: map[string]*huma.MediaType{p.content: {}}}}}
		if strings.HasSuffix(p.path, "z") {
			op.Security = []map[string][]string{}
		}
		s.huma.OpenAPI().AddOperation(op)
	}
}

// document answers the description of all routes.
func (s *Server) document(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(s.huma.OpenAPI())
}

var indexPage = template.Must(template.New("front").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Weir</title></head>
<body>
<h1>Weir {{.Version}}</h1>
<p>{{.Switches}} switches, {{.Links}} links (one for each direction), {{.Hosts}} hosts.</p>
<ul>
{{range .Routes}}<li>{{if .Plain}}<a href="{{.Pattern}}">{{.Pattern}}</a>{{else}}{{.Pattern}}{{end}}</li>
{{end}}</ul>
</body></html>
`))

// index is the plain page.
func (s *Server) index(w http.ResponseWriter, _ *http.Request) {
	type link struct {
		Pattern string
		Plain   bool // nothing to fill in
	}
	var links []link
	for _, r := range s.router.routes {
		if r.Pattern != "/{$}" {
			links = append(links, link{r.Pattern, !strings.Contains(r.Pattern, "{")})
		}
	}
	counts := s.cfg.View.Snapshot().Counts()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	indexPage.Execute(w, map[string]any{"Version": s.cfg.Version, "Routes": links,
		"Switches": counts.Switches, "Links": counts.Links, "Hosts": counts.Hosts})
}
