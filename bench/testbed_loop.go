package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// testbed is an instance with a network whose switches and links it has found.
type testbed struct {
	c       *Setup
	process *target.Process
	api     *client.Client
	net     *loadswitch.Network
	paths   *paths.Set
	// Paths first to next-1 are asked for and not withdrawn. A pump that runs owns both.
	first, next int
}

// begin starts an instance, or finds the one that runs, connects the network, and waits until the
// instance shows all of it.
func (c *Setup) begin(ctx context.Context) (g *testbed, err error) {
	t, err := loadswitch.ParseTopology(c.Topology, c.Seed)
	if err != nil {
		return nil, err
	}
	g = &testbed{c: c, net: c.newNetwork(t)}
	defer func() {
		if err != nil {
			g.close()
		}
	}()
	if g.paths, err = paths.New(g.net, c.Hops, c.Seed); err != nil {
		return g, err
	}
	if err := g.start(ctx); err != nil {
		return g, err
	}
	if err := g.ready(ctx); err != nil {
		return g, err
	}
	return g, g.connect(ctx)
}

// start starts the instance, if none is given.
func (g *testbed) start(ctx context.Context) (err error) {
	c := g.c
	if c.Controller != "" {
		g.process = &target.Process{Address: c.Controller, API: c.API}
	} else if c.null {
		if g.process, err = target.StartNull(ctx, c.Topology, c.Hops, c.Seed); err != nil {
			return err
		}
	} else if g.process, err = target.StartIn(ctx, c.Dir, c.Program); err != nil {
		return err
	}
	g.api, err = client.New(client.Config{Address: g.process.API, Token: c.Token})
	return err
}

// connect connects the switches, and waits until all links are shown both ways. What a test asks
// serves one run after the other: the switches of the last one have to be gone from it.
func (g *testbed) connect(ctx context.Context) error {
	if lab := g.c.test; lab != nil {
		if err := g.poll(ctx, func() (err error) {
			if n := lab.links(); n > 0 {
				err = fmt.Errorf("%d directions of links of the last run are still shown", n)
			}
			return err
		}); err != nil {
			return err
		}
	}
	if err := g.net.Connect(ctx, g.process.Address); err != nil {
		return err
	}
	return g.poll(ctx, func() error { return g.checkLinks(ctx) })
}

// checkLinks returns an error until the instance shows all links.
func (g *testbed) checkLinks(ctx context.Context) (err error) {
	n := 0
	if g.c.test != nil {
		n = g.c.test.links()
	} else if n, err = linksShown(ctx, g.api); err != nil {
		return err
	}
	if want := 2 * len(g.net.Topology().Links); n != want {
		return fmt.Errorf("%d of %d directions of links are shown", n, want)
	}
	return nil
}

// linksShown is how many directions of links an instance shows as up and confirmed.
func linksShown(ctx context.Context, api *client.Client) (n int, err error) {
	page, err := api.Links(ctx)
	if err != nil {
		return 0, err
	}
	for i := range page.Items {
		if l := &page.Items[i]; l.Up && l.State == confirmed {
			n++
		}
	}
	return n, nil
}

// confirmed is the state of a link that probes are heard over.
const confirmed = "confirmed"

// pollPeriod is how often it is looked whether something has happened whose time is known
// otherwise, or does not matter.
const pollPeriod = 20 * time.Millisecond

// poll waits until something is as expected.
func (g *testbed) poll(ctx context.Context, is func() error) error {
	for began := time.Now(); ; {
		if err := pace.Wait(ctx, pollPeriod); err != nil {
			return err
		}
		err := is()
		if err == nil {
			return nil
		}
		if time.Since(began) > g.c.Limit {
			return fmt.Errorf("after %v: %w", g.c.Limit, err)
		}
		if err := g.check(); err != nil {
			return err
		}
	}
}

