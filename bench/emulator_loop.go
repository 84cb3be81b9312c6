package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

func (e *emulatorRun) run(ctx context.Context) error {
	if err := e.connect(ctx); err != nil {
		return err
	}
	return e.forward(ctx)
}

// connect makes the network, and waits until all switches are connected to the null controller,
// which is a process of its own.
func (e *emulatorRun) connect(ctx context.Context) error {
	p, err := target.StartOwn(ctx, target.Bare, e.c.Program)
	if err != nil {
		return err
	}
	defer p.Stop()
	before, used := target.ReadCPUTimes(p), inUse()
	n, err := startEmulated(ctx, emu.Config{Topology: e.c.topology, Versions: []openflow.Version{e.c.Version},
		Controllers: []string{p.Address}, Silent: true, Seed: e.c.Seed, Profile: e.c.Profile})
	if err != nil {
		return err
	}
	defer closeEmulated(n)
	limited, cancel := context.WithTimeout(ctx, e.c.Limit)
	defer cancel()
	if err := n.AwaitConnected(limited); err != nil {
		return fmt.Errorf("%d of %d switches are connected after %v: %w", n.Totals().Connected,
			len(e.c.topology.Switches), e.c.Limit, err)
	}
	e.connecting = target.UsageSince(before, p)
	e.memory = max(inUse()-used, 0)
	e.fidelity = n.Fidelity()
	return nil
}

// forward has frames go round a ring of switches for ever.
func (e *emulatorRun) forward(ctx context.Context) error {
	t, err := topo.Parse(fmt.Sprintf("ring:%d", e.c.Ring), e.c.Seed)
	if err != nil {
		return err
	}
	n, err := startEmulated(ctx, emu.Config{Topology: t, Versions: []openflow.Version{openflow.V13}, Silent: true,
		Seed: e.c.Seed, Profile: e.c.Profile})
	if err != nil {
		return err
	}
	defer closeEmulated(n)
	for i, sw := range n.Switches() {
		_, out, _, _ := n.Links()[i].Ends()
		for r := range e.c.Rules {
			if err := sw.Console().Apply(openflow.V13, ringRule(r, out)); err != nil {
				return err
			}
		}
	}
	for i := range e.c.Flows {
		frame := ringFrame(i)
		n.Hosts()[i%e.c.Ring].Do(func(_ *host.Host, _ time.Duration, out host.Output) { out.Send(frame) })
	}
	err = pace.Until(ctx, time.Millisecond, e.c.Limit, func() (bool, error) {
		return n.Totals().PacketHops >= uint64(4*e.c.Ring*e.c.Flows), nil // every flow has been looked up everywhere
	}, func() error {
		return fmt.Errorf("%s packet-hops after %v", report.Thousands(n.Totals().PacketHops), e.c.Limit)
	})
	if err != nil {
		return err
	}
	before, hops := target.ReadCPUTimes(nil), n.Totals().PacketHops
	if err := pace.Wait(ctx, e.c.Duration); err != nil {
		return err
	}
	totals := n.Totals()
	e.forwarding, e.hops = target.UsageSince(before, nil), totals.PacketHops-hops
	if f := n.Fidelity(); f.Total.Wait > e.fidelity.Total.Wait || !f.Kept {
		e.fidelity = f
	}
	if lost := totals.Drops.Total(); lost > 0 {
		return fmt.Errorf("%w: %d of the frames in the ring were lost", report.ErrMisforwarded, lost)
	}
	return nil
}

// inUse is what heap and stacks take after a collection, in bytes.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// startEmulated starts a network; closeEmulated ends it.
func startEmulated(ctx context.Context, c emu.Config) (*emu.Network, error) {
	n, err := emu.New(c)
	if err != nil {
		return nil, err
	}
	if err := n.Start(ctx); err != nil {
		closeEmulated(n)
		return nil, err
	}
	return n, nil
}

func closeEmulated(n *emu.Network) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = n.Close(ctx)
}
