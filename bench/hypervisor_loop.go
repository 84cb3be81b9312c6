package bench

import (
	"context"
	"fmt"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/bench/tenants"
)

// begin starts what stands between the ends, connects them, and waits until messages of all tenants come through.
func (s *stand) begin(ctx context.Context) (err error) {
	if s.load, err = tenants.Listen(s.config()); err != nil {
		return err
	}
	to := s.load.Addresses()
	switch s.name {
	case untouched:
	case relayed:
		s.process, to, err = target.StartRelay(ctx, s.c.Program, to, s.c.Nagle)
	case report.Weir, sunk:
		to, err = s.startWeir(ctx, to)
	default:
		s.process, err = target.Running(s.name, s.c.PID)
		to = []string{s.name}
	}
	if err != nil {
		return err
	}
	if err := s.load.Connect(ctx, to...); err != nil {
		return err
	}
	if err := s.load.Settle(ctx); err != nil {
		return err
	}
	if s.attack != nil {
		if err := s.attack.Await(ctx); err != nil {
			return err
		}
	}
	s.c.Note("%s passes messages of all tenants", s.name)
	return s.load.Warm(ctx)
}

// config is that of the load: only controllers that a hypervisor knows have to listen at certain addresses.
func (s *stand) config() *tenants.Config {
	c := s.c.Config
	if s.name != s.c.Address {
		c.Controllers = ""
	}
	return &c
}

// startWeir starts an instance with tenants whose controllers are at some addresses, and returns where it takes
// switches.
func (s *stand) startWeir(ctx context.Context, controllers []string) ([]string, error) {
	var err error
	if s.process, err = target.StartIn(ctx, "", s.c.Program); err != nil {
		return nil, err
	}
	api, err := client.New(client.Config{Address: s.process.API})
	if err != nil {
		return nil, err
	}
	defer api.Close()
	if err := target.AwaitReady(ctx, api); err != nil {
		return nil, err
	}
	if s.c.Attack > 0 {
		if s.attack, err = tenants.ListenAttack(&s.c.Config); err != nil {
			return nil, err
		}
		controllers = append(controllers, s.attack.Address())
	}
	for i, address := range controllers {
		d := client.TenantDefinition{Name: fmt.Sprintf("t%d", i+1), Ports: []string{"*"}, Controllers: []string{"tcp:" + address},
			Space: []client.TenantRegion{{Priority: 10, Match: client.Selector{"vlan_vid": fmt.Sprint(tenants.FirstVLAN + i)}}}}
		if s.c.AttackLimit > 0 && i == s.c.Tenants {
			d.Limits = &client.TenantLimits{Messages: s.c.AttackLimit}
		}
		if _, err := api.PutTenant(ctx, &d, client.TenantOptions{New: true}); err != nil {
			return nil, fmt.Errorf("tenant %s: %w", d.Name, err)
		}
	}
	return []string{s.process.Address}, nil
}

// run does the i-th run and judges it.
func (s *stand) run(ctx context.Context, i int) error {
	sm, taken, err := s.measure(ctx)
	if err == nil {
		err = sm.Check(&s.c.Config)
	}
	if err == nil && s.process != nil {
		err = s.process.Check()
	}
	if err == nil {
		if s.attack != nil {
			s.result.Take("messages of the tenant that attacks", "/s", taken)
		}
		s.take(sm, i)
	}
	return err
}

// measure measures once, beside the attack, if there is one. To the sink goes as much as was taken of the last attack.
func (s *stand) measure(ctx context.Context) (sm *tenants.Sample, taken float64, err error) {
	if s.attack == nil {
		sm, err = s.load.Measure(ctx, s.c.Duration, s.c.Cut, s.process)
		return sm, 0, err
	}
	rate := float64(s.c.Attack)
	if s.name == sunk && s.all.stands[0].result.Refused == "" { // Weir's run comes first
		rate = s.all.taken
	}
	if err := s.attack.Begin(ctx, s.name == sunk, rate); err != nil {
		return nil, 0, err
	}
	sm, err = s.load.Measure(ctx, s.c.Duration, s.c.Cut, s.process)
	if taken = s.attack.End(); s.name != sunk {
		s.all.taken = taken
	}
	return sm, taken, err
}

// close ends the load and what was started.
func (s *stand) close() {
	if s.load != nil {
		_ = s.load.Close()
	}
	if s.process != nil {
		s.process.Stop()
	}
	if s.attack != nil {
		s.attack.Close()
	}
}
