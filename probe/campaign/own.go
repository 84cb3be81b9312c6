package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// echoes are those of a measurement of a cable.
type echoes struct {
	plan
	mtu      int
	sizes    []int
	count    int
	interval time.Duration
}

// share is what echoes of a size took over a cable.
type share struct {
	paths []time.Duration
	bad   error // why there is no result
}

// ownShares measures a cable of this machine's, by sizes.
func ownShares(ctx context.Context, of echoes) ([]share, error) {
	a, b, unplug, err := nic.Cable(of.mtu)
	if err != nil {
		return nil, err
	}
	defer unplug()
	bed, err := openBed([2]nic.Config{a, b}, of.plan)
	if err != nil {
		return nil, err
	}
	defer bed.close()
	if err := bed.join(ctx); err != nil {
		return nil, err
	}
	list := make([]share, len(of.sizes))
	for i, size := range of.sizes {
		if _, err := bed.echo(ctx, size, 1, of.interval); err != nil { // of a cold cache
			return nil, err
		}
		r, err := bed.echo(ctx, size, of.count, of.interval)
		if err != nil {
			return nil, err
		}
		if err := bed.check(r, probe.Limits{Foreign: 1}); err != nil {
			list[i].bad = fmt.Errorf("the probe's own share: %w", err)
		}
		list[i].paths = probe.Paths(r.echoes)
	}
	return list, nil
}

// own measures the shares of both machines, the near one's first; of one machine only its own.
func (b *bed) own(ctx context.Context, of echoes) (list [][]share, err error) {
	near, err := ownShares(ctx, of)
	if err != nil {
		return nil, err
	}
	far, ok := b.ends[1].(*remote)
	if !ok {
		return [][]share{near}, nil
	}
	there, err := far.own(ctx, of)
	return [][]share{near, there}, err
}
