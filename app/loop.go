package app

import (
	"context"
	"errors"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/southbound"
)

// AnswerLimit is how long a request waits for the application.
const AnswerLimit = 2 * time.Second

// StallLimit is how long a call of an application may take before an alarm says that it does not return.
const StallLimit = southbound.StallLimit

// endLimit is how long the end of an instance waits for an application.
const endLimit = time.Second

// errLate says why a request was not answered.
var errLate = errors.New("the application has not answered in time: it may still do what was asked")

// do has the application do something, and waits for it.
func (h *Host) do(ctx context.Context, what func()) error {
	a := &ask{do: what, done: make(chan struct{})}
	if err := h.box.ask(a); err != nil {
		return err
	}
	h.Bell.Ring()
	ctx, cancel := context.WithTimeout(ctx, AnswerLimit)
	defer cancel()
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return errLate
	}
}

// run runs the part. An application that does not return is left behind when the context ends.
func (h *Host) run(ctx context.Context) {
	inner := &loop.Part{Name: h.Name, Bell: h.Bell, Turn: h.Turn, Changed: h.Changed, Behind: h.Behind}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		inner.Run(ctx)
	}()
	<-ctx.Done()
	h.box.close()
	select {
	case <-ended:
	case <-time.After(endLimit):
		h.env.Log.Warn("the application has not returned, and is left behind")
	}
}

// Watch is the part that finds applications that do not return from a call, and ends the alarm when they
// do.
func Watch(now func() time.Time, hosts []*Host) *loop.Part {
	look := func() time.Time {
		at := now()
		for _, h := range hosts {
			h.watch(at)
		}
		return at.Add(time.Second)
	}
	return &loop.Part{Name: "applications", Beats: int(time.Second / beat.Every), Turn: look}
}

// watch looks whether the application has returned.
func (h *Host) watch(now time.Time) {
	switch _, late := h.calls.Stalled(now); {
	case late == h.stalled.Load():
	case late:
		h.stalled.Store(true)
		h.alarms.Raise(netview.AlarmAppStalled, h.spec.Name,
			"it has not returned from a call for "+StallLimit.String()+": what it is to see is dropped when its mailbox is full, and its routes answer 503")
	default:
		h.stalled.Store(false)
		h.alarms.Clear(netview.AlarmAppStalled, h.spec.Name)
	}
}
