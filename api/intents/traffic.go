package intents

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/api/revision"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// ErrNotConnected is the error of who asks a switch that has no session.
var ErrNotConnected = errors.New("the switch is not connected")

// trafficMeter finds out what intents have carried.
type trafficMeter struct {
	engine    Engine
	revisions *revision.Clock
	// flows asks a switch; nil: nobody does.
	flows   func(ctx context.Context, dpid netview.DPID, number uint32) ([]openflow.FlowStats, error)
	askWait time.Duration // for their answers
	totals  *trafficTable
	now     func() time.Time
}

type intentTrafficInput struct {
	ID string `path:"id" maxLength:"128" doc:"The id of the intent."`
}

func (s *trafficMeter) one(ctx context.Context, in *intentTrafficInput) (*revision.Answer[client.Traffic], error) {
	found, ok := s.engine.Get(in.ID)
	if !ok {
		return nil, noIntent(in.ID)
	}
	t, err := s.ask(ctx, &found)
	if err != nil {
		return nil, err
	}
	return revision.NewAnswer(s.revisions.Text(), *t), nil
}

// ask asks the switches where an intent's packets come in what its rules have counted. What it
// had carried before, when it was asked for last, is kept: entries that begin anew add to it.
func (s *trafficMeter) ask(ctx context.Context, in *intent.Intent) (*client.Traffic, error) {
	if s.flows == nil {
		return nil, rest.Refuse(http.StatusNotFound, "this instance has no sessions with switches")
	}
	t := &client.Traffic{}
	ask, cancel := context.WithTimeout(ctx, s.askWait)
	defer cancel()
	var missing []string
	var asked []netview.DPID
	var found []entryCount
	end, err := s.totals.begin(ask, in.Number)
	if err != nil {
		return nil, rest.Refuse(http.StatusServiceUnavailable,
			"others have asked for the traffic of this intent, and its switches have not answered yet: try again")
	}
	defer end()
	ingress := ingressOf(in)
	for _, dpid := range slices.Sorted(maps.Keys(ingress)) {
		entries, err := s.flows(ask, dpid, in.Number)
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
	sum, rate := s.totals.add(in.Number, in.Spec.ID, asked, found, len(missing) > 0, s.now())
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
