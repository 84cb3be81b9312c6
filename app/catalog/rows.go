package catalog

import (
	"cmp"
	"slices"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
)

// Rows are the applications as the API has them, ordered by name.
func (a *Apps) Rows() (list []client.App) {
	for _, r := range a.list {
		row := client.App{Name: r.Name, Enabled: r.disabled == "", State: "running", Text: r.Text}
		switch why := r.failed.Load(); {
		case r.disabled != "":
			row.State = r.disabled
		case why != nil:
			row.State = "failed: " + *why
		case r.host != nil:
			row.State = r.host.State()
		}
		schema := r.schema()
		for _, f := range schema.Fields() {
			row.Settings = append(row.Settings, client.AppSetting{Path: f.Path, Values: f.Values, Default: f.Default,
				Restart: f.Restart, Text: f.Text})
		}
		list = append(list, row)
	}
	slices.SortFunc(list, func(a, b client.App) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Counts are the counters of applications that have some, by the names of their metrics.
func (a *Apps) Counts() map[string]func() map[string]uint64 {
	counts := map[string]func() map[string]uint64{}
	for _, r := range a.list {
		switch {
		case r.host != nil:
			counts["app_"+r.Name] = r.counts
		case r.counts != nil:
			counts[r.Name] = r.counts
		}
	}
	return counts
}

// AddRoutes adds what applications answer in the API.
func (a *Apps) AddRoutes(add func([]rest.Route)) {
	for _, r := range a.list {
		if r.host != nil {
			r.host.AddRoutes(add)
		}
	}
}
