package discovery

import (
	"slices"

	"github.com/weirnet/weir/discovery/hosts"
	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
)

// links decides which ports are joined. In: probes that were heard, rounds, links that ended otherwise. Out:
// rows of links, the ports' roles, switches that have taken another's cables.
type links struct {
	*inventory.Table
	control  *inventory.ControlNetwork
	pace     *probes.Pace
	prober   *probes.Prober
	hosts    *hosts.Tracker
	cables   *cableTrust
	settling *settling
	roles    *roles
	widths   *widths
	table    linkTable
}

// tasks returns what is done at some time.
func (l *links) tasks() []inventory.Task {
	return []inventory.Task{l.table.down.On(l.Transaction, l.table.purge)}
}

// probeHeard handles an authentic probe that came in at a port. The error is ErrStale, ErrReplayed
// or ErrAtHost.
func (l *links) probeHeard(at netview.Point, pr probes.Probe, a arrival) error {
	src, dst := l.Port(pr.From), l.Port(at)
	if src == nil || dst == nil || !src.Up || !dst.Up || !src.Device.Connected || !dst.Device.Connected {
		return probes.ErrStale
	}
	s := l.prober.Find(src, &pr)
	if s == nil {
		l.lateProbe(src, dst, &pr)
		return probes.ErrStale
	}
	switch {
	case s.At < dst.Appeared: // it was for the port that had this number before
		return probes.ErrStale
	case s.HeardAt == nil:
		s.HeardAt = dst
	case s.HeardAt == dst:
		l.RaiseAlarm(netview.AlarmReplayedProbe, at, "the same probe of %s came in twice", src.At)
		return probes.ErrReplayed
	default: // a segment of more than two ports, or somebody captured it
		if e := src.LinkTo(s.HeardAt); e == nil || e.Near && !e.Shared() {
			l.RaiseAlarm(netview.AlarmReplayedProbe, at, "a probe of %s came in that had come in at %s already",
				src.At, s.HeardAt.At)
		}
		l.roles.block(dst)
		return probes.ErrReplayed
	}
	if src.LinkTo(dst) == nil {
		if err := l.checkLinkAllowed(src, dst); err != nil {
			return err
		}
		if len(src.Out) >= maxPortLinks || len(dst.In) >= maxPortLinks {
			l.roles.block(dst)
			return nil
		}
		if l.cables.misforwarded(src, dst) {
			return nil
		}
	}
	e := l.addLink(src, dst, !pr.Far)
	l.linkHeard(e, s, pr.Far, a)
	l.widths.heard(e, pr.Length)
	return nil
}

// linkHeard handles a probe over a link, and probes for what is not known of it yet. A far probe
// says nothing about a link along which near ones pass, until these have been missing for some
// time.
func (l *links) linkHeard(e *inventory.Link, s *inventory.SentProbe, far bool, a arrival) {
	src, dst, was := e.Src, e.Dst, e.Near
	inventory.NoteLink(src, dst)
	l.pace.ObserveLag(l.SinceStart() - s.At)
	e.Missed, e.LastHeard = 0, l.Now
	if !far && !e.Unproven {
		setProven(e)
	}
	if !far {
		e.Near, e.FarStreak = true, 0
	} else if e.FarStreak < minFarStreak {
		e.FarStreak++
	}
	if far && e.Near {
		if e.FarStreak < minFarStreak {
			return
		}
		e.Near = false
	}
	l.table.measureLatency(e, s, a)
	first := e.HeardCount == 0
	if first && !far {
		l.removeReplaced(e)
	}
	if e.HeardCount++; e.HeardCount == 2 {
		l.settling.settleEarly(src.Device)
		l.settling.settleEarly(dst.Device)
	}
	e.HeardCount = min(e.HeardCount, 2)
	if first || was != e.Near || far && e.Alarm == "" {
		l.table.updateStates(src, dst)
	} else {
		l.table.put(e.Key(), true, e.State())
	}
	if back := dst.LinkTo(src); (back == nil || back.HeardCount < e.HeardCount) && !l.prober.ProbesSoon(dst) {
		l.prober.Answer(dst) // discover the other direction at once
	}
	if far && first {
		l.prober.ProbeNear(src) // and whether a bridge is in between
	}
}

