package render

import (
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/intent/spec"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset"
)

// Intent returns the JSON item of an intent.
func Intent(in *intent.Intent) client.Intent {
	s := &in.Spec
	item := client.Intent{Src: endsItem(s.Kind, s.Src), Dst: endsItem(s.Kind, s.Dst), Selector: Match(&s.Selector),
		State: in.State.String(), Code: in.Code.String(), Detail: in.Text, Retrying: in.Retrying,
		Since: in.Since.UTC(), ETag: in.ETag, Number: in.Number, Routes: routeItems(in.Rules)}
	for _, row := range schema.ContentValues {
		switch f := row.Field; row.Form {
		case schema.Text:
			*item.TextOf(f) = *s.TextOf(f)
		case schema.Enum:
			*item.TextOf(f) = row.Values[*s.EnumOf(f)]
		case schema.Number:
			*item.NumberOf(f) = *s.NumberOf(f)
		case schema.Flag:
			*item.FlagOf(f) = *s.FlagOf(f)
		}
	}
	for _, h := range s.Hops {
		item.Hops = append(item.Hops, client.IntentHop{DPID: h.DPID.String(), In: h.In, Out: h.Out})
	}
	return item
}

func endsItem(k spec.Kind, ends []spec.End) (item client.IntentEnds) {
	for i := range ends {
		if k == spec.HostToHost {
			item.Host = ends[i].Host.String()
		} else {
			item.Points = append(item.Points, Point(ends[i].Point))
		}
	}
	return item
}

func routeItems(p *ruleset.Set) []client.IntentRoute {
	if p == nil {
		return []client.IntentRoute{}
	}
	list := make([]client.IntentRoute, len(p.Legs))
	for i := range p.Legs {
		leg := &p.Legs[i]
		list[i] = client.IntentRoute{Match: Match(&openflow.Match{OXM: leg.Match}),
			Hops: make([]client.RouteHop, len(leg.Route.Hops))}
		for j, h := range leg.Route.Hops {
			list[i].Hops[j] = client.RouteHop{DPID: h.DPID.String(), In: h.In, Out: append([]uint32{}, h.Out()...)}
		}
	}
	return list
}

// Gone returns what is left to say of an intent that is no more.
func Gone(in *intent.Intent) client.Intent {
	return client.Intent{ID: in.Spec.ID, Number: in.Number, State: in.State.String(), Selector: client.Selector{},
		Routes: []client.IntentRoute{}}
}
