package campaign

import (
	"context"
	"fmt"

	"github.com/weirnet/weir/probe"
)

// startLoad has load go on until it is closed. The stations of the bed have found each other.
func (b *bed) startLoad(ctx context.Context, what *Load) (*load, error) {
	going, stop := context.WithCancel(ctx)
	l := &load{stop: stop}
	for n, c := range what.From {
		h := &loadHost{changed: make(chan struct{}, 1), ended: make(chan struct{})}
		l.hosts = append(l.hosts, h)
		err := h.open(c, n, b.plan)
		if err == nil {
			err = h.join(ctx, b)
		}
		if err == nil {
			err = h.begin(b, what, n)
		}
		if err != nil {
			_ = l.close()
			return nil, fmt.Errorf("load: %w", err)
		}
	}
	for _, h := range l.hosts {
		l.running.Go(func() {
			h.failed = h.stream.Run(going, 0)
			close(h.ended)
		})
	}
	return l, nil
}

// join finds the far station.
func (h *loadHost) join(ctx context.Context, b *bed) error {
	known := func() bool {
		_, ok := h.station.Neighbour(b.address(1))
		return ok
	}
	for range asks {
		if err := h.station.Ask(b.address(1)); err != nil {
			return err
		}
		if err := await(ctx, h.changed, askAgain, known); err != nil || known() {
			return err
		}
	}
	from := h.nic.Config()
	return &probe.Refusal{Why: probe.ErrNoAnswer,
		Seen: fmt.Sprintf("%s does not reach %s", from.String(), b.ends[1].about().name),
		Want: "a path between them", Do: "look at the switch, its controller, and --vlan"}
}

// mark begins to look at whether the load keeps its rate.
func (l *load) mark(ctx context.Context) (err error) {
	for _, h := range l.hosts {
		if h.meter, err = h.stream.Meter(ctx); err != nil {
			return err
		}
	}
	return nil
}
