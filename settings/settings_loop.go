package settings

import (
	"context"
	"time"
)

// finishEvery is how often a change whose outcome is open is tried again.
const finishEvery = time.Second

// Run reads the certificates for switches and the configuration file again whenever it is told
// to, until the context ends.
func (s *Settings) Run(ctx context.Context) {
	again := time.NewTicker(finishEvery)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			s.finishOpen(ctx)
		case <-ctx.Done():
			return
		case _, ok := <-s.base.Reload:
			if !ok {
				return
			}
			if s.certificates != nil {
				s.reloadCertificates()
			}
			if s.base.File != "" {
				s.reload()
			}
		}
	}
}

// finishOpen finds out what became of a change, if the store has not said so and nobody else is
// about to. Where the last change was refused, it writes what is in force once more: the alarm ends
// when the store takes it.
func (s *Settings) finishOpen(ctx context.Context) {
	select {
	case <-s.turn:
	default:
		return
	}
	defer func() { s.turn <- struct{}{} }()
	if s.pending == nil && !s.unkept {
		return
	}
	if s.pending == nil {
		s.pending = &pendingChange{said: said{s.state, s.own}, then: func() {}, probe: true}
	}
	probe := s.pending.probe
	ctx, cancel := context.WithTimeout(ctx, s.answer())
	defer cancel()
	if s.finish(ctx) == nil && !probe {
		s.base.Log.Info("a change whose outcome the store had not told was kept, and is in force")
	}
}
