package api

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/netview"
)

// alarms is the route that reads alarms.
type alarms struct {
	*reader
	instance string // whose they are
}

func (s *alarms) routes() []rest.Route {
	return []rest.Route{
		{Method: "GET", Path: "/v1/alarms", ID: "alarms", Handler: rest.Typed(s.all), Instance: true,
			Summary: "What an operator should know: active alarms, critical ones first"},
	}
}

type alarmsInput struct {
	Paging
	All bool `query:"all" doc:"Those that have ended too, after the active ones."`
}

func (s *alarms) all(ctx context.Context, in *alarmsInput) (*revision.Page[client.Alarm], error) {
	query := "alarms"
	if in.All {
		query += " all"
	}
	return list(ctx, s.reader, in.Paging, query,
		func(snap *netview.Snapshot) iter.Seq[*netview.Alarm] { return alarmRows(snap, in.All) },
		alarmItem(s.instance))
}

// urgency orders severities.
var urgency = map[netview.Severity]int{netview.SeverityCritical: 0, netview.SeverityMajor: 1, netview.SeverityWarning: 2}

// alarmRows yields the active alarms, the most urgent first and among those the newest, and then
// those that have ended.
func alarmRows(snap *netview.Snapshot, all bool) iter.Seq[*netview.Alarm] {
	var rows []*netview.Alarm
	for a := range snap.Alarms() {
		if a.Active || all {
			rows = append(rows, a)
		}
	}
	ended := func(a *netview.Alarm) int {
		if a.Active {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(rows, func(a, b *netview.Alarm) int {
		return cmp.Or(ended(a)-ended(b), urgency[a.Severity]-urgency[b.Severity], b.Since.Compare(a.Since))
	})
	return slices.Values(rows)
}

// alarmItem returns what makes the item of an alarm of an instance.
func alarmItem(instance string) func(*netview.Snapshot, *netview.Alarm) client.Alarm {
	return func(_ *netview.Snapshot, a *netview.Alarm) client.Alarm {
		item := client.Alarm{Instance: instance, Kind: string(a.Kind), Object: a.Object, Severity: string(a.Severity),
			Text: a.Text, Active: a.Active, Count: a.Count, Since: a.Since.UTC(), Last: a.Last.UTC()}
		if !a.Active {
			at := a.Cleared.UTC()
			item.Cleared = &at
		}
		return item
	}
}
