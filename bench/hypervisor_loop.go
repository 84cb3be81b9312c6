package bench

import (
	"context"
	"errors"

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
	default:
		s.process, err = target.Running(s.name, s.c.PID)
		to = []string{s.name}
	}
	if err != nil {
		return err
	}
	if err := errors.Join(s.load.Connect(ctx, to...), s.load.Settle(ctx)); err != nil {
		return err
	}
	s.c.Note("%s passes messages of all tenants", s.name)
	return s.load.Warm(ctx)
}

// config is that of the load: only controllers that a hypervisor knows have to listen at certain addresses.
func (s *stand) config() *tenants.Config {
	c := s.c.Config
	if s.name == relayed || s.name == untouched {
		c.Controllers = ""
	}
	return &c
}

// run does the i-th run and judges it.
func (s *stand) run(ctx context.Context, i int) error {
	sm, err := s.load.Measure(ctx, s.c.Duration, s.c.Cut, s.process)
	if err == nil {
		err = sm.Check(&s.c.Config)
	}
	if err == nil && s.process != nil {
		err = s.process.Check()
	}
	if err == nil {
		s.take(sm, i)
	}
	return err
}

// close ends the load and what was started.
func (s *stand) close() {
	if s.load != nil {
		_ = s.load.Close()
	}
	if s.process != nil {
		s.process.Stop()
	}
}
