package hosts

import (
	"time"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
)

// occupancy finds out whether hosts are alive at a port where a probe was heard: then there is no
// link.
type occupancy struct {
	*Rows
	pace    *probes.Pace
	prober  *probes.Prober
	queries *queries
	ends    inventory.Deadlines[inventory.Deadline] // of the queries to a port's hosts
}

// liveHost returns a host at an edge port that has not been vacated; nil without one. The address
// of the port at the other end is not a host: where Open vSwitch forwards without its kernel
// module, the kernel still has the interface, and speaks and answers with its address.
func (o *occupancy) liveHost(p, end *inventory.Port) *netview.Host {
	settled := p.Role == netview.PortEdge || p.Role == netview.PortBlocked
	if !settled || p.Hosts == 0 || !p.VacatedAt.IsZero() && o.Now.Sub(p.VacatedAt) <= o.vacantTime() {
		return nil
	}
	for h := range o.Tx.HostsAt(p.At) {
		if h.MAC != end.MAC {
			return h
		}
	}
	return nil
}

// ProbeHeard notes a probe that was heard between two ports, and reports whether a live host is at one of
// them. Then there is an alarm, and the hosts there are queried.
func (o *occupancy) ProbeHeard(src, dst *inventory.Port) bool {
	if o.liveHost(src, dst) == nil && o.liveHost(dst, src) == nil {
		return false
	}
	for _, p := range [...]*inventory.Port{src, dst} {
		p.ProbedAt = o.Now
		if h := o.liveHost(p, p.Other(src, dst)); h != nil {
			o.RaiseAlarm(netview.AlarmLinkAtHost, p.At,
				"a probe of %s was heard at %s, and host %s is known at %s: there is no link, and switches that nothing else "+
					"joins are parted, until the host is silent", src.At, dst.At, h.HostID, p.At)
			o.query(p)
		}
	}
	return true
}

// mayBeCopy reports whether a frame does not count as the answer of a queried host: probes of ours
// come in at the port too, so there may be a cable, and the host has been seen elsewhere since it
// was queried, so the frame may have come along that cable. A frame sent to queryMAC is an answer
// all the same, since it goes to nobody else.
func (o *occupancy) mayBeCopy(p *inventory.Port, s *Sighting) bool {
	a := o.queries.open[s.ID]
	return a != nil && a.at == s.At && a.claim != nil && !s.reply && !p.ProbedAt.IsZero() &&
		o.Now.Sub(p.ProbedAt) <= inventory.MissedProbes*o.pace.Period
}

// vacantTime is how long a port counts as vacated after its hosts were silent: longer than half the
// time between two queries, so that both ends of a cable are vacated at the same time at some
// point.
func (o *occupancy) vacantTime() time.Duration { return max(2*o.pace.Period, (queryTries+2)*queryWait) }

// ClearAlarm clears AlarmLinkAtHost of a port: there is a link now, or the port is gone.
func (o *occupancy) ClearAlarm(p *inventory.Port) {
	if !p.ProbedAt.IsZero() {
		o.Alarms.Clear(netview.AlarmLinkAtHost, p.At.String())
	}
	p.ProbedAt = time.Time{}
}

// query queries hosts of a port at which an unexpected probe was heard. If none of the
// port's hosts answers, a link may be made.
func (o *occupancy) query(p *inventory.Port) {
	if p.Querying || !p.QueriedAt.IsZero() && o.Now.Sub(p.QueriedAt) < inventory.MissedProbes*o.pace.Period {
		return
	}
	p.QueriedAt, p.Querying, p.Alive = o.Now, true, false
	for i, h := range o.hostsAt(p.At) {
		o.dropSeen(h)
		if i < maxQueriedIPs && o.queries.start(h, h.At) == nil {
			p.Alive = true // they cannot be queried now
		}
	}
	o.ends.Add(o.Now.Add((queryTries+1)*queryWait), inventory.Deadline{At: p.At, Since: p.QueriedAt})
}

// due probes a port that is vacant now, since no host has spoken since they were queried and each
// had the time to: a link may be made.
func (o *occupancy) due(d inventory.Deadline) {
	p := o.Port(d.At)
	if p == nil || !p.Querying || !p.QueriedAt.Equal(d.Since) {
		return
	}
	for _, h := range o.hostsAt(p.At) {
		if a := o.queries.open[h.HostID]; a != nil && a.at == p.At && !p.Alive {
			o.ends.Add(o.Now.Add(queryWait), d)
			return
		}
	}
	p.Querying = false
	if p.Alive || !p.Up || !p.Device.Connected {
		return
	}
	p.VacatedAt = o.Now
	o.prober.Start(p)
}
