package target

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/emu/topo"
)

// Testbed is an instance with a network whose switches and links it has found.
type Testbed struct {
	Instance *Instance
	Process  *Process
	api      *client.Client
	Net      *loadswitch.Network
	Paths    *paths.Set
	// Paths first to next-1 are asked for and not withdrawn. A load that runs owns both.
	First, Next int
}

// Open starts an instance, or finds the one that runs, connects the network, and waits until the
// instance shows all of it.
func (c *Instance) Open(ctx context.Context) (g *Testbed, err error) {
	g = &Testbed{Instance: c, Net: c.newNetwork()}
	defer func() {
		if err != nil {
			g.Close()
		}
	}()
	if g.Paths, err = paths.New(g.Net, c.Hops, c.Seed); err != nil {
		return g, err
	}
	if err := g.start(ctx); err != nil {
		return g, err
	}
	if err := g.Ready(ctx); err != nil {
		return g, err
	}
	return g, g.connect(ctx)
}

// start starts the instance, if none is given.
func (g *Testbed) start(ctx context.Context) (err error) {
	c := g.Instance
	if c.Controller != "" {
		g.Process = &Process{Address: c.Controller, API: c.API}
	} else if c.Null {
		if g.Process, err = StartNull(ctx, c.Topology, c.Hops, c.Seed); err != nil {
			return err
		}
	} else if g.Process, err = StartIn(ctx, c.Dir, c.Program); err != nil {
		return err
	}
	g.api, err = client.New(client.Config{Address: g.Process.API, Token: c.Token})
	return err
}

// connect connects the switches, and waits until all links are shown both ways. What a test asks
// serves one run after the other: the switches of the last one have to be gone from it.
func (g *Testbed) connect(ctx context.Context) error {
	if lab := g.Instance.Test; lab != nil {
		if err := g.Poll(ctx, func() (err error) {
			if n := lab.Links(); n > 0 {
				err = fmt.Errorf("%d directions of links of the last run are still shown", n)
			}
			return err
		}); err != nil {
			return err
		}
	}
	if err := g.Net.Connect(ctx, g.Process.Address); err != nil {
		return err
	}
	return g.Poll(ctx, func() error { return g.CheckLinks(ctx) })
}

// CheckLinks returns an error until the instance shows all links.
func (g *Testbed) CheckLinks(ctx context.Context) (err error) {
	n := 0
	if g.Instance.Test != nil {
		n = g.Instance.Test.Links()
	} else if n, err = LinksShown(ctx, g.api); err != nil {
		return err
	}
	if want := 2 * len(g.Net.Topology().Links); n != want {
		return fmt.Errorf("%d of %d directions of links are shown", n, want)
	}
	return nil
}

// LinksShown is how many directions of links an instance shows as up and confirmed.
func LinksShown(ctx context.Context, api *client.Client) (n int, err error) {
	page, err := api.Links(ctx)
	if err != nil {
		return 0, err
	}
	for i := range page.Items {
		if l := &page.Items[i]; l.Up && l.State == "confirmed" {
			n++
		}
	}
	return n, nil
}

// AwaitLinks waits until an instance shows all links of a topology both ways.
func AwaitLinks(ctx context.Context, api *client.Client, t *topo.Topology, limit time.Duration) error {
	n, want := 0, 2*len(t.Links)
	return pace.Until(ctx, PollPeriod, limit, func() (is bool, err error) {
		n, err = LinksShown(ctx, api)
		return err == nil && n == want, nil
	}, func() error {
		return fmt.Errorf("%d of %d directions of links are shown after %v", n, want, limit)
	})
}

// PollPeriod is how often it is looked whether something has happened whose time is known
// otherwise, or does not matter.
const PollPeriod = 20 * time.Millisecond

// Poll waits until something is as expected.
func (g *Testbed) Poll(ctx context.Context, is func() error) error {
	for began := time.Now(); ; {
		if err := pace.Wait(ctx, PollPeriod); err != nil {
			return err
		}
		err := is()
		if err == nil {
			return nil
		}
		if time.Since(began) > g.Instance.Limit {
			return fmt.Errorf("after %v: %w", g.Instance.Limit, err)
		}
		if err := g.Check(); err != nil {
			return err
		}
	}
}

// Ready waits for the API's first answer.
func (g *Testbed) Ready(ctx context.Context) error {
	if g.Instance.Test != nil {
		return nil
	}
	return AwaitReady(ctx, g.api)
}

// AwaitReady waits for an API's first answer.
func AwaitReady(ctx context.Context, api *client.Client) error {
	for began := time.Now(); ; pace.Nap(200 * time.Microsecond) {
		_, err := api.Switches(ctx)
		if err == nil || ctx.Err() != nil || time.Since(began) > StartLimit {
			return err
		}
	}
}

// entryPollPeriod is how often it is looked what switches have received. Times are those of the
// entries: this only has to be over soon. A sleep of the system's would keep a processor of the
// runtime's from those who read for the switches.
const entryPollPeriod = time.Millisecond

