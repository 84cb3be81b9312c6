package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/confirmed"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/referee"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/cluster/local"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// failoverBed is the cluster and the network that all victims share.
type failoverBed struct {
	c       *Failover
	report  *report.Report
	dir     string
	cluster *local.Cluster
	net     *emu.Network
	referee *referee.Referee
	pairs   []hostPair // of every other pair of hosts, over intents
	others  []hostPair
	tenant  *confirmed.Controller // nil: there is none
	next    int                   // number of the next offered intent
	err     error
}

// hostPair are two hosts that ping each other.
type hostPair [2]*emu.Host

// failoverPoll is how often it is looked whether something has happened whose time is known otherwise, and
// shownPoll how often an instance is asked for its switches, which costs it something.
const (
	failoverPoll = 5 * time.Millisecond
	shownPoll    = 10 * time.Millisecond
)

// begin starts the cluster and the network, once.
func (s *failoverScore) begin(ctx context.Context) error {
	b := s.bed
	if b.cluster == nil && b.err == nil {
		b.err = b.start(ctx)
	}
	return b.err
}

// close ends them.
func (s *failoverScore) close() {
	b := s.bed
	if b.tenant != nil {
		b.tenant.Close()
	}
	if b.net != nil {
		closeEmulated(b.net)
	}
	if b.cluster != nil {
		b.cluster.Close()
	}
	if b.dir != "" {
		os.RemoveAll(b.dir)
	}
	*b = failoverBed{c: b.c, report: b.report, err: errors.New("ended")}
}

func (b *failoverBed) start(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp(b.c.Dir, "weir-bench-"); err != nil {
		return err
	}
	if b.dir, err = filepath.Abs(b.dir); err != nil {
		return err
	}
	b.cluster, err = local.Start(ctx, &local.Config{Instances: b.c.Instances, Program: b.c.Program, Dir: b.dir,
		Args: []string{"--auth=none", "--log-level=warn"}})
	if err != nil {
		return err
	}
	b.referee = referee.New(len(b.c.topology.Switches), b.c.Instances)
	b.net, err = emu.New(emu.Config{Topology: b.c.topology, Versions: []openflow.Version{openflow.V13},
		Controllers: b.cluster.OpenFlow(), Accepted: b.referee.Accepted, Seed: b.c.Seed, BackoffMax: time.Second})
	if err != nil {
		return err
	}
	if err := b.referee.Watch(b.net); err != nil {
		return err
	}
	if err := b.net.Start(ctx); err != nil {
		return err
	}
	hosts := b.net.Hosts()
	for i := 0; i+3 < len(hosts); i += 4 {
		b.pairs = append(b.pairs, hostPair{hosts[i], hosts[i+2]})
		b.others = append(b.others, hostPair{hosts[i+1], hosts[i+3]})
	}
	if err := b.whole(ctx); err != nil {
		return err
	}
	if err := b.startTenant(ctx); err != nil {
		return err
	}
	return b.install(ctx)
}

// errNoOwner says that nobody decides for the network.
var errNoOwner = fmt.Errorf("%w: no instance says that it is the owner", report.ErrNothing)

