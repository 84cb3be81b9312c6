package twin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/netdev"
	"github.com/weirnet/weir/probe/nic"
)

// Start makes the devices and runs the switch. The error is attach.Open's, or the kernel's.
func Start(ctx context.Context, cfg Config) (*Twin, error) {
	space, err := netdev.Hidden()
	if err != nil {
		return nil, fmt.Errorf("a network namespace for the emulated switch: %w", err)
	}
	t := &Twin{unplug: space.Close}
	if err := t.start(ctx, cfg, &space); err != nil {
		return nil, errors.Join(err, t.Close(context.WithoutCancel(ctx)))
	}
	return t, nil
}

func (t *Twin) start(ctx context.Context, cfg Config, space *netdev.Place) error {
	if err := space.Inside(silent); err != nil {
		return err
	}
	for i := range cmp.Or(cfg.Ends, 2) {
		t.Ends = append(t.Ends, nic.Config{Interface: fmt.Sprintf("end%d", i), AsIs: true,
			Namespace: descriptor(int(space.Space))})
	}
	if cfg.Program != "" {
		if err := t.run(cfg, int(space.Space)); err != nil {
			return err
		}
		return t.carriers(ctx)
	}
	top, err := topo.Parse("single:1,hosts=0", 1)
	if err != nil {
		return err
	}
	t.net, err = emu.New(emu.Config{Topology: top, Versions: cfg.Versions, Controllers: []string{cfg.Controller},
		Profile: cfg.Profile, Seed: cfg.Seed})
	if err != nil {
		return err
	}
	t.operator = control.New(control.Config{Network: t.net})
	for i, end := range t.Ends {
		_, err := t.operator.Attach(attach.Spec{Switch: t.net.Switches()[0].Name(), Port: uint32(i + 1),
			Config: attach.Config{Name: end.Interface, Kind: cfg.Kind, Namespace: end.Namespace, MTU: cfg.MTU}})
		if err != nil {
			return err
		}
	}
	if err := t.net.Start(ctx); err != nil {
		return err
	}
	return t.carriers(ctx)
}

// descriptor is the path of an open file of a process, to itself.
func descriptor(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// silent has the kernel say nothing by itself at devices that are made in the thread's network
// namespace from now on. Where there is no IPv6 there is nothing to be said.
func silent() error {
	const file = "/proc/sys/net/ipv6/conf/default/disable_ipv6"
	if _, err := os.Stat(file); err != nil {
		return nil
	}
	return os.WriteFile(file, []byte("1"), 0)
}
