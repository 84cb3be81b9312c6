package api

import (
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
	switch kind {
	case config.DrainSwitch:
		if dpid, err := config.ParseDPID(object); err == nil {
			return dpid.String()
		}
	case config.DrainPort:
		if p, err := config.ParsePoint(object); err == nil {
			return config.FormatPoint(p)
		}
	case config.DrainLink:
		if ref, err := config.ParseLink(object); err == nil {
			return ref.Undirected().String()
		}
	}
	return ""
}

// withName adds what people call the object, and that it is on a switch that is not connected.
func withName(snap *netview.Snapshot, d client.Drain) client.Drain {
	named := func(p netview.Point) string {
		sw, ok := snap.Switch(p.DPID)
		if !ok || sw.Name == "" {
			return config.FormatPoint(p)
		}
		port, _ := sw.Port(p.Port)
		for _, name := range []string{port.Label, port.Name} {
			if name != "" {
				return sw.Name + "/" + name
			}
		}
		return fmt.Sprintf("%s/%d", sw.Name, p.Port)
	}
	var away []string
	at := func(dpid netview.DPID) {
		if sw, ok := snap.Switch(dpid); !ok || !sw.Connected {
			away = append(away, "switch "+dpid.String()+" is not connected")
		}
	}
	switch config.DrainKind(d.Kind) {
	case config.DrainSwitch:
		if dpid, err := config.ParseDPID(d.Object); err == nil {
			at(dpid)
			if sw, ok := snap.Switch(dpid); ok {
				d.Name = sw.Name
			}
		}
	case config.DrainPort:
		if p, err := config.ParsePoint(d.Object); err == nil {
			at(p.DPID)
			d.Name = named(p)
		}
	case config.DrainLink:
		if ref, err := config.ParseLink(d.Object); err == nil {
			at(ref.A.DPID)
			if ref.B.DPID != ref.A.DPID {
				at(ref.B.DPID)
			}
			d.Name = named(ref.A) + "<->" + named(ref.B)
		}
	}
	if d.Note = strings.Join(away, ", "); d.Note != "" {
		d.Note += ": what its flow entries still pass is not known"
	}
	return d
}
