package up

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
)

// workload asks the instance for intents over its API, has their hosts ping each other, and cuts
// links. It has two goroutines: follow, which reads the intents' events, and run.
type workload struct {
	find     func(context.Context) *client.Client // of the instance that decides; nil: none does now
	moves    bool                                 // another may do so later
	operator *control.Operator
	topo     *topo.Topology
	list     []demoIntent
	pings    []*host.Ping // the running series of each intent
	cutEvery time.Duration
	seed     uint64
	note     func(string)

	mu             sync.Mutex
	states         *intentStates
	stats          IntentStats
	installed      bool          // all were installed at some time
	installedAfter time.Duration // from the request
}

// Each intent's first host sends series of echo requests to the second.
const (
	pingCount    = 10
	pingInterval = 200 * time.Millisecond
	pingTimeout  = time.Second
)

// Limits of a batch of requests.
const (
	batchSize    = 100
	batchTimeout = 30 * time.Second
)

// run submits the intents, then sends pings over them and cuts links, until the context ends.
func (d *workload) run(ctx context.Context) error {
	d.pings = make([]*host.Ping, len(d.list))
	begun := time.Now()
	var followers sync.WaitGroup
	defer followers.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	api := d.find(ctx)
	for ; api == nil; api = d.find(ctx) {
		if !wait(ctx, refollowPeriod) {
			return nil
		}
	}
	page, err := api.Members(ctx) // events are read from its revision on
	if err != nil {
		return err
	}
	followers.Go(func() { d.follow(ctx, api, page.Revision) })
	if err := d.submit(ctx, api); err != nil {
		return err
	}
	tick := time.NewTicker(pingInterval)
	defer tick.Stop()
	cutting := &linkCutter{rand: rand.New(rand.NewPCG(d.seed, 0x637574)), cut: map[int]bool{}}
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if !d.checkInstalled(begun) {
			continue
		}
		d.sendPings()
		if d.cutEvery > 0 && time.Since(last) >= d.cutEvery {
			last = time.Now()
			d.toggleLink(cutting)
		}
	}
}

// submit sends the requests in batches.
func (d *workload) submit(ctx context.Context, api *client.Client) error {
	for first := 0; first < len(d.list); first += batchSize {
		var batch []client.IntentRequest
		for _, w := range d.list[first:min(first+batchSize, len(d.list))] {
			batch = append(batch,
				client.IntentRequest{ID: w.id, Kind: client.HostToHost, Src: client.HostEnd(hostID(&d.topo.Hosts[w.from])),
					Dst: client.HostEnd(hostID(&d.topo.Hosts[w.to]))})
		}
		limited, cancel := context.WithTimeout(ctx, batchTimeout)
		answers, err := api.CreateIntents(limited, batch, client.CreateOptions{})
		cancel()
		if err != nil {
			return fmt.Errorf("asking for intents: %w", err)
		}
		for i := range answers.Items {
			if a := &answers.Items[i]; !a.OK() {
				return fmt.Errorf("intent %s is %s: %s", a.ID, a.Status, a.Detail)
			}
		}
	}
	return nil
}

// refollowPeriod is how long is waited until it is looked again who decides.
const refollowPeriod = 200 * time.Millisecond

// follow reads the intents' events, of a cluster those of the instance that decides.
func (d *workload) follow(ctx context.Context, api *client.Client, after string) {
	for {
		err := d.followOne(ctx, api, after)
		if !d.moves || ctx.Err() != nil {
			if err != nil && !errors.Is(err, context.Canceled) && ctx.Err() == nil {
				d.note(fmt.Sprintf("the intents cannot be followed: %v", err))
			}
			return
		}
		for after = ""; after == ""; {
			if !wait(ctx, refollowPeriod) {
				return
			}
			if api = d.find(ctx); api != nil {
				after = d.reread(ctx, api)
			}
		}
	}
}

// reread reads the states of all intents, and returns from where on events follow; empty: they could not be read.
func (d *workload) reread(ctx context.Context, api *client.Client) (revision string) {
	page, err := api.Intents(ctx)
	if err != nil {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range page.Items {
		d.states.update(page.Items[i].ID, page.Items[i].State, false)
	}
	return page.Revision
}

// followOne reads the events of an instance, until it is gone, or another decides.
func (d *workload) followOne(ctx context.Context, api *client.Client, after string) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	if d.moves {
		var looking sync.WaitGroup
		defer looking.Wait()
		defer end()
		looking.Go(func() {
			for wait(ctx, refollowPeriod) && d.find(ctx) == api {
			}
			end()
		})
	}
	return api.Watch(ctx, client.Watch{After: after, Kinds: []string{"intent"}}, func(e client.Event) error {
		if e.Kind != "intent" {
			return nil
		}
		var it client.Intent
		if err := json.Unmarshal(e.Data, &it); err != nil {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.states.update(it.ID, it.State, e.Delete)
		return nil
	})
}

// wait waits for a time; false: the context has ended.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// checkInstalled reports whether all intents were installed, and records how long that took.
func (d *workload) checkInstalled(begun time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.installed && len(d.states.installed) == len(d.list) {
		d.installed, d.installedAfter = true, time.Since(begun)
	}
	return d.installed
}

// allInstalled reports whether all intents were installed.
func (d *workload) allInstalled() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.installed
}

// sendPings starts a series for each intent without a running one, and adds up finished ones.
func (d *workload) sendPings() {
	hosts := d.operator.Network().Hosts()
	for i := range d.list {
		w := &d.list[i]
		hosts[w.from].Do(func(s *host.Host, now time.Duration, _ host.Output) {
			if p := d.pings[i]; p != nil {
				r := p.Report()
				if !r.Done {
					return
				}
				d.mu.Lock()
				d.stats.Sent += r.Sent
				d.stats.Lost += r.Lost
				d.mu.Unlock()
			}
			to := d.topo.Hosts[w.to].IPv6.Addr()
			if v4 := d.topo.Hosts[w.to].IPv4; v4.IsValid() {
				to = v4.Addr()
			}
			d.pings[i], _ = s.Ping(host.PingSpec{Dst: to, Count: pingCount, Interval: pingInterval, Timeout: pingTimeout}, now)
		})
	}
}

// linkCutter keeps which links are cut.
type linkCutter struct {
	rand *rand.Rand
	cut  map[int]bool
}

// toggleLink restores the link that is cut, or cuts one that does not partition the network.
func (d *workload) toggleLink(c *linkCutter) {
	link, up := redundantLink(d.topo, c.cut, c.rand), false
	for l := range c.cut {
		link, up = l, true
	}
	if link < 0 {
		return
	}
	id := d.topo.Links[link].ID
	if err := d.operator.Do(topo.LinkAction{Link: id, Up: &up}); err != nil {
		d.note(fmt.Sprintf("link %s: %v", id, err))
		return
	}
	what := "is cut"
	if up {
		what = "is restored"
		delete(c.cut, link)
	} else {
		c.cut[link] = true
	}
	d.note(fmt.Sprintf("link %s %s", id, what))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stats.CutNow = len(c.cut)
	if !up {
		d.stats.Cuts++
	}
}

// state returns the counts, and how long it took until all were installed; 0 before that.
func (d *workload) state() (IntentStats, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.stats
	w.All, w.States, w.EverInstalled, w.Reroutes = len(d.list), d.states.counts(), len(d.states.installed), d.states.reroutes
	return w, d.installedAfter
}
