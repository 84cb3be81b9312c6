package northbound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/flowsync"
	"github.com/weirnet/weir/netview"
)

// checkTime is how long a comparison waits for switches.
const checkTime = 20 * time.Second

var errEnding = errors.New("the instance is ending")

// Check compares all switches with what is desired of them.
func (n *Answers) Check(ctx context.Context) (*client.Check, netview.Revision, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	n.RuleChecks.checks.Add(1)
	defer n.RuleChecks.checks.Add(-1)
	report, ok := n.Flowsync.Check(ctx)
	if !ok {
		return nil, 0, errEnding
	}
	intents := misroutedIntents(n.Intents, n.View.Snapshot(), n.Maps.Latest())
	switches := []client.SwitchCheck{}
	for i := range report.Switches {
		s := switchCheck(&report.Switches[i])
		if s.Reached {
			s.Differences = append(s.Differences, n.RuleChecks.of(report.Switches[i].DPID)...)
		}
		s.Differences = append(s.Differences, intents[report.Switches[i].DPID]...)
		switches = append(switches, s)
	}
	return checkOf(switches), report.Revision, nil
}

// checkOf is a comparison of switches. They agree only if each was reached.
func checkOf(list []client.SwitchCheck) *client.Check {
	c := &client.Check{Agrees: true, Switches: list}
	for i := range list {
		c.Agrees = c.Agrees && list[i].Reached && len(list[i].Differences) == 0
	}
	return c
}

func switchCheck(f *flowsync.Findings) client.SwitchCheck {
	s := client.SwitchCheck{
		DPID: f.DPID.String(), Reached: f.Err == nil, Wanted: f.Desired, Compared: f.Compared, InFlight: f.InFlight,
		Failed: f.Failed, Foreign: f.Foreign, Shadowing: f.Shadowed, Differences: []client.Difference{},
		Shadows: []client.Shadow{},
	}
	if f.Err != nil {
		s.Error = f.Err.Error()
	}
	for i := range f.Shadows {
		e, r := &f.Shadows[i].Entry, f.Shadows[i].Rule
		s.Shadows = append(s.Shadows, client.Shadow{
			Table: e.Table, Priority: e.Priority, Match: e.Match.String(), Cookie: fmt.Sprintf("0x%016x", e.Cookie),
			Owner: r.Owner,
			Rule:  fmt.Sprintf("priority=%d match=%s", r.Priority, r.Match.String()),
		})
	}
	for _, d := range f.Differences {
		place := d.Match.String()
		if d.Object != "" { // a group or meter, which has no match
			place = d.Object
		}
		s.Differences = append(s.Differences, client.Difference{
			Kind: string(d.Kind), Table: d.Table, Priority: d.Priority, Match: place, Owner: d.Owner,
			Wanted: d.Desired, Held: d.Held,
		})
	}
	return s
}

// Sync is how a switch is kept as wanted; nil if flowsync does not know it.
func (n *Answers) Sync(dpid netview.DPID) (sync *client.Sync, at netview.Revision) {
	n.Flowsync.Ask(func(c *flowsync.Core) {
		if s, ok := c.Status(dpid); ok {
			sync, at = syncItem(&s), s.Revision
		}
	})
	return sync, at
}

func syncItem(s *flowsync.SwitchStatus) *client.Sync {
	state := "ok"
	switch {
	case !s.Connected:
		state = "disconnected"
	case s.Stuck:
		state = "stuck"
	case s.Lying:
		state = "lying"
	case !s.Compared || s.Pending+s.Removing+s.InFlight > 0:
		state = "busy"
	}
	return &client.Sync{
		State: state, Watch: s.Watch.String(), BoundS: max(-1, s.DriftBound.Seconds()), Batch: s.BatchSize,
		BarrierMS: float64(s.BarrierTime) / float64(time.Millisecond),
	}
}