// ready waits for the API's first answer.
func (g *testbed) ready(ctx context.Context) error {
	for began := time.Now(); g.c.test == nil; {
		_, err := g.api.Switches(ctx)
		if err == nil || ctx.Err() != nil || time.Since(began) > target.StartLimit {
			return err
		}
		time.Sleep(entryPollPeriod)
	}
	return nil
}

// entryPollPeriod is how often it is looked what switches have received. Times are those of the
// entries: this only has to be over soon. A sleep of the system's would keep a processor of the
// runtime's from those who read for the switches.
const entryPollPeriod = time.Millisecond

// awaitEntries waits until what switches have received is enough, as told by done.
func (g *testbed) awaitEntries(ctx context.Context, what string, done func(loadswitch.Tally) bool) error {
	for began := time.Now(); !done(g.net.Tally()); time.Sleep(entryPollPeriod) {
		if err := g.check(); err != nil {
			return err
		}
		if time.Since(began) > g.c.Limit {
			t := g.net.Tally()
			return fmt.Errorf("%w: %s: after %v switches have %s entries of paths put and %s removed in %s flow-mods; %s",
				report.ErrMissing, what, g.c.Limit,
				report.Thousands(float64(t.Put)), report.Thousands(float64(t.Removed)),
				report.Thousands(float64(t.FlowMods)), g.describeBroken())
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// describeBroken says where paths that were asked for end before their end.
func (g *testbed) describeBroken() string {
	var t paths.Received
	at, n := map[uint64]int{}, 0
	for i := g.first; i < g.next; i++ {
		p := g.paths.At(i)
		if g.paths.Follow(&p, false, &t) {
			continue
		}
		n++
		sw := g.net.Switches[p.From.Switch]
		if len(t.Steps) > 0 {
			last := &t.Steps[len(t.Steps)-1]
			if sw, _, _ = last.Switch.Peer(last.Out); sw == nil {
				sw = last.Switch
			}
		}
		at[sw.DatapathID()]++
	}
	worst := uint64(0)
	for id := range at {
		if worst == 0 || at[id] > at[worst] {
			worst = id
		}
	}
	if n == 0 {
		return "all paths lead to their ends"
	}
	return fmt.Sprintf("%s of %s paths end on the way, at %d switches: %s of them at %s", report.Thousands(float64(n)),
		report.Thousands(float64(g.next-g.first)), len(at),
		report.Thousands(float64(at[worst])), client.FormatDPID(worst))
}

// verify follows paths, and wants each to lead to where it was asked to, over as many switches as
// are wanted if exact, and no entry of a path besides.
func (g *testbed) verify(exact bool, first, next int) error {
	var t paths.Received
	wrong, entries := 0, 0
	for n := first; n < next; n++ {
		p := g.paths.At(n)
		if !g.paths.Follow(&p, exact, &t) {
			wrong++
		}
		entries += len(t.Steps)
	}
	if wrong > 0 {
		return fmt.Errorf("%w: %s of %s paths do not lead to where they were to, over %d switches each", report.ErrMisforwarded,
			report.Thousands(float64(wrong)),
			report.Thousands(float64(next-first)), g.paths.Hops)
	}
	held := 0
	for _, sw := range g.net.Switches {
		held += sw.Paths()
	}
	if held != entries {
		return fmt.Errorf("%w: switches hold %s entries of paths, and %s paths have %s", report.ErrMisforwarded,
			report.Thousands(float64(held)),
			report.Thousands(float64(next-first)), report.Thousands(float64(entries)))
	}
	return nil
}

// Check finds an instance or sessions that have ended.
func (g *testbed) check() error {
	if err := g.process.Check(); err != nil {
		return err
	}
	return g.net.Lost()
}

// close ends the network and the instance.
func (g *testbed) close() {
	closeNetwork(g.net)
	if g.api != nil {
		g.api.Close()
	}
	if g.process != nil {
		g.process.Stop()
	}
}
