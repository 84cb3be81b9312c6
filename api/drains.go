package api

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/netview"
)

// drains are the routes that read and change what is drained.
type drains struct {
	*reader
	set Drains // nil: there are none
}

func (s *drains) routes() []rest.Route {
	has, lacking := s.set != nil, rest.Refuse(http.StatusNotFound, "drains are disabled on this instance")
	const draining = "Answered when it is on the disk: it survives a restart. Paths leave it, and nothing new goes there; " +
		"the list says what still passes. The state is draining until nothing passes that could pass elsewhere; " +
		"then it is drained, or bound where pairs still pass that have no other path."
	return []rest.Route{
		{Method: "GET", Path: drainPath, ID: "drains", Handler: rest.Provided(has, lacking, s.all),
			Summary: "What is drained, and what still passes there"},
		{Method: "POST", Path: drainPath, ID: "drain", Handler: rest.Provided(has, lacking, s.add),
			Summary: "Take a switch, port or link out of use without loss", Description: draining},
		{Method: "PUT", Path: drainPath, ID: "put-drain", Handler: rest.Provided(has, lacking, s.add),
			Summary: "Take a switch, port or link out of use without loss", Description: draining},
		{Method: "DELETE", Path: drainPath, ID: "undrain",
			Handler: rest.Provided(has, lacking, s.remove), Status: http.StatusNoContent,
			Summary: "Take a switch, port or link into use again"},
	}
}

// Drained names what is to be drained.
type Drained struct {
	Kind   string `json:"kind" enum:"switch,port,link"`
	Object string `json:"object" maxLength:"1024" doc:"A switch by datapath id or name; a port as SWITCH/PORT, by number or name; a link as SWITCH/PORT->SWITCH/PORT, which means both directions."`
}

type drainInput struct{ Body Drained }

type undrainInput struct {
	Kind   string `query:"kind" required:"true" enum:"switch,port,link" doc:"What it is."`
	Object string `query:"object" required:"true" maxLength:"1024" doc:"As it was drained, or as the list shows it."`
}

func (s *drains) all(ctx context.Context, in *listInput) (*revision.Page[client.Drain], error) {
	rows := func(*netview.Snapshot) iter.Seq[client.Drain] { return slices.Values(s.set.List()) }
	return list(ctx, s.reader, in.Paging, "drains", rows, withName)
}

func (s *drains) add(ctx context.Context, in *drainInput) (*revision.Answer[client.Drain], error) {
	snap := s.View.Snapshot()
	kind := config.DrainKind(in.Body.Kind)
	object, err := resolveDrain(snap, kind, in.Body.Object)
	if err != nil {
		return nil, err
	}
	c := rest.ChangeOf(ctx)
	c.Object, c.Detail = in.Body.Kind+" "+object, "drained"
	d, rev, err := s.set.Add(kind, object, c.By)
	if err != nil {
		return nil, changeError(err)
	}
	return revision.NewAnswer(s.At(rev), withName(snap, d)), nil
}

func (s *drains) remove(ctx context.Context, in *undrainInput) (*revision.NoContent, error) {
	kind := config.DrainKind(in.Kind)
	object, wrong := resolveDrain(s.View.Snapshot(), kind, in.Object)
	if wrong != nil { // it may be gone from the network
		object = canonicalDrain(kind, in.Object)
	}
	c := rest.ChangeOf(ctx)
	c.Object, c.Detail = in.Kind+" "+object, "undrained"
	was, rev, err := s.set.Remove(kind, object)
	switch {
	case err != nil:
		return nil, changeError(err)
	case !was && wrong != nil:
		return nil, wrong
	case !was:
		return nil, rest.Refuse(http.StatusNotFound, "%s %s is not drained: %s lists what is", in.Kind, object, drainPath)
	}
	return &revision.NoContent{Revision: s.At(rev)}, nil
}

// resolveDrain returns the canonical form of what was named.
func resolveDrain(snap *netview.Snapshot, kind config.DrainKind, object string) (string, error) {
	switch kind {
	case config.DrainSwitch:
		sw, err := resolveSwitch(snap, object)
		if err != nil {
			return "", err
		}
		return sw.DPID.String(), nil
	case config.DrainPort:
		p, err := resolvePoint(snap, object)
		return config.FormatPoint(p), err
	}
	ref, err := resolveLink(snap, object)
	return ref.String(), err
}

// canonicalDrain returns the canonical form of what is named by ids and not in the network now;
// empty if it is named otherwise.
func canonicalDrain(kind config.DrainKind, object string) string {
	ends, err := config.Drain{Kind: kind, Object: object}.Ends()
	if err != nil {
		return ""
	}
	if kind == config.DrainSwitch {
		return ends[0].DPID.String()
	}
	names := make([]string, len(ends))
	for i, p := range ends {
		names[i] = config.FormatPoint(p)
	}
	return strings.Join(names, "<->")
}

// withName adds what people call the object, and that it is on a switch that is not connected.
func withName(snap *netview.Snapshot, d client.Drain) client.Drain {
	ends, err := config.Drain{Kind: config.DrainKind(d.Kind), Object: d.Object}.Ends()
	if err != nil {
		return d
	}
	var names, away []string
	for _, p := range ends {
		names = append(names, endName(snap, p))
		if sw, ok := snap.Switch(p.DPID); !ok || !sw.Connected {
			away = append(away, "switch "+p.DPID.String()+" is not connected")
		}
	}
	d.Name = strings.Join(names, "<->")
	if len(away) > 0 {
		d.Note = strings.Join(slices.Compact(away), ", ") + ": what its flow entries still pass is not known"
	}
	return d
}

// endName returns what people call an end of a drain; empty for a switch without a name.
func endName(snap *netview.Snapshot, p netview.Point) string {
	sw, ok := snap.Switch(p.DPID)
	switch {
	case p.Port == 0 && ok:
		return sw.Name
	case p.Port == 0:
		return ""
	case !ok || sw.Name == "":
		return config.FormatPoint(p)
	}
	port, _ := sw.Port(p.Port)
	return sw.Name + "/" + cmp.Or(port.Label, port.Name, fmt.Sprint(p.Port))
}