// whole waits until all instances run and take part, one is the owner and is the master of all switches, and shows all
// links, and all switches have sessions with all instances.
func (b *failoverBed) whole(ctx context.Context) error {
	for _, one := range b.cluster.Instances {
		if !one.Running() {
			if err := one.Start(ctx); err != nil {
				return err
			}
		}
	}
	said := "no instance says that it is the owner"
	return pace.Until(ctx, 10*failoverPoll, b.c.Limit, func() (bool, error) {
		for _, sw := range b.net.Switches() {
			if n := sw.Connected(); n < b.c.Instances {
				said = fmt.Sprintf("switch %s has sessions with %d instances", sw.Name(), n)
				return false, nil
			}
		}
		owner := b.cluster.Owner(ctx)
		if owner == nil {
			return false, nil
		}
		at := slices.Index(b.cluster.Instances, owner)
		if n := b.referee.Masters()[at]; n < len(b.net.Switches()) {
			said = fmt.Sprintf("the owner is the master of %d switches", n)
			return false, nil
		}
		page, err := owner.Client().Links(ctx)
		if err != nil {
			said = err.Error()
			return false, nil
		}
		up := 0
		for i := range page.Items {
			if page.Items[i].State == "confirmed" || page.Items[i].State == "up" {
				up++
			}
		}
		said = fmt.Sprintf("%d of %d directions of links are shown", up, 2*len(b.c.topology.Links))
		return up == 2*len(b.c.topology.Links), nil
	}, func() error { return fmt.Errorf("%w: %s after %v", report.ErrSlow, said, b.c.Limit) })
}

// install asks for the intents that pairs of hosts ping each other over, from port to port, and waits until they are
// installed.
func (b *failoverBed) install(ctx context.Context) error {
	var list []client.IntentRequest
	for _, p := range b.pairs {
		for i := range p {
			list = append(list, client.IntentRequest{ID: fmt.Sprintf("pair-%d", len(list)), Kind: client.PointToPoint,
				Src: client.PointEnds(b.point(p[i].Spec().At)), Dst: client.PointEnds(b.point(p[1-i].Spec().At))})
		}
	}
	owner := b.cluster.Owner(ctx)
	if owner == nil {
		return errNoOwner
	}
	answers, err := owner.Client().CreateIntents(ctx, list, client.CreateOptions{})
	if err != nil {
		return err
	}
	for i := range answers.Items {
		if a := &answers.Items[i]; !a.OK() {
			return fmt.Errorf("intent %s is %s: %s", a.ID, a.Status, a.Detail)
		}
	}
	if err := b.fill(ctx); err != nil {
		return err
	}
	return b.installed(ctx)
}

// fillBatch is how many intents that are there from the beginning are asked for together, and fillPause the time between
// two batches: a machine without time for heartbeats replaces owners.
const (
	fillBatch = 500
	fillPause = 100 * time.Millisecond
)

