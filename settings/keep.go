package settings

import (
	"context"
	"errors"
	"fmt"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/store"
)

// pendingChange is a change of the inputs that is being written to the store.
type pendingChange struct {
	said
	then  func() // puts it in force; s.mu is held
	probe bool   // not requested: it writes what is in force
	// unknownOutcome: a try may have been done, or may still be.
	unknownOutcome bool
}

// beginChange waits for the turn to change something, as long as a request may wait for the store;
// a change whose outcome is unknown comes first. The context is what is left of that time. done
// gives the turn back.
func (s *Settings) beginChange() (ctx context.Context, done func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.answer())
	select {
	case <-s.turn:
	case <-ctx.Done():
		cancel()
		return nil, nil, fmt.Errorf("%w: %w: a change before this one waits for it", api.ErrNotKept, store.ErrUnavailable)
	}
	done = func() {
		s.turn <- struct{}{}
		cancel()
	}
	if err := s.finish(ctx); err != nil {
		done()
		return nil, nil, fmt.Errorf("%w: %w: it has not said yet whether the change before this one was kept",
			api.ErrNotKept, store.ErrUnavailable)
	}
	return ctx, done, nil
}

// keep writes both parts, and puts it in force when it is on the disk. Where the store does not say
// whether it is (store.ErrUnknown), that is found out before the next change, or soon (Run). The
// turn is the caller's.
func (s *Settings) keep(ctx context.Context, next said, then func()) error {
	s.pending = &pendingChange{said: next, then: then}
	if err := s.finish(ctx); err != nil {
		return fmt.Errorf("%w: %w", api.ErrNotKept, err)
	}
	return nil
}

// finish writes the change whose outcome is unknown, if there is one. It is the same each time, so
// that it does not matter which try was done, and nothing is written after it until one was.
func (s *Settings) finish(ctx context.Context) error {
	k := s.pending
	if k == nil {
		return nil
	}
	if err := s.store.SaveWithin(ctx, k.state, k.own); err != nil {
		if s.unkept = true; !k.probe {
			s.alarms.Raise(netview.AlarmConfig, "", err.Error())
		}
		k.unknownOutcome = k.unknownOutcome || errors.Is(err, store.ErrUnknown)
		// of another instance, whose state stays: so this one was not kept, nor will be
		if !k.unknownOutcome || errors.Is(err, store.ErrChanged) {
			s.pending = nil
		}
		return err
	}
	s.alarms.Clear(netview.AlarmConfig, "")
	s.pending, s.unkept = nil, false
	s.mu.Lock()
	s.state, s.own = k.state, k.own
	k.then()
	s.mu.Unlock()
	if s.changed != nil {
		s.changed(config.Running(s.began, s.current))
	}
	return nil
}
