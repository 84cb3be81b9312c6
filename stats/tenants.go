package stats

import (
	"errors"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// TenantCounters are the counters of the entries that a switch holds for tenants, or of all its groups, or meters; or why they
// are not known. It does not change.
type TenantCounters struct {
	DPID netview.DPID
	Kind Kind // KindTenants, KindGroups or KindMeters
	// Asked is when the switch was asked: all that it counted before is in the counters.
	Asked time.Time
	// Answered is when the answer had come.
	Answered time.Time
	// Next is when it may be asked again; zero if that is not known.
	Next   time.Time
	Err    error             // why there are none
	List   []ruleset.Counted // of KindTenants
	Groups []openflow.GroupStats
	Meters []openflow.MeterStats

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

// want has a switch be asked for the counters of a kind.
func (c *Core) want(in Wanted, now time.Time) {
	d, k := c.devices[in.DPID], in.Kind
	if d == nil || !d.connected {
		c.ready.Tenants = append(c.ready.Tenants, &TenantCounters{DPID: in.DPID, Kind: k, Err: ErrAway})
		return
	}
	p := &d.paces[k]
	if d.wanted(k) {
		return
	}
	p.due = now
	if p.soonest.After(now) {
		p.due = p.soonest
	}
	if p.due.Sub(now) > soon {
		c.ready.Tenants = append(c.ready.Tenants, &TenantCounters{DPID: in.DPID, Kind: k, Err: ErrLater, Next: p.due})
	}
	if d.asked == nil {
		c.schedule(d)
	}
}

// wanted reports whether a switch is to be asked, or is being asked, for what somebody wants.
func (d *device) wanted(k Kind) bool {
	return !d.paces[k].due.IsZero() || d.asked != nil && d.asked.Kind == k
}

// nextWanted is the kind that somebody wants and that is due first, and when; false if nobody wants any.
func (d *device) nextWanted() (best Kind, at time.Time, ok bool) {
	for k := KindTenants; k < kinds; k++ {
		if due := d.paces[k].due; !due.IsZero() && (!ok || due.Before(at)) {
			best, at, ok = k, due, true
		}
	}
	return best, at, ok
}

// tell tells those who want the counters of a switch what has become of the question.
func (c *Core) tell(d *device, k Kind, a *Answer, err error, now time.Time) {
	p := &d.paces[k]
	result := &TenantCounters{DPID: d.now.DPID, Kind: k, Err: err}
	if err == nil {
		_, read := kindOf(a.Body)
		switch body := a.Body.(type) {
		case *openflow.GroupStatsList:
			result.Groups = body.Groups
		case *openflow.MeterStatsList:
			result.Meters = body.Meters
		default:
			result.List, read = a.Tenants.List, a.Tenants.read
		}
		p.soonest = p.begun.Add(p.learn(a.At.Sub(d.askedAt), read, MinPeriod))
		result.Asked, result.Answered = d.askedAt, a.At
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
	for k := KindTenants; k < kinds; k++ {
		if d.wanted(k) {
			c.ready.Tenants = append(c.ready.Tenants, &TenantCounters{DPID: d.now.DPID, Kind: k, Err: ErrAway})
		}
	}
}

// tenantReader takes the counters of tenants' entries out of an answer, part by part.
type tenantReader struct {
	domain uint16
	reader openflow.FlowStatsReader
	match  []byte
	flows  TenantCounters
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