// fill asks for the intents that are there from the beginning: each from a host's port to another's, of packets that no
// host sends. An owner that does not answer may have been replaced: the next one is asked.
func (b *failoverBed) fill(ctx context.Context) error {
	hosts := b.net.Hosts()
	for from := 0; from < b.c.Intents; from += fillBatch {
		var list []client.IntentRequest
		for n := from; n < min(from+fillBatch, b.c.Intents); n++ {
			src := n % len(hosts)
			dst := (src + 1 + n/len(hosts)%(len(hosts)-1)) % len(hosts)
			list = append(list, client.IntentRequest{ID: backgroundID(n), Kind: client.PointToPoint,
				Priority: &above, Src: client.PointEnds(b.point(hosts[src].Spec().At)),
				Dst: client.PointEnds(b.point(hosts[dst].Spec().At)), Selector: to(backgroundAddress(n))})
		}
		var said error
		err := pace.Until(ctx, fillPause, b.c.Limit, func() (bool, error) {
			owner := b.cluster.Owner(ctx)
			if owner == nil {
				return false, nil
			}
			var answers *client.IntentAnswers
			if answers, said = owner.Client().CreateIntents(ctx, list, client.CreateOptions{}); said != nil {
				return false, nil
			}
			for i := range answers.Items {
				if a := &answers.Items[i]; !a.OK() {
					return false, fmt.Errorf("intent %s is %s: %s", a.ID, a.Status, a.Detail)
				}
			}
			return true, nil
		}, func() error { return fmt.Errorf("%w: %d of %d intents: %v", report.ErrSlow, from, b.c.Intents, said) })
		if err == nil {
			err = pace.Wait(ctx, fillPause)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// installed waits until all intents are.
func (b *failoverBed) installed(ctx context.Context) error {
	said := "no instance says that it is the owner"
	return pace.Until(ctx, 100*failoverPoll, b.c.Limit, func() (bool, error) {
		owner := b.cluster.Owner(ctx)
		if owner == nil {
			return false, nil
		}
		page, err := owner.Client().Intents(ctx, "submitted", "waiting", "installing", "rerouting", "degraded", "failed")
		if err != nil {
			said = err.Error()
			return false, nil
		}
		said = fmt.Sprintf("%d of %d intents are not installed", len(page.Items), 2*len(b.pairs)+b.c.Intents)
		return len(page.Items) == 0, nil
	}, func() error { return fmt.Errorf("%w: %s after %v", report.ErrSlow, said, b.c.Limit) })
}

func (b *failoverBed) point(at topo.End) client.Point {
	return client.Point{DPID: client.FormatDPID(b.c.topology.Switches[at.Switch].DPID), Port: at.Port}
}

// run kills a victim once.
func (s *failoverScore) run(ctx context.Context, i int) error {
	k, err := s.kill(ctx)
	if err != nil {
		return err
	}
	noteFidelity(s.bed.report, s.bed.net.Fidelity())
	if err := k.check(s.c); err != nil {
		return err
	}
	s.take(i, k)
	return nil
}

// kill has everything be whole and loaded, kills the victim, waits for what has to happen, and starts it again.
func (s *failoverScore) kill(ctx context.Context) (*failoverRun, error) {
	b := s.bed
	if err := errors.Join(b.whole(ctx), b.installed(ctx)); err != nil {
		return nil, fmt.Errorf("before the kill: %w", err)
	}
	victim, ledToo, err := b.choose(ctx, s.victim)
	if err != nil {
		return nil, err
	}
	k := &failoverRun{ledToo: ledToo}
	all, stale := b.referee.Writes()
	pings, others, err := b.ping()
	if err != nil {
		return nil, err
	}
	o := b.offer(ctx)
	defer o.stop()
	adds := b.addEntries(ctx)
	defer adds.stop()
	if err := pace.Wait(ctx, b.c.Before); err != nil {
		return nil, err
	}
	owner := b.cluster.Owner(ctx)
	switch {
	case owner == nil:
		return nil, fmt.Errorf("%w: before the kill no instance says that it is the owner", report.ErrNothing)
	case s.victim.owns() && owner != victim:
		k.moved++
		victim, k.ledToo = owner, owner == b.cluster.Leader(ctx)
	case !s.victim.owns() && owner == victim:
		return nil, fmt.Errorf("%w: the instance to be killed became the owner before", report.ErrLate)
	}
	number := slices.Index(b.cluster.Instances, victim)
	if !s.victim.owns() {
		number = referee.Nobody
	}
	b.referee.Mark(number, time.Now())
	at := time.Now()
	switch s.victim {
	case Handover:
		victim.Terminate()
	case Stopped:
		o.avoid(victim)
		victim.Stop()
		defer victim.Continue()
	default:
		victim.Kill()
	}
	if err := s.await(ctx, k, o, victim, at); err != nil {
		return nil, fmt.Errorf("instance %s: %w", victim.Name, err)
	}
	if s.victim.owns() {
		if err := b.awaitTenant(ctx, k, at); err != nil {
			return nil, err
		}
	}
	if err := pace.Wait(ctx, b.c.Before); err != nil {
		return nil, err
	}
	if s.victim == Stopped { // what it had begun to write it writes now
		if k.back, err = goOn(ctx, victim, b.c.Limit); err == nil {
			err = pace.Wait(ctx, b.c.Before)
		}
		if err != nil {
			return nil, err
		}
	}
	o.stop()
	adds.stop()
	o.measure(k, at)
	if !s.victim.owns() && b.cluster.Owner(ctx) != owner {
		k.moved++
	}
	if k.sent, k.lost, err = b.count(ctx, pings); err != nil {
		return nil, err
	}
	if k.otherSent, k.otherLost, err = b.count(ctx, others); err != nil {
		return nil, err
	}
	if s.victim != Stopped {
		victim.End()
		began := time.Now()
		if err := victim.Start(ctx); err != nil {
			return nil, fmt.Errorf("starting it again: %w", err)
		}
		k.back = time.Since(began)
	}
	if err := b.whole(ctx); err != nil {
		return nil, fmt.Errorf("after it was started again: %w", err)
	}
	if err := errors.Join(b.tenantWhole(ctx, time.Time{}), b.countEntries(ctx, k, at), o.forget(ctx, k)); err != nil {
		return nil, err
	}
	writes, bad := b.referee.Writes()
	k.writes, k.stale = writes-all, bad-stale
	return k, nil
}

// goOn has an instance go on that was stopped while it was the owner, and returns after how long it says that it stands by.
func goOn(ctx context.Context, one *local.Instance, limit time.Duration) (time.Duration, error) {
	began := time.Now()
	one.Continue()
	said := "does not answer"
	err := pace.Until(ctx, failoverPoll, limit, func() (bool, error) {
		m := one.Self(ctx)
		if m != nil {
			said = "is " + m.State
		}
		return m != nil && m.State == "standby", nil
	}, func() error { return fmt.Errorf("%w: the instance that was stopped %s", report.ErrSlow, said) })
	return time.Since(began), err
}

// choose finds who is to be killed. Where the owner leads the store, and the leader alone is wanted, the owner is ended
// and started again until another leads.
func (b *failoverBed) choose(ctx context.Context, v Victim) (victim *local.Instance, led bool, err error) {
	for range 20 {
		owner, leader := b.cluster.Owner(ctx), b.cluster.Leader(ctx)
		switch {
		case owner == nil || leader == nil:
			if err := pace.Wait(ctx, 100*time.Millisecond); err != nil {
				return nil, false, err
			}
			continue
		case v.owns():
			return owner, owner == leader, nil
		case v == Leader && owner != leader:
			return leader, true, nil
		case v == Bystander:
			for _, one := range b.cluster.Instances {
				if one != owner && one != leader {
					return one, false, nil
				}
			}
		}
		owner.End()
		if err := b.whole(ctx); err != nil {
			return nil, false, err
		}
	}
	return nil, false, errors.New("the owner leads the store too, however often it is started again")
}

// await waits for what has to happen after the signal.
func (s *failoverScore) await(ctx context.Context, k *failoverRun, o *offers, victim *local.Instance, at time.Time) error {
	b := s.bed
	ctx, cancel := context.WithTimeoutCause(ctx, b.c.Limit, fmt.Errorf("%w: nothing after %v", report.ErrSlow, b.c.Limit))
	defer cancel()
	var asking sync.WaitGroup
	defer asking.Wait()
	shown := make(chan time.Time, len(b.cluster.Instances))
	asked, stop := context.WithCancel(ctx)
	defer stop()
	for _, one := range b.cluster.Instances {
		if s.victim.owns() && one != victim {
			asking.Go(func() { b.askSwitches(asked, one, shown) })
		}
	}
	if s.victim.owns() {
		for {
			if x := b.referee.Since(); x.Mastered == len(b.net.Switches()) && !x.Wrote.IsZero() {
				k.first, k.last, k.wrote = max(x.First.Sub(at), 0), max(x.Last.Sub(at), 0), max(x.Wrote.Sub(at), 0)
				break
			} else if err := pace.Wait(ctx, failoverPoll); err != nil {
				return fmt.Errorf("%w; %d of %d switches have a master", err, x.Mastered, len(b.net.Switches()))
			}
		}
		select {
		case when := <-shown:
			k.shown = when.Sub(at)
		case <-ctx.Done():
			return fmt.Errorf("%w; no instance shows all switches", context.Cause(ctx))
		}
	}
	for {
		first := o.firstAccepted(at, victim)
		if first == nil {
			if err := pace.Wait(ctx, failoverPoll); err != nil {
				return fmt.Errorf("%w; no intent was accepted: %v", err, o.lastError())
			}
			continue
		}
		k.accepted = first.answered.Sub(at)
		if err := b.awaitInstalled(ctx, first); err != nil {
			return err
		}
		e := b.referee.Entries(offeredAddress(first.number))
		if e.Added == 0 {
			return fmt.Errorf("%w: intent %s is said to be installed, and no switch has an entry of it", report.ErrMisforwarded,
				offeredID(first.number))
		}
		k.installed = e.Last.Sub(at)
		return nil
	}
}

// awaitInstalled waits until an intent is installed. One that has failed is tried again: an instance that has just taken
// over may not know a link yet.
func (b *failoverBed) awaitInstalled(ctx context.Context, x *offer) error {
	id := offeredID(x.number)
	for {
		it, err := x.by.Client().WaitIntent(ctx, id, installLimit)
		if err != nil {
			return fmt.Errorf("intent %s: %w", id, err)
		}
		if it.State == "installed" {
			return nil
		}
		if err := pace.Wait(ctx, failoverPoll); err != nil {
			return fmt.Errorf("%w; intent %s is %s", err, id, it.State)
		}
	}
}

// askSwitches asks an instance for all switches until it shows them.
func (b *failoverBed) askSwitches(ctx context.Context, one *local.Instance, shown chan<- time.Time) {
	for ctx.Err() == nil {
		page, err := one.Client().Switches(ctx)
		n := 0
		for i := 0; err == nil && i < len(page.Items); i++ {
			if page.Items[i].Connected {
				n++
			}
		}
		if n == len(b.net.Switches()) {
			shown <- time.Now()
			return
		}
		if pace.Wait(ctx, shownPoll) != nil {
			return
		}
	}
}

// pinging is a host that pings another.
type pinging struct {
	from *emu.Host
	ping *host.Ping
}

// installLimit is how long an intent may take from being accepted to being installed.
const installLimit = 30 * time.Second

// pingTimeout is how long an answer may take after the last request.
const pingTimeout = 2 * time.Second

// otherInterval is the time between two pings of the hosts without intents.
const otherInterval = time.Second

// ping has all pairs ping each other, without end.
func (b *failoverBed) ping() (pings, others []pinging, err error) {
	start := func(list []hostPair, interval time.Duration) (out []pinging) {
		for _, pair := range list {
			for i := range pair {
				p := pinging{from: pair[i]}
				to := pair[1-i].Spec().IPv4.Addr()
				p.from.Do(func(s *host.Host, now time.Duration, _ host.Output) {
					var e error
					p.ping, e = s.Ping(host.PingSpec{Dst: to, Interval: interval, Timeout: pingTimeout}, now)
					err = cmp.Or(err, e)
				})
				out = append(out, p)
			}
		}
		return out
	}
	pings, others = start(b.pairs, b.c.Interval), start(b.others, otherInterval)
	return pings, others, err
}

// count ends pings, waits for the last answers, and adds up. What did not leave a host is lost too.
func (b *failoverBed) count(ctx context.Context, list []pinging) (sent, lost uint64, err error) {
	for _, p := range list {
		p.from.Do(func(_ *host.Host, now time.Duration, _ host.Output) {
			if p.ping != nil {
				p.ping.Stop(now)
			}
		})
	}
	for _, p := range list {
		var r host.PingReport
		err := pace.Until(ctx, failoverPoll, 2*pingTimeout, func() (bool, error) {
			p.from.Do(func(*host.Host, time.Duration, host.Output) { r = p.ping.Report() })
			return r.Done, nil
		}, func() error { return errors.New("a ping does not end") })
		if err != nil {
			return 0, 0, err
		}
		sent, lost = sent+r.Sent+r.Unsent, lost+r.Lost+r.Unsent
	}
	return sent, lost, nil
}
