package api

import (
	"html/template"
	"net/http"
	"strings"
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

// index answers the plain page.
func (s *Server) index(w http.ResponseWriter, _ *http.Request) {
	type link struct {
		Path  string
		Plain bool // nothing to fill in
	}
	var links []link
	for _, r := range s.router.routes {
		if r.Path != "/" {
			links = append(links, link{r.Path, !strings.Contains(r.Path, "{")})
		}
	}
	counts := s.cfg.View.Snapshot().Counts()
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	indexPage.Execute(w, map[string]any{"Version": s.cfg.Version, "Routes": links,
		"Switches": counts.Switches, "Links": counts.Links, "Hosts": counts.Hosts})
}
