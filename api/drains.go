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
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/netview"
)

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

func (s *Server) drains(ctx context.Context, in *listInput) (*page[client.Drain], error) {
	rows := func(*netview.Snapshot) iter.Seq[client.Drain] { return slices.Values(s.cfg.Drains.List()) }
	return list(ctx, s, in.Paging, "drains", rows, withName)
}

func (s *Server) drain(ctx context.Context, in *drainInput) (*singleAnswer[client.Drain], error) {
	snap := s.cfg.View.Snapshot()
	kind := config.DrainKind(in.Body.Kind)
	object, err := resolveDrain(snap, kind, in.Body.Object)
	if err != nil {
		return nil, err
	}
	c := changeOf(ctx)
	c.object, c.detail = in.Body.Kind+" "+object, "drained"
	d, rev, err := s.cfg.Drains.Add(kind, object, c.by)
	if err != nil {
		return nil, changeError(err)
	}
	return &singleAnswer[client.Drain]{s.run.text(position{revision: rev}), withName(snap, d)}, nil
}

type noContent struct {
	Revision string `header:"Weir-Revision" doc:"The revision of the view that shows it. Opaque."`
}

func (s *Server) undrain(ctx context.Context, in *undrainInput) (*noContent, error) {
	kind := config.DrainKind(in.Kind)
	object, wrong := resolveDrain(s.cfg.View.Snapshot(), kind, in.Object)
	if wrong != nil { // it may be gone from the network
		object = canonicalDrain(kind, in.Object)
	}
	c := changeOf(ctx)
	c.object, c.detail = in.Kind+" "+object, "undrained"
	was, rev, err := s.cfg.Drains.Remove(kind, object)
	switch {
	case err != nil:
		return nil, changeError(err)
	case !was && wrong != nil:
		return nil, wrong
	case !was:
		return nil, refuse(http.StatusNotFound, "%s %s is not drained: %s lists what is", in.Kind, object, drainPath)
	}
	return &noContent{s.run.text(position{revision: rev})}, nil
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
