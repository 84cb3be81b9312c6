package node

import (
	"context"
	"time"
)

// finishEvery is how often a change whose outcome is open is tried again.
const finishEvery = time.Second

// follow reads the certificates for switches and the configuration file again whenever it is told
// to, until the context ends.
func (in *inputs) follow(ctx context.Context) {
	again := time.NewTicker(finishEvery)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			in.finishOpen(ctx)
		case <-ctx.Done():
			return
		case _, ok := <-in.flags.Reload:
			if !ok {
				return
			}
			if in.certificates != nil {
				in.reloadCertificates()
			}
			if in.flags.ConfigFile != "" {
				in.reload()
			}
		}
	}
}

// finishOpen finds out what became of a change, if the store has not said so and nobody else is
// about to. Where the last change was refused, it writes what is in force once more: the alarm ends
// when the store takes it.
func (in *inputs) finishOpen(ctx context.Context) {
	select {
	case <-in.turn:
	default:
		return
	}
	defer func() { in.turn <- struct{}{} }()
	if in.pending == nil && !in.unkept {
		return
	}
	if in.pending == nil {
		in.pending = &pendingChange{state: in.state, then: func() {}, probe: true}
	}
	probe := in.pending.probe
	ctx, cancel := context.WithTimeout(ctx, in.cfg.storeAnswer())
	defer cancel()
	if in.finish(ctx) == nil && !probe {
		in.flags.Log.Info("a change whose outcome the store had not told was kept, and is in force")
	}
}