// removeReplaced removes the links at a cable's ends that have not been heard since their sessions
// began, and those whose other end is disconnected: a near probe has just come in from elsewhere,
// so the cable leads there now. A switch that gets another datapath id looks like this to its
// neighbours.
func (l *links) removeReplaced(e *inventory.Link) {
	for _, p := range [...]*inventory.Port{e.Src, e.Dst} {
		for _, o := range p.Links() {
			if (o.HeardCount == 0 || !o.BothConnected()) &&
				(o.Src != e.Src && o.Src != e.Dst || o.Dst != e.Src && o.Dst != e.Dst) {
				l.removeLink(o)
				l.setSuccessor(p.OtherEnd(o).Device, p.OtherEnd(e).Device)
			}
		}
	}
}

// setSuccessor notes that a cable of a disconnected switch leads to another switch now. That
// explains its absence, so it is no sign of a failed control network.
func (l *links) setSuccessor(old, next *inventory.Device) {
	if old == next || old.Connected || !next.Connected {
		return
	}
	l.control.SessionReturned(old.DPID)
	if next.Predecessor != old || old.Successor != next {
		old.Succeed(next)
	}
	for _, p := range next.Ports {
		l.hosts.QuerySuccessor(p)
	}
}

// removeSuperseded removes the links of a switch that lost its session whose cable was found to
// lead elsewhere before that was noticed: the other end was heard from another port since it was
// last heard from this one.
func (l *links) removeSuperseded(d *inventory.Device) {
	for _, p := range d.Ports {
		for _, e := range p.Links() {
			q, edges := p.OtherEnd(e), p.OtherEnd(e).Links()
			if i := slices.IndexFunc(edges,
				func(o *inventory.Link) bool {
					return o.Near && o.BothConnected() && o.HeardCount > 0 && o.Created.After(e.LastHeard)
				}); i >= 0 {
				l.removeLink(e)
				l.setSuccessor(d, q.OtherEnd(edges[i]).Device)
			}
		}
	}
}

// lateProbe raises an alarm for an authentic probe that was not sent lately: somebody kept it. If
// the sent probes were cleared because the port went down, this instance has just started, or one
// of the switches was stalled (it deletes hundreds of ports), it may still have been in flight.
func (l *links) lateProbe(src, dst *inventory.Port, pr *probes.Probe) {
	wait := 2 * l.pace.Period
	if l.Now.Sub(src.SentCleared) <= wait || l.SinceStart() <= wait+startupGrace || l.cables.recentlySilent(src.Device) ||
		l.cables.recentlySilent(dst.Device) {
		return
	}
	l.RaiseAlarm(netview.AlarmReplayedProbe, dst.At, "an old probe of %s came in", src.At)
}

// addLink returns the link between two ports, created if necessary: both ports get the role link.
func (l *links) addLink(src, dst *inventory.Port, near bool) *inventory.Link {
	if e := src.LinkTo(dst); e != nil {
		return e
	}
	e := l.table.add(src, dst, near, l.cables.notPluggedIn(src, dst))
	for _, p := range [...]*inventory.Port{src, dst} {
		l.roles.setRole(p, netview.PortLink)
		l.hosts.Occupancy.ClearAlarm(p)
	}
	return e
}

// removeLink takes a link down. A port without another link is re-evaluated. Its history keeps the
// link: until there is evidence that the other end is gone, it may be a link again.
func (l *links) removeLink(e *inventory.Link) {
	l.table.remove(e)
	for _, p := range [...]*inventory.Port{e.Src, e.Dst} {
		switch {
		case len(p.In)+len(p.Out) > 0:
			l.table.updateStates(p)
		case p.Up && p.Role == netview.PortLink:
			if e.Unproven && e.Near {
				l.cables.restoreEdge(p)
			}
			l.roles.setUnknown(p)
			if p.Device.Connected {
				l.prober.Start(p)
			}
		}
	}
}

// dueRound probes a segment's ports and removes links from there that are not heard any more.
func (l *links) dueRound(r probes.Round) {
	d, list := l.prober.PortsOf(r)
	if d == nil {
		return
	}
	if d.Connected && r.Segment == 0 {
		l.cables.countRound(d)
	}
	for _, p := range list {
		l.expireLinks(p)
		l.widths.judge(p)
		l.prober.Round(p, l.widths.due(p))
	}
	l.prober.Repeat(r)
}

// expireLinks removes the links from a port of which the last three periodic probes were not heard.
// Silence counts only while the sessions of both ends are up and both ends are heard, and while the
// control network is not suspected.
func (l *links) expireLinks(p *inventory.Port) {
	if l.control.Suspected() {
		return
	}
	for i := 0; i < len(p.Out); {
		e := p.Out[i]
		if e.BothConnected() && e.Missed >= inventory.MissedProbes && e.BothHeardSinceMiss() {
			l.removeLink(e)
			continue
		}
		i++
	}
}