// AwaitEntries waits until what switches have received is enough, as told by done.
func (g *Testbed) AwaitEntries(ctx context.Context, what string, done func(loadswitch.Tally) bool) error {
	for began := time.Now(); !done(g.Net.Tally()); time.Sleep(entryPollPeriod) {
		if err := g.Check(); err != nil {
			return err
		}
		if time.Since(began) > g.Instance.Limit {
			t := g.Net.Tally()
			return fmt.Errorf("%w: %s: after %v switches have %s entries of paths put and %s removed in %s flow-mods; %s",
				report.ErrMissing, what, g.Instance.Limit, report.Thousands(t.Put), report.Thousands(t.Removed),
				report.Thousands(t.FlowMods), g.DescribeBroken())
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// DescribeBroken says where paths that were asked for end before their end.
func (g *Testbed) DescribeBroken() string {
	at, n := map[uint64]int{}, 0
	for p, t := range g.Broken(false, g.First, g.Next) {
		n++
		sw := g.Net.Switches[p.From.Switch]
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
	return fmt.Sprintf("%s of %s paths end on the way, at %d switches: %s of them at %s", report.Thousands(n),
		report.Thousands(g.Next-g.First), len(at), report.Thousands(at[worst]), client.FormatDPID(worst))
}

// Verify follows paths, and wants each to lead to where it was asked to, over as many switches as
// are wanted if exact, and no entry of a path besides.
func (g *Testbed) Verify(exact bool, first, next int) error {
	var t paths.Received
	wrong, entries := 0, 0
	for n := first; n < next; n++ {
		p := g.Paths.At(n)
		if !g.Paths.Follow(&p, exact, &t) {
			wrong++
		}
		entries += len(t.Steps)
	}
	if wrong > 0 {
		return fmt.Errorf("%w: %s of %s paths do not lead to where they were to, over %d switches each", report.ErrMisforwarded,
			report.Thousands(wrong), report.Thousands(next-first), g.Paths.Hops)
	}
	held := 0
	for _, sw := range g.Net.Switches {
		held += sw.Paths()
	}
	if held != entries {
		return fmt.Errorf("%w: switches hold %s entries of paths, and %s paths have %s", report.ErrMisforwarded,
			report.Thousands(held), report.Thousands(next-first), report.Thousands(entries))
	}
	return nil
}

// AwaitReceived waits until switches have received as many entries as some paths have, and then for
// the last of them to be there.
func (g *Testbed) AwaitReceived(ctx context.Context, before loadswitch.Tally, first, next int) error {
	want := before.Put + uint64((next-first)*g.Paths.Hops)
	return g.AwaitEntries(ctx, fmt.Sprintf("%s paths asked for", report.Thousands(next-first)),
		func(t loadswitch.Tally) bool {
			return t.Put >= want && g.Complete(first, next)
		})
}

// Complete reports whether all of some paths lead to where they were to.
func (g *Testbed) Complete(first, next int) bool {
	for range g.Broken(true, first, next) {
		return false
	}
	return true
}

// Broken yields those of some paths that do not lead to where they were to, with how far they go.
func (g *Testbed) Broken(exact bool, first, next int) iter.Seq2[paths.Path, *paths.Received] {
	return func(yield func(paths.Path, *paths.Received) bool) {
		var t paths.Received
		for n := first; n < next; n++ {
			if p := g.Paths.At(n); !g.Paths.Follow(&p, exact, &t) && !yield(p, &t) {
				return
			}
		}
	}
}

// CheckPaths wants paths to lead to where they were asked to.
func (g *Testbed) CheckPaths(moving []int) error {
	var t paths.Received
	for _, n := range moving {
		if p := g.Paths.At(n); !g.Paths.Follow(&p, false, &t) {
			return fmt.Errorf("%w: path %d leads nowhere", report.ErrMisforwarded, n)
		}
	}
	return nil
}

// AwaitDisconnected waits until all sessions have ended.
func (g *Testbed) AwaitDisconnected(ctx context.Context) error {
	return pace.Until(ctx, time.Millisecond, StartLimit, func() (bool, error) {
		return g.Net.Disconnected() >= len(g.Net.Switches), nil
	}, func() error {
		return fmt.Errorf("%d of %d sessions have ended %v after the instance", g.Net.Disconnected(),
			len(g.Net.Switches), StartLimit)
	})
}

// Check finds an instance or sessions that have ended.
func (g *Testbed) Check() error {
	if err := g.Process.Check(); err != nil {
		return err
	}
	return g.Net.Lost()
}

// Close ends the network and the instance.
func (g *Testbed) Close() {
	CloseNetwork(g.Net)
	if g.api != nil {
		g.api.Close()
	}
	if g.Process != nil {
		g.Process.Stop()
	}
}

// CloseNetwork ends the sessions of a network: what a controller does not read is cut.
func CloseNetwork(n *loadswitch.Network) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = n.Close(ctx)
}
