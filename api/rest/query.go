package rest

import (
	"net/http"
	"net/url"
	"strings"
)

// malformedQuery refuses parameters that would be passed over: those that cannot be decoded, and
// all but the first of a name. A misspelt dry_run must not be done in earnest. /metrics takes names
// several times, as Prometheus has it.
func malformedQuery(r *http.Request, route *Route) *Refusal {
	if r.URL.RawQuery == "" {
		return nil
	}
	given, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return Refuse(http.StatusBadRequest,
			"query: %s: want NAME=VALUE, with & between them, and %%XX for other characters", Truncate(err.Error()))
	}
	if !strings.HasPrefix(r.URL.Path, "/v1/") {
		return nil
	}
	for name, values := range given {
		if len(values) > 1 && !route.repeatable[name] {
			return Refuse(http.StatusUnprocessableEntity, "query: %q was given %d times: want it once", Truncate(name),
				len(values))
		}
	}
	return nil
}
