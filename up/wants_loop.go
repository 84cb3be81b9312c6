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
	"github.com/weirnet/weir/emu/desk"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
)

// demand asks the instance for intents, as any user of its interface, has their hosts talk, and cuts links. Its goroutines: one that follows
// the intents' events, and run, which does all else.
type demand struct {
	api   *client.Client
	desk  *desk.Desk
	topo  *topo.Topology
	list  []want
	pings []*host.Ping // the series of each intent that is under way
	every time.Duration
	seed  uint64
	note  func(string)

	mu       sync.Mutex
	asked    *asked
	wanted   Wanted
	all      bool          // all have been installed
	allAfter time.Duration // since they were asked for
}

// Each intent's host sends series of echo requests to the other.
const (
	seriesOf    = 10
	seriesEvery = 200 * time.Millisecond
	seriesWait  = time.Second
)

// Batches of requests, and how long one may take.
const (
	wantsOf   = 100
	wantsWait = 30 * time.Second
)

// run asks for the intents, and has hosts talk over them and links cut, until the context ends.
func (d *demand) run(ctx context.Context) error {
	d.pings = make([]*host.Ping, len(d.list))
	begun := time.Now()
	var following sync.WaitGroup
	defer following.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	page, err := d.api.Members(ctx) // its revision is where the events are followed from
	if err != nil {
		return err
	}
	following.Go(func() { d.follow(ctx, page.Revision) })
	if err := d.ask(ctx); err != nil {
		return err
	}
	tick := time.NewTicker(seriesEvery)
	defer tick.Stop()
	cutting := &cutter{rand: rand.New(rand.NewPCG(d.seed, 0x637574)), now: map[int]bool{}}
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if !d.look(begun) {
			continue
		}
		d.talk()
		if d.every > 0 && time.Since(last) >= d.every {
			last = time.Now()
			d.change(cutting)
		}
	}
}

// ask sends the requests.
func (d *demand) ask(ctx context.Context) error {
	for first := 0; first < len(d.list); first += wantsOf {
		var batch []client.IntentRequest
		for _, w := range d.list[first:min(first+wantsOf, len(d.list))] {
			batch = append(batch, client.IntentRequest{ID: w.id, Kind: client.HostToHost, Src: client.HostEnd(hostID(&d.topo.Hosts[w.from])),
				Dst: client.HostEnd(hostID(&d.topo.Hosts[w.to]))})
		}
		limited, cancel := context.WithTimeout(ctx, wantsWait)
		answers, err := d.api.CreateIntents(limited, batch, client.CreateOptions{})
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

// follow hears what becomes of the intents.
func (d *demand) follow(ctx context.Context, after string) {
	err := d.api.Watch(ctx, client.Watch{After: after, Kinds: []string{"intent"}}, func(e client.Event) error {
		if e.Kind != "intent" {
			return nil
		}
		var it client.Intent
		if err := json.Unmarshal(e.Data, &it); err != nil {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.asked.hear(it.ID, it.State, e.Delete)
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) && ctx.Err() == nil {
		d.note(fmt.Sprintf("the intents cannot be followed: %v", err))
	}
}

// look says whether all intents have been installed, and notes when they were.
func (d *demand) look(begun time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.all && len(d.asked.installed) == len(d.list) {
		d.all, d.allAfter = true, time.Since(begun)
	}
	return d.all
}

// whole says whether all intents have been installed.
func (d *demand) whole() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all
}

// talk begins a series for each intent that has none under way, and adds up those that are over.
func (d *demand) talk() {
	hosts := d.desk.Network().Hosts()
	for i := range d.list {
		w := &d.list[i]
		hosts[w.from].Do(func(s *host.Host, now time.Duration, _ host.Output) {
			if p := d.pings[i]; p != nil {
				r := p.Report()
				if !r.Done {
					return
				}
				d.mu.Lock()
				d.wanted.Sent += r.Sent
				d.wanted.Lost += r.Lost
				d.mu.Unlock()
			}
			to := d.topo.Hosts[w.to].IPv6.Addr()
			if v4 := d.topo.Hosts[w.to].IPv4; v4.IsValid() {
				to = v4.Addr()
			}
			d.pings[i], _ = s.Ping(host.PingSpec{Dst: to, Count: seriesOf, Interval: seriesEvery, Timeout: seriesWait}, now)
		})
	}
}

// cutter is which links are cut.
type cutter struct {
	rand *rand.Rand
	now  map[int]bool
}

// change mends the link that is cut, or cuts one that the network holds together without.
func (d *demand) change(c *cutter) {
	link, up := spare(d.topo, c.now, c.rand), false
	for l := range c.now {
		link, up = l, true
	}
	if link < 0 {
		return
	}
	id := d.topo.Links[link].ID
	if err := d.desk.Do(topo.LinkAction{Link: id, Up: &up}); err != nil {
		d.note(fmt.Sprintf("link %s: %v", id, err))
		return
	}
	what := "is cut"
	if up {
		what = "is mended"
		delete(c.now, link)
	} else {
		c.now[link] = true
	}
	d.note(fmt.Sprintf("link %s %s", id, what))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted.Cut = len(c.now)
	if !up {
		d.wanted.Cuts++
	}
}

// state is how the intents are, and how long it took until all were installed; 0 before that.
func (d *demand) state() (Wanted, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.wanted
	w.All, w.States, w.Installed, w.Reroutes = len(d.list), d.asked.counts(), len(d.asked.installed), d.asked.reroutes
	return w, d.allAfter
}
