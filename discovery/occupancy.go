package discovery

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// occupancy finds out whether hosts are alive at a port where a probe was heard: then there is no
// link.
type occupancy struct {
	*hostTable
	pace    *pace
	queries *hostQueries
	ends    deadlines[deadline] // of the queries to a port's hosts
}

// vacancy is what is known of the hosts at a port where probes come in that make no link, because of
// these hosts.
type vacancy struct {
	joinedAt  time.Time // when a probe was last heard, here or of it elsewhere, that makes no link
	blockedAt time.Time // of PortBlocked: when an unexpected probe was last heard
	probedAt  time.Time // when such a probe was last heard, here or of it elsewhere, and hosts live here
	queriedAt time.Time // when its hosts were last queried because of that
	querying  bool      // that query is still open
	alive     bool      // one of them has spoken since
	vacatedAt time.Time // when they were found silent
}

// liveHost returns a host at an edge port that has not been vacated; nil without one. The address
// of the port at the other end is not a host: where Open vSwitch forwards without its kernel
// module, the kernel still has the interface, and speaks and answers with its address.
func (o *occupancy) liveHost(p, end *port) *netview.Host {
	settled := p.role == netview.PortEdge || p.role == netview.PortBlocked
	if !settled || p.hosts == 0 || !p.vacatedAt.IsZero() && o.now.Sub(p.vacatedAt) <= o.vacantTime() {
		return nil
	}
	for h := range o.tx.HostsAt(p.at) {
		if h.MAC != end.mac {
			return h
		}
	}
	return nil
}

// mayBeCopy reports whether a frame does not count as the answer of a queried host: probes of ours
// come in at the port too, so there may be a cable, and the host has been seen elsewhere since it
// was queried, so the frame may have come along that cable. A frame sent to queryMAC is an answer
// all the same, since it goes to nobody else.
func (o *occupancy) mayBeCopy(p *port, s *sighting) bool {
	a := o.queries.open[s.id]
	return a != nil && a.at == s.at && a.claim != nil && !s.reply && !p.probedAt.IsZero() &&
		o.now.Sub(p.probedAt) <= missedProbes*o.pace.period
}

// vacantTime is how long a port counts as vacated after its hosts were silent: longer than half the
// time between two queries, so that both ends of a cable are vacated at the same time at some
// point.
func (o *occupancy) vacantTime() time.Duration { return max(2*o.pace.period, (queryTries+2)*queryWait) }

// clearAlarm clears AlarmLinkAtHost of a port: there is a link now, or the port is gone.
func (o *occupancy) clearAlarm(p *port) {
	if !p.probedAt.IsZero() {
		o.alarms.clear(netview.AlarmLinkAtHost, p.at.String())
	}
	p.probedAt = time.Time{}
}

// query queries hosts of a port at which an unexpected probe was heard. If none of the
// port's hosts answers, a link may be made.
func (o *occupancy) query(p *port) {
	if p.querying || !p.queriedAt.IsZero() && o.now.Sub(p.queriedAt) < missedProbes*o.pace.period {
		return
	}
	p.queriedAt, p.querying, p.alive = o.now, true, false
	for i, h := range o.hostsAt(p.at) {
		o.dropSeen(h)
		if i < maxQueriedIPs && o.queries.start(h, h.At) == nil {
			p.alive = true // they cannot be queried now
		}
	}
	o.ends.add(o.now.Add((queryTries+1)*queryWait), deadline{p.at, p.queriedAt})
}

// due returns a port that is vacant now, since no host has spoken since they were queried and each
// had the time to; nil if it is not, or not yet.
func (o *occupancy) due(d deadline) *port {
	p := o.port(d.at)
	if p == nil || !p.querying || !p.queriedAt.Equal(d.since) {
		return nil
	}
	for _, h := range o.hostsAt(p.at) {
		if a := o.queries.open[h.HostID]; a != nil && a.at == p.at && !p.alive {
			o.ends.add(o.now.Add(queryWait), d)
			return nil
		}
	}
	p.querying = false
	if p.alive || !p.up || !p.device.connected {
		return nil
	}
	p.vacatedAt = o.now
	return p
}
