package api

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/client/intentpb"
	"github.com/weirnet/weir/api/wire"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// oneSlot is the slot of the one request of a batch.
var oneSlot wire.Slot

// answerItem returns an answer as the client has it.
func answerItem(a *wire.Answer) client.IntentAnswer {
	return client.IntentAnswer{Index: int(a.Index), Line: a.Line, ID: a.ID, Status: intentpb.StatusNames[a.Status],
		State:  intentpb.StateNames[a.State],
		Detail: a.Detail, ETag: a.ETag, Revision: a.Revision}
}

// traffic asks the switches where an intent's packets come in what its rules have counted. What it
// had carried before, when it was asked for last, is kept: entries that begin anew add to it.
func (s *Server) traffic(ctx context.Context, in *intent.Intent) (*client.Traffic, error) {
	if s.cfg.IntentFlows == nil {
		return nil, refuse(http.StatusNotFound, "this instance has no sessions with switches")
	}
	t := &client.Traffic{}
	ask, cancel := context.WithTimeout(ctx, s.cfg.Limits.AskWait)
	defer cancel()
	var missing []string
	var asked []netview.DPID
	var found []entryCount
	end, err := s.totals.begin(ask, in.Number)
	if err != nil {
		return nil, refuse(http.StatusServiceUnavailable,
			"others have asked for the traffic of this intent, and its switches have not answered yet: try again")
	}
	defer end()
	ingress := ingressOf(in)
	for _, dpid := range slices.Sorted(maps.Keys(ingress)) {
		entries, err := s.cfg.IntentFlows(ask, dpid, in.Number)
		if err != nil {
			missing = append(missing, "switch "+dpid.String()+": "+switchErrorText(err))
			continue
		}
		asked = append(asked, dpid)
		for i := range entries {
			e := &entries[i]
			port, _ := e.Match.Uint(openflow.FieldInPort)
			enters := ingress[dpid][uint32(port)]
			found = append(found,
				entryCount{entryKey{dpid, e.Table, e.Priority, e.Match.Key()}, traffic{e.Packets, e.Bytes}, enters})
			if enters {
				t.Entries++
			}
		}
	}
	sum, rate := s.totals.add(in.Number, in.Spec.ID, asked, found, len(missing) > 0, s.cfg.Now())
	t.Packets, t.Bytes = client.Hex64(sum.packets), client.Hex64(sum.bytes)
	if rate != nil {
		t.PacketsRate, t.BytesRate = &rate.packets, &rate.bytes
	}
	t.Missing = strings.Join(missing, "; ")
	return t, nil
}

// switchErrorText says in a few words why a switch gave no answer.
func switchErrorText(err error) string {
	switch {
	case errors.Is(err, ErrNotConnected):
		return "not connected"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "did not answer in time"
	}
	return err.Error()
}

// ingressOf returns the ports that an intent's packets come in by: those of its rules that no link
// of its own leads to.
func ingressOf(in *intent.Intent) map[netview.DPID]map[uint32]bool {
	ports := make(map[netview.DPID]map[uint32]bool)
	if in.Rules == nil {
		return ports
	}
	add := func(p netview.Point) {
		if ports[p.DPID] == nil {
			ports[p.DPID] = make(map[uint32]bool)
		}
		ports[p.DPID][p.Port] = true
	}
	if in.Spec.Kind.BothWays() { // each leg begins at its host
		for i := range in.Rules.Legs {
			if hops := in.Rules.Legs[i].Route.Hops; len(hops) > 0 {
				add(netview.Point{DPID: hops[0].DPID, Port: hops[0].In})
			}
		}
		return ports
	}
	for _, p := range in.Spec.Ingress(nil) {
		add(p)
	}
	return ports
}
