package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/emu/topo"
)

// measure starts an instance, connects the network, waits until the view is whole, and leaves it
// alone for a while; then single switches connect.
func (d *discoveryRun) measure(ctx context.Context) error {
	p, err := startView(ctx, d.null, d.c.Program, d.c.Topology, d.c.Seed)
	if err != nil {
		return err
	}
	defer p.Stop()
	api, err := client.New(client.Config{Address: p.API})
	if err != nil {
		return err
	}
	defer api.Close()
	single, err := loadswitch.ParseTopology(fmt.Sprintf("single:%d", d.c.Single), d.c.Seed)
	if err != nil {
		return err
	}
	later := &startRun{startScore: &startScore{c: &Start{Version: d.c.Version, topology: single}, shown: d.shown,
		sent: report.NewHistogram(), request: report.NewHistogram()}, process: p, api: api}
	if err := target.AwaitReady(ctx, api); err != nil {
		return err
	}
	if err := d.find(ctx, p, api); err != nil {
		return err
	}
	return later.oneByOne(ctx)
}

// find connects the network and follows the view's changes until everything is there.
func (d *discoveryRun) find(ctx context.Context, p *target.Process, api *client.Client) error {
	net := loadswitch.New(d.c.topology, loadswitch.Config{Version: d.c.Version, Hosts: 1})
	defer target.CloseNetwork(net)
	v := newViewed(d.c.topology, net)
	page, err := api.Links(ctx)
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- api.Watch(watching, client.Watch{After: page.Revision, Kinds: []string{"switch", "link"}}, v.event)
	}()
	defer func() {
		stop()
		<-ended
	}()
	before := target.ReadCPUTimes(p)
	v.begin()
	if err := net.Connect(ctx, p.Address); err != nil {
		return err
	}
	select {
	case <-v.whole:
	case err := <-ended:
		ended <- nil
		return fmt.Errorf("the view could not be followed: %w", err)
	case <-time.After(d.c.Limit):
		return fmt.Errorf("%s after %v", v.missing(), d.c.Limit)
	case <-ctx.Done():
		return ctx.Err()
	}
	d.usage = target.UsageSince(before, p)
	if err := pace.Wait(ctx, d.c.Rest); err != nil {
		return err
	}
	d.usage.TargetMemory, d.usage.GeneratorMemory = p.Memory(), target.OwnMemory()
	var wrong error
	d.switches, d.links, d.falsely, wrong = v.result()
	if n := net.Disconnected(); n > 0 {
		return fmt.Errorf("%d sessions were ended: %w", n, net.Ended())
	}
	return wrong
}

// viewed is what the changes of an instance's view add up to.
type viewed struct {
	want   map[string]bool // links, by their ends
	ids    map[string]bool // switches
	whole  chan struct{}   // closed when everything was there for the first time
	mu     sync.Mutex
	wrong  error
	began  time.Time
	links  map[string]bool
	there  map[string]bool
	allIn  time.Duration // all switches
	allUp  time.Duration // all links
	losses int           // of links, when everything had been there
}

// newViewed wants the links of a topology both ways.
func newViewed(t *topo.Topology, net *loadswitch.Network) *viewed {
	v := &viewed{want: map[string]bool{}, ids: map[string]bool{}, whole: make(chan struct{}),
		links: map[string]bool{}, there: map[string]bool{}}
	point := func(e topo.End) client.Point {
		return client.Point{DPID: client.FormatDPID(net.Switches[e.Switch].DatapathID()), Port: e.Port}
	}
	for _, sw := range net.Switches {
		v.ids[client.FormatDPID(sw.DatapathID())] = true
	}
	for _, l := range t.Links {
		a, b := point(l.A), point(l.B)
		v.want[way(a, b)], v.want[way(b, a)] = true, true
	}
	return v
}

// way is a direction of a link.
func way(from, to client.Point) string {
	return fmt.Sprintf("%s/%d->%s/%d", from.DPID, from.Port, to.DPID, to.Port)
}

func (v *viewed) begin() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.began = time.Now()
}

// event takes a change of the view.
func (v *viewed) event(e client.Event) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var err error
	switch e.Kind {
	case "switch":
		var s client.Switch
		if err = json.Unmarshal(e.Data, &s); err == nil && v.ids[s.DPID] {
			set(v.there, s.DPID, s.Connected && !e.Delete)
		}
	case "link":
		var l client.Link
		if err = json.Unmarshal(e.Data, &l); err == nil {
			v.link(&l, e.Delete)
		}
	}
	v.look()
	return err
}

// link takes a change of a link; v.mu is held.
func (v *viewed) link(l *client.Link, gone bool) {
	name, up := way(l.Src, l.Dst), l.Up && l.State == "confirmed" && !gone
	if up && !v.want[name] {
		v.wrong = errors.Join(v.wrong, fmt.Errorf("link %s is shown, which there is not", name))
		return
	}
	if v.links[name] && !up && v.allUp > 0 {
		v.losses++
	}
	set(v.links, name, up)
}

// set has something be in a set or not.
func set(in map[string]bool, name string, is bool) {
	if is {
		in[name] = true
	} else {
		delete(in, name)
	}
}

// look takes the times at which everything is there; v.mu is held.
func (v *viewed) look() {
	if v.allIn == 0 && len(v.there) == len(v.ids) {
		v.allIn = time.Since(v.began)
	}
	if v.allUp == 0 && v.allIn > 0 && len(v.links) == len(v.want) {
		v.allUp = time.Since(v.began)
		close(v.whole)
	}
}

// missing says what is not there.
func (v *viewed) missing() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return fmt.Sprintf("%d of %d switches and %d of %d directions of links are shown", len(v.there), len(v.ids),
		len(v.links), len(v.want))
}

// result is when all switches and all links were there, and how many links were lost since.
func (v *viewed) result() (switches, links time.Duration, losses int, wrong error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.allIn, v.allUp, v.losses, v.wrong
}
