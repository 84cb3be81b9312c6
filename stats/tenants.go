package stats

import (
	"errors"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// TenantFlows are the counters of the entries that a switch holds for tenants, or why they are not known. It does not change.
type TenantFlows struct {
	DPID netview.DPID
	// Asked is when the switch was asked: all that it counted before is in the counters.
	Asked time.Time
	// Next is when it may be asked again; zero if that is not known.
	Next time.Time
	Err  error // why there are none
	List []ruleset.Counted

	read int // bytes of the answer
}

// Why counters that somebody wants are not known.
var (
	// ErrLater: the switch was asked not long ago, and it or its answers are too large to be asked already. It will be.
	ErrLater = errors.New("stats: the switch is asked later")
	// ErrAway: it has no session.
	ErrAway = errors.New("stats: the switch is away")
)

// soon is how long who wants counters waits gladly; ErrLater is told when it takes longer.
const soon = time.Second

// want has a switch be asked for the counters of tenants' entries.
func (c *Core) want(dpid netview.DPID, now time.Time) {
	d := c.devices[dpid]
	if d == nil || !d.connected {
		c.ready.Tenants = append(c.ready.Tenants, &TenantFlows{DPID: dpid, Err: ErrAway})
		return
	}
	p := &d.paces[KindTenants]
	if !p.due.IsZero() || d.asked != nil && d.asked.Kind == KindTenants {
		return
	}
	p.due = now
	if p.soonest.After(now) {
		p.due = p.soonest
	}
	if p.due.Sub(now) > soon {
		c.ready.Tenants = append(c.ready.Tenants, &TenantFlows{DPID: dpid, Err: ErrLater, Next: p.due})
	}
	if d.asked == nil {
		c.schedule(d)
	}
}

// tell tells those who want the counters of a switch what has become of the question.
func (c *Core) tell(d *device, a *Answer, err error, now time.Time) {
	p := &d.paces[KindTenants]
	result := &TenantFlows{DPID: d.now.DPID, Err: err}
	if err == nil {
		p.soonest = p.begun.Add(p.learn(a.At.Sub(d.askedAt), a.Tenants.read, MinPeriod))
		result.List, result.Asked = a.Tenants.List, d.askedAt
	} else {
		p.soonest = now.Add(p.interval(MinPeriod, max(d.missed, 1)))
	}
	if errors.Is(err, ErrRefused) {
		p.soonest = now.Add(MaxPeriod)
	}
	result.Next = p.soonest
	c.ready.Tenants = append(c.ready.Tenants, result)
}

// forsake tells those who want the counters of a switch whose session ends that none will come.
func (c *Core) forsake(d *device) {
	if p := &d.paces[KindTenants]; !p.due.IsZero() || d.asked != nil && d.asked.Kind == KindTenants {
		c.ready.Tenants = append(c.ready.Tenants, &TenantFlows{DPID: d.now.DPID, Err: ErrAway})
	}
}

// tenantReader takes the counters of tenants' entries out of an answer, part by part.
type tenantReader struct {
	domain uint16
	reader openflow.FlowStatsReader
	match  []byte
	flows  TenantFlows
}

// part takes a part: the body of a reply.
func (r *tenantReader) part(v openflow.Version, body []byte) error {
	r.flows.read += len(body)
	_, err := r.reader.Each(v, body, func(s *openflow.FlowStats) {
		c := plan.Decode(s.Cookie)
		if _, row := plan.TenantRow(c.Owner); c.Kind != plan.KindTenant || c.Domain != r.domain || row == 0 {
			return
		}
		r.match = s.Match.AppendCanonical(r.match[:0])
		in, match := ruleset.CutInPort(r.match)
		r.flows.List = append(r.flows.List, ruleset.Counted{Number: c.Owner, Version: c.Version,
			Place: ruleset.HashPlace(in, s.Priority, match), Counts: ruleset.Counts{Packets: s.Packets, Bytes: s.Bytes}})
	})
	return err
}
