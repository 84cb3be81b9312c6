package api

import (
	"net/http"
	"net/url"
	"strings"
)

// malformedQuery refuses parameters that would be passed over: those that cannot be decoded, and
// all but the first of a name. A misspelt dry_run must not be done in earnest. /metrics takes names
// several times, as Prometheus has it.
func malformedQuery(r *http.Request, route *Route) *refusal {
	if r.URL.RawQuery == "" {
		return nil
	}
	given, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return refuse(http.StatusBadRequest,
			"query: %s: want NAME=VALUE, with & between them, and %%XX for other characters", truncate(err.Error()))
	}
	if !strings.HasPrefix(r.URL.Path, "/v1/") {
		return nil
	}
	for name, values := range given {
		if len(values) > 1 && !route.repeatable[name] {
			return refuse(http.StatusUnprocessableEntity, "query: %q was given %d times: want it once", truncate(name),
				len(values))
		}
	}
	return nil
}
