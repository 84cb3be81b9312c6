package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/confirmed"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/report"
)

// failoverTenant has all ports of all switches, for packets of a VLAN that no host sends.
const (
	failoverTenant = "failover"
	tenantVLAN     = "4000"
)

// startTenant makes the tenant, and waits until its switches are connected to its controller.
func (b *failoverBed) startTenant(ctx context.Context) (err error) {
	if b.c.Tenant == 0 {
		return nil
	}
	if b.tenant, err = confirmed.Listen(); err != nil {
		return err
	}
	owner := b.cluster.Owner(ctx)
	if owner == nil {
		return errNoOwner
	}
	d := client.TenantDefinition{Name: failoverTenant, Ports: []string{"*"}, Controllers: []string{"tcp:" + b.tenant.Address()},
		Space: []client.TenantRegion{{Priority: 10, Match: client.Selector{"vlan_vid": tenantVLAN}}}}
	if _, err := owner.Client().PutTenant(ctx, &d, client.TenantOptions{New: true}); err != nil {
		return fmt.Errorf("tenant %s: %w", d.Name, err)
	}
	return b.tenantWhole(ctx, time.Time{})
}

// tenantWhole waits until all switches of the tenant are connected to its controller, by sessions that began after a time.
func (b *failoverBed) tenantWhole(ctx context.Context, after time.Time) error {
	if b.tenant == nil {
		return nil
	}
	n, of := 0, len(b.net.Switches())
	return pace.Until(ctx, failoverPoll, b.c.Limit, func() (bool, error) {
		n, _ = b.tenant.Sessions(after)
		return n == of, nil
	}, func() error {
		return fmt.Errorf("%w: %d of %d switches of a tenant are connected to its controller", report.ErrSlow, n, of)
	})
}

// adding is the tenant's controller at work.
type adding struct {
	end     context.CancelFunc
	running sync.WaitGroup
}

// addEntries has the tenant's controller add entries at the set rate, to one switch after the other, until stop.
func (b *failoverBed) addEntries(ctx context.Context) *adding {
	ctx, end := context.WithCancel(ctx)
	a := &adding{end: end}
	if b.tenant != nil {
		a.running.Go(func() {
			period := time.Second / time.Duration(b.c.Tenant)
			for next := time.Now(); pace.Wait(ctx, time.Until(next)) == nil; next = next.Add(period) {
				b.tenant.Add() // with no switch connected there is nothing to add to
			}
		})
	}
	return a
}

func (a *adding) stop() {
	a.end()
	a.running.Wait()
}

// awaitTenant measures when the tenant's switches are connected again, and when a barrier is answered after that.
func (b *failoverBed) awaitTenant(ctx context.Context, k *failoverRun, at time.Time) error {
	if b.tenant == nil {
		return nil
	}
	if err := b.tenantWhole(ctx, at); err != nil {
		return err
	}
	_, last := b.tenant.Sessions(at)
	k.tenantBack = last.Sub(at)
	return pace.Until(ctx, failoverPoll, b.c.Limit, func() (bool, error) { return b.tenant.Answered().After(last), nil },
		func() error { return fmt.Errorf("%w: no barrier of a tenant is answered", report.ErrSlow) })
}

// countEntries counts what was confirmed to the tenant, and what of that is missing though no restart was announced since a
// time. Nothing is added meanwhile.
func (b *failoverBed) countEntries(ctx context.Context, k *failoverRun, since time.Time) error {
	if b.tenant == nil {
		return nil
	}
	owner := b.cluster.Owner(ctx)
	if owner == nil {
		return errNoOwner
	}
	t, err := owner.Client().Tenant(ctx, failoverTenant)
	if err != nil {
		return err
	}
	restarted := map[string]bool{}
	if t.State == nil {
		return fmt.Errorf("%w: %s serves no tenants", report.ErrMisforwarded, owner.Name)
	}
	for _, sw := range t.State.Switches {
		restarted[sw.DPID] = sw.Restarted != nil && sw.Restarted.At.After(since)
		if restarted[sw.DPID] {
			k.tenantRestarts++
		}
	}
	k.entries, k.entriesMissing, err = b.tenant.Missing(ctx, func(dpid uint64) bool { return restarted[client.FormatDPID(dpid)] })
	if err == nil {
		err = b.tenant.Err()
	}
	if err != nil {
		return err
	}
	return b.tenant.Forget(ctx)
}
